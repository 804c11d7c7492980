/** The service knows whether texts arrive: what carriers report through their own calls is counted, and a problem once it must be. */
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { ADA, mockSockets, OURS } from "../../carriers/carrier-world.ts";
import type { Submitted } from "../../carriers/test-carrier.ts";
import { twilio } from "../../carriers/twilio.ts";
import { bindDatabases, rowsOf } from "../../databases.ts";
import { failingDatabase } from "../../failing-database.ts";
import { at, beginWithTwilio, expectUndelivered, look, MINUTE, report, send, testCarrier } from "./deliveries-stage.ts";

mockSockets();

beforeEach(beginWithTwilio);

afterEach(() => {
  vi.restoreAllMocks();
});

const COUNTED = `SELECT detail ->> 1 AS sender, detail ->> 2 AS reason, detail ->> 3 AS code, sum(count) AS count
  FROM counts WHERE kind = 'receipt' GROUP BY 1, 2, 3 ORDER BY count DESC`;

const counted = () => at.world.rows(COUNTED);

describe("twilio", () => testCarrier(twilio));

it.each<[string, number, number, boolean]>([
  ["5 of 5 on a quiet night", 5, 5, true],
  ["2 of 2", 2, 2, false],
])("%s: of %i texts, %i to numbers that are none", (_, all, wrong, isProblem) =>
  expectUndelivered(all, wrong, isProblem),
);

describe("the counts", () => {
  it("have each final receipt once: not one that comes again, late, for another status or for no message", async () => {
    const [one, two, three] = (await send(3)) as [Submitted, Submitted, Submitted];
    await report([one, two], (place) => (place === 0 ? undefined : "30006"));
    await report([one, two], () => "30007");
    await at.receipt(three, "sent");
    await report([
      { ...three, messageId: crypto.randomUUID(), receiptUrl: three.receiptUrl.replace(/m=.*/, "m=none") },
    ]);
    expect(await counted()).toEqual(
      expect.arrayContaining([
        { sender: OURS, reason: "", code: "", count: 1 },
        { sender: OURS, reason: "UNDELIVERED", code: "30006", count: 1 },
      ]),
    );
    expect(await counted()).toHaveLength(2);
    expect((await look()).carriers.find(({ carrier }) => carrier === "twilio")?.receipts.lastHour).toEqual({
      ...{ delivered: 1, undelivered: 1, "no-receipt": 1 },
    });
  });

  it("are right when D1 breaks off after each commit and the call is repeated", async () => {
    const texts = await send(20);
    const { deps } = at.world;
    at.world.deps = { ...deps, db: failingDatabase(deps.db, 1, "after") };
    vi.spyOn(Math, "random").mockReturnValue(0);
    await report(texts, (place) => (place < 4 ? "30003" : undefined));
    at.world.deps = deps;
    expect(await counted()).toEqual([
      { sender: OURS, reason: "", code: "", count: 16 },
      { sender: OURS, reason: "UNDELIVERED", code: "30003", count: 4 },
    ]);
  });

  it("have a receipt that comes before the answer to its submission", async () => {
    at.world.advance(7.123);
    at.answer = async (submitted) => {
      await at.receipt(submitted, "delivered");
      return twilio.accepts();
    };
    await send(3);
    expect(await counted()).toEqual([{ sender: OURS, reason: "", code: "", count: 3 }]);
    at.world.advance(20 * MINUTE);
    await at.world.sweep();
    expect((await look()).problems).toEqual([]);
  });

  it("are of the texts of the last hour: the failure of a text of yesterday says nothing of today", async () => {
    const texts = await send(40);
    at.world.advance(61 * MINUTE);
    await at.world.sweep();
    await report(texts, () => "30003");
    expect(await counted()).toEqual([]);
    expect((await look()).problems).toEqual([]);
  });

  it("are deleted after the hour", async () => {
    await report(await send(2));
    at.world.advance(66 * MINUTE);
    await at.world.sweep();
    expect(await counted()).toEqual([]);
  });
});

describe("no receipt", () => {
  it("is not told of while nobody knows the receipts", async () => {
    await send(30);
    at.world.advance(20 * MINUTE);
    await at.world.sweep();
    await at.world.rows("DROP TABLE counts");
    const { problems, carriers } = await look();
    expect(problems).toEqual(["state-incomplete"]);
    expect(carriers.find(({ carrier }) => carrier === "twilio")?.receipts.lastHour).toEqual({
      ...{ delivered: null, undelivered: null, "no-receipt": null },
    });
  });
});

it("the counts of several databases add up: neither has enough for a problem of its own", async () => {
  const { world } = at;
  await bindDatabases(world, 2);
  await world.sweep();
  world.advance(11 * MINUTE);
  await world.sweep();
  await world.website("second", { carrier: "twilio", sender: OURS, database: "DB_2" });
  await world.subscribers("second", [ADA]);
  const second = await world.client("second");
  await report(await send(3), () => "30007");
  expect((await look()).problems).not.toContain("deliveries-failing");
  await report(await send(3, second), () => "30007");
  expect(await rowsOf("DB_2", COUNTED)).toMatchObject([{ sender: OURS, count: 3 }]);
  expect(await counted()).toEqual([{ sender: OURS, reason: "CARRIER_FILTERED", code: "30007", count: 3 }]);
  const { details, carriers } = await look();
  expect(details.filter(({ problem }) => problem === "deliveries-failing")).toMatchObject([
    { sender: OURS, cause: "CARRIER_FILTERED, 30007 × 6 of 6" },
  ]);
  expect(carriers.find(({ carrier }) => carrier === "twilio")?.receipts.lastHour.undelivered).toBe(6);
});

it("an alert names the sender and the cause, and ends with the first text that arrives", async () => {
  const { world } = at;
  const alerts: { type: string; text: string }[] = [];
  const outside = vi.mocked(globalThis.fetch).getMockImplementation() as typeof fetch;
  vi.mocked(globalThis.fetch).mockImplementation(async (url, init) => {
    if (url !== "https://hooks.example.com/") return outside(url as string, init);
    alerts.push(JSON.parse(String(init?.body)));
    return new Response("");
  });
  world.deps = { ...world.deps, config: { ...world.deps.config, alertUrl: "https://hooks.example.com/" } };
  await report(await send(30), () => "30034");
  for (let minute = 0; minute < 3; minute++) {
    world.advance(MINUTE);
    await world.sweep();
  }
  await report(await send(1));
  world.advance(MINUTE);
  await world.sweep();
  expect(alerts.map(({ text }) => text)).toEqual([
    `Textgate: Problem: deliveries-failing (twilio, sender ${OURS}, CARRIER_FILTERED, 30034 × 30 of 30). What to do: https://sms.example.com/docs/operator#deliveries-failing`,
    `Textgate: Over after 3 minutes: deliveries-failing (twilio ${OURS})`,
  ]);
});

it("metrics have what became of the texts of the last five minutes", async () => {
  await report((await send(6)).slice(0, 5), (place) => (place < 2 ? "30003" : undefined));
  const text = await (await at.world.operator("GET", "/metrics")).text();
  for (const [outcome, count] of [
    ["delivered", 3],
    ["undelivered", 2],
    ["no-receipt", 1],
  ])
    expect(text).toContain(`textgate_receipts_5m{carrier="twilio",outcome="${outcome}"} ${count}\n`);
  expect(text).toContain('textgate_problem{problem="deliveries-failing"} 0\n');
  expect(text).toContain('textgate_problem{problem="receipts-missing"} 0\n');
  expect(text).not.toContain(OURS);
});
