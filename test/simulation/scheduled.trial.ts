/**
 * Very many scheduled texts have the same time. None goes before it, all go soon after it, and meanwhile a text that is sent at once
 * goes as it always does. Simulated are the clock, the one thread of D1, the queues and the carrier: see runs.test.ts. The trials run
 * it (`npm run faults -- --only bindings`), because it takes minutes.
 */
import { afterEach, expect, it, vi } from "vitest";
import { printSummary } from "../faults/summary.ts";
import { percentile } from "../node/harness/statistics.ts";
import { World } from "../world.ts";
import { type Sent, Service } from "./service.ts";

/** Texts of each website. */
const TEXTS = 1000;
const WEBSITES = 20;
const MINUTE = 60_000;
/** The ways of a send to the object, to D1 and back, which the simulation leaves out. */
const WAYS_MILLISECONDS = 20;
/** While the scheduled ones go, and as many before. */
const PLAIN_A_SECOND = 10;
const MEASURED_SECONDS = 60;

afterEach(() => {
  vi.restoreAllMocks();
});

/** How long all but one in a hundred of the answers took at most, in milliseconds. */
const p99 = (sent: Sent[]) =>
  percentile(
    sent.map(({ at, answeredAt = Number.POSITIVE_INFINITY }) => answeredAt - at),
    0.99,
  );

it("texts of twenty websites that are due in one second go within a minute, and none is early", async () => {
  const phones = Array.from({ length: TEXTS }, (_, index) => `+1212${5_000_000 + index}`);
  const [phone = ""] = phones;
  const world = await World.create();
  const clients = [];
  for (let website = 0; website < WEBSITES; website++) clients.push(await world.brand(phones, `brand-${website}`));
  const plain = await world.brand([phone], "plain");
  const service = new Service(world, plain, phone, { d1: { milliseconds: 4 }, carrierMilliseconds: 150 });
  const { clock, submittedAt } = service;

  await service.load(PLAIN_A_SECOND, MEASURED_SECONDS);
  const before = p99(service.sent);
  const due = clock.now + 9 * MINUTE;
  const sendAt = new Date(due).toISOString();
  const statuses: number[] = [];
  for (const client of clients) {
    const messages = phones.map((to) => ({ phone: to, text: "hello", callbackData: "", sendPurpose: "a", sendAt }));
    void service.post("/text/bulk/message/send", client, { messages }).then(({ status }) => void statuses.push(status));
  }
  await clock.runUntil(() => statuses.length === WEBSITES);
  expect(new Set(statuses)).toEqual(new Set([200]));
  await service.load(0, (due - clock.now) / 1000);
  await service.load(PLAIN_A_SECOND, MEASURED_SECONDS);
  const meanwhile = service.sent.filter(({ at }) => at >= due);
  await service.settle();

  const single = new Set(service.sent.map(({ messageId }) => messageId));
  const scheduled = [...submittedAt].filter(([messageId]) => !single.has(messageId)).map(([, times]) => times);
  const waits = scheduled.map(([time = 0]) => time - due);
  printSummary(
    `${waits.length} were due in one second: the first went ${Math.min(...waits)} ms after it, the last ${Math.max(...waits) / 1000} s; ` +
      `a plain send took ${before} ms at p99 before, ${p99(meanwhile)} ms meanwhile`,
  );
  expect(waits.length).toBe(WEBSITES * TEXTS);
  expect(scheduled.filter((times) => times.length !== 1)).toEqual([]);
  expect(Math.min(...waits)).toBeGreaterThanOrEqual(0);
  expect(Math.max(...waits)).toBeLessThanOrEqual(MINUTE);
  expect(p99(meanwhile) + WAYS_MILLISECONDS).toBeLessThanOrEqual(1.3 * (before + WAYS_MILLISECONDS));
});
