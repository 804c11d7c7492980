// The callbacks of a run that go to one host: a few at a time, so that a slow host leaves the others their connections.
import type { Deps } from "../../deps.ts";
import type { ClaimedCallback } from "../../store/callbacks/callbacks.ts";
import { type Posted, type PostingJob, postCallback } from "./post-callback.ts";

export const CONNECTIONS_A_HOST = 3;

export interface HostEnd {
  posted: Posted[];
  /** Not posted: the time of the job is over, or a post to this host has timed out. */
  left: ClaimedCallback[];
  hasTimedOut: boolean;
}

/**
 * Posts callbacks in their order. An event waits until the event before it of the same message is posted. The first post goes alone: a host
 * that does not answer gets no other post, and holds one connection, while other hosts have the rest. After a post has timed out, no further
 * one is begun. Never throws.
 */
export async function postToHost(deps: Deps, job: PostingJob, callbacks: ClaimedCallback[]): Promise<HostEnd> {
  const end: HostEnd = { posted: [], left: [...callbacks], hasTimedOut: false };
  /** The latest post of each message. */
  const posts = new Map<string, Promise<void>>();
  const isOver = () => end.hasTimedOut || deps.now() > job.until;
  const post = (callback: ClaimedCallback) =>
    job.slots.use(async () => {
      // The callback may have waited long for its slot.
      if (isOver()) return void end.left.push(callback);
      const posted = await postCallback(deps, callback, job);
      end.posted.push(posted);
      end.hasTimedOut ||= posted.record.outcome === "timed-out";
    });
  const postNext = async () => {
    const next = end.left.shift();
    if (!next) return;
    const before = posts.get(next.messageId) ?? Promise.resolve();
    const own = before.then(() => post(next));
    posts.set(next.messageId, own);
    await own;
  };
  const postInTurn = async () => {
    while (!isOver() && end.left.length > 0) await postNext();
  };
  if (!isOver()) await postNext();
  await Promise.all(Array.from({ length: CONNECTIONS_A_HOST }, postInTurn));
  return end;
}
