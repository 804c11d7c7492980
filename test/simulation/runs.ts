/**
 * One website's many texts do not hold up another's single text, and a new version that cuts off every run leaves no outcome
 * unknown. The Worker is the real one, on the statements and tables of a real D1, from the request to the carrier. Simulated are
 * the clock, the one thread of D1, the queues and the carrier.
 */
import { expect } from "vitest";
import { printSummary } from "../faults/summary.ts";
import { World } from "../world.ts";
import { Service } from "./service.ts";

/** So slow that a run which took all texts of its batch would be cut off. */
const CARRIER_MILLISECONDS = 900;
const D1_MILLISECONDS = 6;
const MOST_WAIT_MILLISECONDS = 5000;

/** @param seconds in which the other website sends a text each second, and in which three versions are deployed */
export async function expectOnTime(count: number, seconds: number): Promise<void> {
  const phones = Array.from({ length: count }, (_, index) => `+1212${5_000_000 + index}`);
  const [phone = ""] = phones;
  const world = await World.create();
  const many = await world.brand(phones, "many");
  const settings = { d1: { milliseconds: D1_MILLISECONDS }, carrierMilliseconds: CARRIER_MILLISECONDS };
  const service = new Service(world, await world.brand([phone], "other"), phone, settings);
  const { clock, submittedAt } = service;
  const messages = phones.map((phone) => ({ phone, text: "hello", callbackData: "", sendPurpose: "a" }));
  let isAccepted = false;
  void service.post("/text/bulk/message/send", many, { messages }).then(({ status }) => {
    isAccepted = status === 200;
  });
  await clock.runUntil(() => isAccepted);
  for (const part of [0.05, 0.35, 0.7]) clock.after(part * seconds * 1000, () => service.deploy());
  await service.load(1, seconds);
  const done = submittedAt.size;
  await service.settle();
  const waits = service.sent.map(({ at, messageId = "" }) => (submittedAt.get(messageId)?.[0] ?? Number.NaN) - at);
  printSummary(`longest wait ${Math.max(...waits)} ms of ${waits.length}; ${done} were submitted in the same time`);
  expect(done).toBeGreaterThan(4 * seconds);
  expect(done).toBeLessThan(count);
  expect(Math.max(...waits)).toBeLessThan(MOST_WAIT_MILLISECONDS);
  expect(service.cutOff).toBe(0);
  expect(submittedAt.size).toBe(count + service.sent.length);
  expect([...submittedAt.values()].filter((times) => times.length !== 1)).toEqual([]);
  expect(await service.rows("SELECT status, count(*) AS n FROM messages GROUP BY status")).toEqual([
    { status: "SENDING", n: count + service.sent.length },
  ]);
}
