import type { Deps } from "../../deps.ts";
import type { MessageStatus } from "../../domain/messages/message.ts";
import { cancelMessages } from "../../store/messages/cancel.ts";
import { queueCallbacks } from "./queue-jobs.ts";

/** What became of the messages that a client wanted to cancel, in the order of their ids. */
interface Cancelled {
  cancelled: string[];
  /** `status` null: the website has no such message. */
  notCancelled: { messageId: string; status: MessageStatus | null }[];
}

/** Cancels messages of a client's website that no submission has begun for, with their callbacks. Safe to repeat. */
export async function cancelOfClient(deps: Deps, websiteId: string, ids: string[]): Promise<Cancelled> {
  const what = { ids, websiteId, reason: "cancelled by its client", now: deps.now() };
  const { cancelled, others, due } = await cancelMessages(deps.db, what);
  await queueCallbacks(deps, due);
  return {
    cancelled: ids.filter((id) => cancelled.has(id)),
    notCancelled: ids
      .filter((id) => !cancelled.has(id))
      .map((messageId) => ({ messageId, status: others.get(messageId) ?? null })),
  };
}
