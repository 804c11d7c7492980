/** Receipts that come to an isolate at the same time share jobs, each of which is billed. No request is told what is not so. */

import { beforeEach, expect, it } from "vitest";
import { newId } from "../../src/domain/home.ts";
import type { Job } from "../../src/domain/job.ts";
import type { Receipt } from "../../src/domain/receipt.ts";
import { queueReceipts } from "../../src/flows/queue-jobs.ts";
import { World } from "../world.ts";

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

it("those that come at the same time share jobs of ten at most, of each carrier", async () => {
  const all = [told("kannel", "a"), told("twilio", "b"), told("kannel", "c", "d")];
  await callsUnderWay(1);
  expect(idsOf(0)).toEqual([
    ["kannel", ["a", "c", "d"]],
    ["twilio", ["b"]],
  ]);
  const many = told("kannel", ...Array.from({ length: 25 }, (_, index) => `m${index}`));
  await callsUnderWay(2);
  expect(calls[1]?.jobs.map(({ receipts }) => receipts.length)).toEqual([10, 10, 5]);
  for (const { end } of calls) end();
  expect(await Promise.all([...all, many])).toEqual(["taken", "taken", "taken", "taken"]);
});

it("none is answered before the queue has it", async () => {
  const answered: string[] = [];
  const all = ["a", "b"].map((id) => told("kannel", id).then((answer) => answered.push(answer)));
  await callsUnderWay(1);
  await scheduler.wait(30);
  expect(answered).toEqual([]);
  calls[0]?.end();
  await Promise.all(all);
  expect(answered).toEqual(["taken", "taken"]);
});

it("a queue that fails refuses those of its call alone", async () => {
  const first = [told("kannel", "a"), told("kannel", "b")];
  await callsUnderWay(1);
  const second = [told("kannel", "c"), told("kannel", "d")];
  await callsUnderWay(2);
  calls[0]?.end(new Error("Queue sendBatch failed: Internal Server Error"));
  calls[1]?.end();
  expect(await Promise.all([...first, ...second])).toEqual([
    "store-unavailable",
    "store-unavailable",
    "taken",
    "taken",
  ]);
});

it("one that hangs holds up no others", async () => {
  const hung = told("kannel", "a");
  await callsUnderWay(1);
  const second = told("kannel", "b");
  await callsUnderWay(2);
  calls[1]?.end();
  expect(await second).toBe("taken");
  calls[0]?.end();
  expect(await hung).toBe("taken");
});

it("of several databases, a job has those of one website", async () => {
  world.deps = { ...world.deps, others: new Map([["DB_2", world.deps]]) };
  const ids = [1, 2, 1].map((home) => newId(home, world.now, crypto.randomUUID()));
  const ofTwo = told("kannel", ...ids);
  await callsUnderWay(1);
  expect(idsOf(0)).toEqual([
    ["kannel", [ids[0], ids[2]]],
    ["kannel", [ids[1]]],
  ]);
  calls[0]?.end();
  expect(await ofTwo).toBe("taken");
});
