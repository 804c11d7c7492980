// The floor of a delivery: the same jobs, queues, submissions and signed callbacks as the service's, and no store. A job carries its
// messages, for there is nowhere to read them.

import { sandbox } from "../../src/carriers/sandbox.ts";
import { callbackBody, signatureHeaders } from "../../src/domain/callbacks/callback.ts";
import { chunk } from "../../src/domain/chunk.ts";
import { MESSAGES_A_JOB } from "../../src/domain/messages/job.ts";
import { CALLBACKS_A_JOB } from "../../src/flows/messages/queue-jobs.ts";
import { postOnce } from "../../src/platform/callback-post.ts";

export { RateLimiter, SenderObject } from "./counter.ts";

/** All that an invocation has at a time. */
const CONNECTIONS = 6;
/** That one sendBatch takes: 256 KB. A job with its messages, or with its callbacks, has some 8 KB. */
const JOBS_IN_A_BATCH = 25;

interface Message {
  messageId: string;
  phone: string;
  text: string;
  sendPurpose: string;
  callbackData: string;
}

interface Event extends Message {
  status: "SENDING" | "DELIVERED";
  occurredAt: number;
}

interface Endpoint {
  callbackUrl: string;
  callbackSecret: string;
}

interface Job extends Endpoint {
  messages: Message[];
}

interface Callback extends Endpoint {
  event: Event;
}

export default {
  /** A bulk request; its headers name the endpoint. */
  async fetch(request, env) {
    const given = await request.json<{ messages: Omit<Message, "messageId">[] }>();
    const messages = given.messages.map((message) => ({ ...message, messageId: crypto.randomUUID() }));
    const endpoint = {
      callbackUrl: request.headers.get("callback-url") ?? "",
      callbackSecret: request.headers.get("callback-secret") ?? "",
    };
    const jobs = chunk(messages, MESSAGES_A_JOB).map((some): Job => ({ ...endpoint, messages: some }));
    await sendAll(env.BULK as Queue<unknown>, jobs, JOBS_IN_A_BATCH);
    return Response.json({ successSent: messages.map(({ messageId }) => messageId) });
  },

  async queue(batch, env) {
    if (batch.queue === "textgate-callbacks") return postAll(batch.messages.flatMap(({ body }) => body as Callback[]));
    const jobs = batch.messages.map(({ body }) => body as Job);
    const callbacks = (await Promise.all(jobs.map(submitAll))).flat();
    await sendAll(env.CALLBACKS as Queue<unknown>, chunk(callbacks, CALLBACKS_A_JOB), JOBS_IN_A_BATCH);
  },
} satisfies ExportedHandler<Env>;

async function submitAll({ messages, ...endpoint }: Job): Promise<Callback[]> {
  const callbacks: Callback[] = [];
  for (const message of messages) {
    const { messageId, phone: to, text } = message;
    const outbound = { messageId, to, from: null, text, encoding: "GSM-7", mediaUrl: null, attempt: 1 } as const;
    const submission = await sandbox.submit(outbound);
    if (submission.kind !== "accepted" || !submission.receipt) throw new Error("every number should be delivered");
    for (const status of ["SENDING", "DELIVERED"] as const) {
      callbacks.push({ ...endpoint, event: { ...message, status, occurredAt: Date.now() } });
    }
  }
  return callbacks;
}

async function postAll(callbacks: Callback[]): Promise<void> {
  const waiting = callbacks.values();
  const postInTurn = async () => {
    for (const callback of waiting) await post(callback);
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, postInTurn));
}

async function post({ callbackUrl, callbackSecret, event }: Callback): Promise<void> {
  const eventId = `${event.messageId}_${event.status}`;
  const body = callbackBody({ ...event, eventId, eventType: "message.status", reason: null, clickUrl: null });
  const result = await postOnce(callbackUrl, body, signatureHeaders(eventId, body, [callbackSecret], Date.now()));
  if (result.outcome !== "answered") throw new Error(`${eventId}: ${result.response}`);
}

async function sendAll(queue: Queue<unknown>, bodies: unknown[], most: number): Promise<void> {
  for (const some of chunk(bodies, most)) await queue.sendBatch(some.map((body) => ({ body })));
}
