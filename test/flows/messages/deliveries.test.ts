/** The service knows whether texts arrive: what carriers report through their own calls is counted, and a problem once it must be. */
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { ProblemDetail, ServiceState } from "../../../src/domain/operations/problems.ts";
import { ADA, CARRIERS, CarrierWorld, mockSockets, OURS } from "../../carriers/carrier-world.ts";
import type { Submitted, TestCarrier } from "../../carriers/test-carrier.ts";
import { twilio } from "../../carriers/twilio.ts";
import { bindDatabases, rowsOf } from "../../databases.ts";
import { failingDatabase } from "../../failing-database.ts";
import { SEND } from "../../world.ts";

mockSockets();

const MINUTE = 60;

let at: CarrierWorld;

async function begin(carrier: TestCarrier): Promise<void> {
  at = await CarrierWorld.create(carrier);
  await at.world.sweep();
}

beforeEach(() => begin(twilio));

afterEach(() => {
  vi.restoreAllMocks();
});

const look = async () => (await at.world.operator("GET", "/health")).json() as Promise<ServiceState>;
const details = async () =>
  (await look()).details.map(({ problem, carrier, sender, cause }) => [problem, carrier, sender, cause]);

/** Texts in one request, submitted. */
async function send(count: number, client = at.client): Promise<Submitted[]> {
  const before = at.submitted.length;
  const messages = Array.from({ length: count }, () => ({ ...SEND, phone: ADA }));
  expect((await at.world.post("/text/bulk/message/send", client, { messages })).status).toBe(200);
  await at.world.runQueues();
  return at.submitted.slice(before);
}

/** Each receipt comes by a call of its own, and they are applied together. @param error of a text; undefined: it was delivered */
async function report(
  texts: Submitted[],
  error: (place: number) => string | undefined = () => undefined,
): Promise<void> {
  for (const [place, text] of texts.entries()) {
    const code = error(place);
    const given = code === undefined ? { status: at.carrier.delivered } : { status: at.carrier.failed, error: code };
    expect((await at.call(await at.carrier.receipt(text, given, at.world.now))).status).toBe(200);
  }
  await at.world.runReceipts();
}

const COUNTED = `SELECT detail ->> 1 AS sender, detail ->> 2 AS reason, detail ->> 3 AS code, sum(count) AS count
  FROM counts WHERE kind = 'receipt' GROUP BY 1, 2, 3 ORDER BY count DESC`;

const counted = () => at.world.rows(COUNTED);

describe.each(CARRIERS)("$name", (carrier) => {
  beforeEach(() => begin(carrier));

  it("takes 30 texts, and none arrives: that is a problem, until one arrives", async () => {
    const texts = await send(30);
    at.world.advance(10);
    expect((await look()).problems).toEqual([]);
    await report(texts, () => (carrier === twilio ? "30034" : "40010"));
    const expected = {
      twilio: "CARRIER_FILTERED, 30034",
      telnyx: "CARRIER_FILTERED, 40010",
      kannel: "UNDELIVERED, 001",
    };
    expect(await details()).toEqual([
      ["deliveries-failing", carrier.name, OURS, `${expected[carrier.name]} × 30 of 30`],
    ]);
    expect((await look()).carriers.find((it) => it.carrier === carrier.name)).toMatchObject({
      lastFiveMinutes: { accepted: 30 },
      receipts: { lastFiveMinutes: { delivered: 0, undelivered: 30, "no-receipt": 0 } },
    });
    at.world.advance(1);
    await report(await send(1));
    expect((await look()).problems).toEqual([]);
  });

  it("gives no receipt: that is a problem 17 minutes after the fifth text, until one comes", async () => {
    const texts = await send(5);
    at.world.advance(15 * MINUTE);
    await at.world.sweep();
    expect((await look()).problems).toEqual([]);
    at.world.advance(2 * MINUTE);
    await at.world.sweep();
    expect(await details()).toEqual([
      ["receipts-missing", carrier.name, null, "no receipt of 5 texts within 15 minutes"],
    ]);
    const state = await look();
    expect(state.carriers.find((it) => it.carrier === carrier.name)?.receipts.lastHour).toEqual({
      ...{ delivered: 0, undelivered: 0, "no-receipt": 5 },
    });
    await report(texts.slice(0, 1));
    expect((await look()).problems).toEqual([]);
  });
});

it.each<[string, number, number, boolean]>([
  ["5 of 5 on a quiet night", 5, 5, true],
  ["40 of 100", 100, 40, true],
  ["2 of 2", 2, 2, false],
  ["10 of 100", 100, 10, false],
  ["15 of 100", 100, 15, false],
])("%s: of %i texts, %i to numbers that are none", async (_, all, wrong, isProblem) => {
  const texts = await send(all);
  const step = all / wrong;
  await report(texts, (place) => (Math.floor((place + 1) / step) > Math.floor(place / step) ? "30005" : undefined));
  const expected = isProblem ? [["deliveries-failing", "twilio", OURS, `UNDELIVERED, 30005 × ${wrong} of ${all}`]] : [];
  expect(await details()).toEqual(expected);
});

describe("two websites of one carrier", () => {
  it("have a problem each by its sender, and the small one is not lost beside the large one", async () => {
    const { world } = at;
    await world.website("small", { carrier: "twilio", sender: "+16465550001" });
    await world.subscribers("small", [ADA]);
    const small = await world.client("small");
    await report(await send(80), (place) => (place % 10 === 0 ? "30003" : undefined));
    await report(await send(6, small), (place) => (place === 0 ? "30003" : "30007"));
    expect(await details()).toEqual([
      ["deliveries-failing", "twilio", "+16465550001", "CARRIER_FILTERED, 30007 × 5 of 6"],
    ]);
    const { senders } = await look();
    expect(senders).toEqual([
      {
        ...{ carrier: "twilio", sender: OURS, cause: "UNDELIVERED, 30003 × 8 of 80" },
        ...{ lastFiveMinutes: { delivered: 72, undelivered: 8 }, lastHour: { delivered: 72, undelivered: 8 } },
      },
      {
        ...{ carrier: "twilio", sender: "+16465550001", cause: "CARRIER_FILTERED, 30007 × 5 of 6" },
        ...{ lastFiveMinutes: { delivered: 0, undelivered: 6 }, lastHour: { delivered: 0, undelivered: 6 } },
      },
    ]);
  });
});

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
  it("of single texts beside others that have theirs is no problem", async () => {
    for (let quarter = 0; quarter < 3; quarter++) {
      await send(1);
      at.world.advance(MINUTE);
      await report(await send(10));
      await at.world.runQueues();
      at.world.advance(14 * MINUTE);
      await at.world.sweep();
      expect((await look()).problems).toEqual([]);
    }
    await send(4);
    await at.world.runQueues();
    at.world.advance(30 * MINUTE);
    await at.world.sweep();
    expect((await look()).problems).toEqual([]);
  });

  it("since a deploy is a problem, although texts of before still get theirs, and says since when", async () => {
    const before = await send(20);
    await report(before.slice(0, 10));
    for (let minute = 5; minute <= 40; minute += 5) {
      at.world.advance(5 * MINUTE);
      await send(5);
      if (minute === 10) await report(before.slice(10, 11));
      await at.world.sweep();
    }
    const { details } = await look();
    const [missing] = details as [ProblemDetail];
    expect(details).toHaveLength(1);
    expect(missing).toMatchObject({
      problem: "receipts-missing",
      carrier: "twilio",
      since: "2026-11-21T12:10:00.000Z",
    });
  });

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
