// Kills the service while scheduled texts are stored, are queued, and go.
import { setTimeout as wait } from "node:timers/promises";
import { drawnInteger } from "../../../random.ts";
import { CountingReceiver } from "../../harness/counting-receiver.ts";
import { accept, CountingCarrier, RECEIPT, type Submission } from "../../harness/fake-kannel.ts";
import { type Bundle, Service } from "../../harness/killable-service.ts";
import type { Client } from "../../harness/service.ts";
import { makeWebsite, phoneAt } from "./client.ts";
import type { Sent } from "./load.ts";
import { settle } from "./settle.ts";
import { type Tally, tally } from "./tally.ts";

export interface ScheduledOptions {
  bundle: Bundle;
  seed: number;
  keep: boolean;
}

const WEBSITE = "scheduled";
const TEXTS = 5000;
const A_REQUEST = 500;

/**
 * When a text is due, in seconds after the first request. The sweep queues texts seven minutes ahead: those that are due soon
 * are queued at once, and the others within the first minute.
 */
const DUE_SECONDS = { soon: [20, 60], later: [425, 470] } as const;

/** The service is killed within each of these: while texts are accepted and queued, while they go, while they wait. */
const KILLED_SECONDS = [
  [2, 18],
  [20, 40],
  [40, 60],
  [100, 170],
  [425, 445],
  [445, 470],
] as const;

/**
 * How long after its time a text may go at the latest. Miniflare's queues forget their jobs when the service is killed: the sweep finds the
 * text and gives it a job that comes after any cancellation, a minute and a half later. The next kill may lose that job, too.
 */
const LATEST_SECONDS = 840;

/** Accepts texts for later, kills the service again and again until they are due, and holds all against the record. */
export async function scheduled({ bundle, seed, keep }: ScheduledOptions): Promise<Tally> {
  const takenAt = new Map<string, number>();
  const carrier = new CountingCarrier(({ messageId }: Submission) => {
    takenAt.set(messageId, takenAt.get(messageId) ?? Date.now());
    return { takes: true, answer: accept, receipts: [{ type: RECEIPT.delivered, afterMilliseconds: 20 }] };
  });
  await carrier.open();
  const receiver = await new CountingReceiver().open();
  const service = await Service.start({ bundle, sendSmsUrl: carrier.url, keep });
  try {
    const messages = Array.from({ length: TEXTS }, (_, index) => index * 2);
    const client = await makeWebsite(service.url, { websiteId: WEBSITE, carrier: "kannel", messages }, receiver);
    const startedAt = Date.now();
    const dueAt = new Map(messages.map((message) => [message, startedAt + dueAfter(seed, message)]));
    const killing = killAtTimes(service, seed, startedAt, (killedAt) => carrier.giveAgain(killedAt));
    const sent = await sendAll(service, client, dueAt);
    await killing;
    const last = Math.max(...dueAt.values());
    await wait(Math.max(0, last + 1000 - Date.now()));
    const { record } = await settle({ service, websiteIds: [WEBSITE] }, carrier, receiver, LATEST_SECONDS * 1000);
    const { figures, faults } = tally({ load: { sent, changedIds: [] }, carrier, receiver }, record);
    const waits = [...sent].flatMap(([message, { messageId }]) => {
      const at = takenAt.get(String(messageId));
      return at === undefined ? [] : [at - (dueAt.get(message) ?? 0)];
    });
    const early = waits.filter((milliseconds) => milliseconds < 0).length;
    const late = waits.filter((milliseconds) => milliseconds > LATEST_SECONDS * 1000).length;
    if (early > 0) faults.push(`${early} texts went before their time`);
    if (late > 0) faults.push(`${late} texts went more than ${LATEST_SECONDS} s late`);
    const missing = TEXTS - record.messages.length;
    if (missing > 0) faults.push(`${missing} texts are not stored`);
    return {
      figures: {
        ...figures,
        kills: service.kills.length - 1,
        early,
        "latest after its time, s": Math.round(Math.max(...waits) / 1000),
      },
      faults,
    };
  } finally {
    await service.remove();
    await carrier.close();
    await receiver.close();
  }
}

function dueAfter(seed: number, message: number): number {
  const [from, until] = DUE_SECONDS[message % 4 === 0 ? "soon" : "later"];
  return drawnInteger(from * 1000, until * 1000, seed, "due", message);
}

async function killAtTimes(
  service: Service,
  seed: number,
  startedAt: number,
  onRestart: (killedAt: number) => void,
): Promise<void> {
  for (const [index, [from, until]] of KILLED_SECONDS.entries()) {
    const at = startedAt + drawnInteger(from * 1000, until * 1000, seed, "kill", index);
    await wait(Math.max(0, at - Date.now()));
    const killedAt = performance.now();
    await service.killAndRestart();
    onRestart(killedAt);
  }
}

/** With a key each, so that a request that broke off is sent again. */
async function sendAll(service: Service, client: Client, dueAt: Map<number, number>): Promise<Map<number, Sent>> {
  const sent = new Map<number, Sent>();
  const all = [...dueAt];
  for (let from = 0; from < all.length; from += A_REQUEST) {
    const part = all.slice(from, from + A_REQUEST);
    const messages = part.map(([message, due]) => ({
      phone: phoneAt(message),
      text: "Sale",
      callbackData: "{}",
      sendPurpose: "sale",
      sendAt: new Date(due).toISOString(),
    }));
    const ids = await untilAnswered(service, client, `part-${from}`, messages);
    const at = performance.now();
    for (const [index, [message]] of part.entries())
      sent.set(message, { kind: "bulk", outcome: "accepted", messageId: ids[index] ?? null, at });
  }
  return sent;
}

async function untilAnswered(service: Service, client: Client, key: string, messages: object[]): Promise<string[]> {
  const { url, clientId, clientSecret } = client;
  const headers = {
    "x-client-id": clientId,
    "x-client-secret": clientSecret,
    "content-type": "application/json",
    "idempotency-key": key,
  };
  for (;;) {
    await service.up;
    const init = { method: "POST", headers, body: JSON.stringify({ messages }) };
    // It breaks off where the service is killed.
    const answer = await fetch(`${url}/text/bulk/message/send`, init).catch(() => null);
    const body = (await answer?.json().catch(() => null)) as { successSent: { messageId: string }[] } | null;
    if (answer?.status === 200 && body) return body.successSent.map(({ messageId }) => messageId);
    if (answer && answer.status < 500 && answer.status !== 429) throw new Error(`answered ${answer.status}`);
    await wait(100);
  }
}
