/** A carrier is told that its receipts are received when the queue has them. */

import { beforeEach, expect, it } from "vitest";
import type { Job } from "../../../src/domain/messages/job.ts";
import type { Receipt } from "../../../src/domain/messages/receipt.ts";
import { queueReceipts } from "../../../src/flows/messages/queue-jobs.ts";
import { World } from "../../world.ts";

let world: World;
/** Calls of the queue that are under way, in order. */
let calls: { jobs: (Job & { kind: "receipts" })[]; end: (error?: Error) => void }[];

beforeEach(async () => {
  world = await World.create();
  calls = [];
  const { receipts } = world.deps;
  const sendBatch = async (messages: Iterable<MessageSendRequest<Job>>) => {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const jobs = [...messages].map(({ body }) => body as Job & { kind: "receipts" });
    calls.push({ jobs, end: (error) => (error ? reject(error) : resolve()) });
    await promise;
  };
  world.deps = { ...world.deps, receipts: { ...receipts, sendBatch } as unknown as typeof receipts };
});

const receipt = (messageId: string): Receipt => ({
  ...{ messageId, status: "DELIVERED", reason: null, carrierMessageId: null, optedOut: false },
});
/** @returns what a request is told: whether its receipts are queued */
const told = (carrier: string, ...ids: string[]) =>
  queueReceipts(world.deps, carrier, ids.map(receipt)).then(
    () => "taken",
    (error) => String(error.failure?.kind ?? error),
  );
async function callsUnderWay(count: number): Promise<void> {
  while (calls.length < count) await scheduler.wait(1);
}
const idsOf = (call: number) =>
  calls[call]?.jobs.map(({ carrier, receipts }) => [carrier, receipts.map((it) => it.messageId)]);

it("each of a request is a job of its own, in one call", async () => {
  const all = told("kannel", "a", "b", "c");
  await callsUnderWay(1);
  expect(idsOf(0)).toEqual([
    ["kannel", ["a"]],
    ["kannel", ["b"]],
    ["kannel", ["c"]],
  ]);
  calls[0]?.end();
  expect(await all).toBe("taken");
});

it("none is answered before the queue has it", async () => {
  const answered: string[] = [];
  const all = ["a", "b"].map((id) => told("kannel", id).then((answer) => answered.push(id, answer)));
  await callsUnderWay(2);
  await scheduler.wait(30);
  expect(answered).toEqual([]);
  calls[1]?.end();
  await all[1];
  expect(answered).toEqual(["b", "taken"]);
  calls[0]?.end();
  await all[0];
  expect(answered).toEqual(["b", "taken", "a", "taken"]);
});

it("a queue that fails refuses those of its call alone", async () => {
  const first = told("kannel", "a", "b");
  const second = told("kannel", "c", "d");
  await callsUnderWay(2);
  calls[0]?.end(new Error("Queue sendBatch failed: Internal Server Error"));
  calls[1]?.end();
  expect(await Promise.all([first, second])).toEqual(["store-unavailable", "taken"]);
});

it("many of a request take several calls, and one that fails refuses all", async () => {
  const many = told("kannel", ...Array.from({ length: 75 }, (_, index) => `m${index}`));
  await callsUnderWay(1);
  calls[0]?.end();
  await callsUnderWay(2);
  calls[1]?.end(new Error("Queue sendBatch failed: Internal Server Error"));
  expect(calls.map(({ jobs }) => jobs.length)).toEqual([50, 25]);
  expect(await many).toBe("store-unavailable");
});
