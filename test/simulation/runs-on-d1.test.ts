/** As runs.test.ts, with fewer texts, on the statements and tables of a real D1, from the request to the carrier. */
import { afterEach, expect, it, vi } from "vitest";
import { printSummary } from "../faults/summary.ts";
import { World } from "../world.ts";
import { Service } from "./service.ts";

const MANY = 2000;
const PHONES = Array.from({ length: MANY }, (_, index) => `+1212${5_000_000 + index}`);
const [PHONE = ""] = PHONES;

afterEach(() => {
  vi.restoreAllMocks();
});

it("2,000 texts of a bulk request hold up no single text of another website, and each is submitted once", async () => {
  const world = await World.create();
  const many = await world.brand(PHONES, "many");
  const service = new Service(world, await world.brand([PHONE], "other"), PHONE, { milliseconds: 6 });
  const { clock, submittedAt } = service;
  const messages = PHONES.map((phone) => ({ phone, text: "hello", callbackData: "", sendPurpose: "a" }));
  let isAccepted = false;
  void service.post("/text/bulk/message/send", many, { messages }).then(({ status }) => {
    isAccepted = status === 200;
  });
  await clock.runUntil(() => isAccepted);
  await service.load(2, 8);
  const done = submittedAt.size;
  await service.settle();
  const waits = service.sent.map(({ at, messageId = "" }) => (submittedAt.get(messageId)?.[0] ?? Number.NaN) - at);
  printSummary(`longest wait ${Math.max(...waits)} ms of ${waits.length}; ${done} were submitted in the same time`);
  expect(done).toBeGreaterThan(200);
  expect(done).toBeLessThan(MANY);
  expect(Math.max(...waits)).toBeLessThan(5000);
  expect(submittedAt.size).toBe(MANY + service.sent.length);
  expect([...submittedAt.values()].filter((times) => times.length !== 1)).toEqual([]);
  expect(await service.rows("SELECT status, count(*) AS n FROM messages GROUP BY status")).toEqual([
    { status: "SENDING", n: MANY + service.sent.length },
  ]);
}, 120_000);
