/** What carriers say of opt-outs, beside what people text: once, in its order, and counted once. */
import { afterEach, describe, expect, it, vi } from "vitest";
import { countsOf } from "../counted.ts";
import { failingDatabase } from "../failing-database.ts";
import { ADA, CarrierWorld, mockSockets } from "./carrier-world.ts";
import { kannel } from "./kannel.ts";
import { twilio } from "./twilio.ts";

mockSockets();

let at: CarrierWorld;

afterEach(() => {
  at.expectPublished();
  vi.restoreAllMocks();
});

/** The carrier's own id of a text. */
const START = crypto.randomUUID();

const isSubscribed = async () => (await at.person(ADA)).subscribed;

describe("a carrier", () => {
  it("brings a START again that came before a STOP: the person stays opted out", async () => {
    vi.spyOn(Math, "random").mockReturnValue(0); // the store is asked again at once
    at = await CarrierWorld.create(kannel);
    const said = (words: string, id: string | undefined, now: number) =>
      at.inbound(words, { id: id ?? crypto.randomUUID(), more: { ts: String(now / 1000) } });
    await said("STOP", undefined, at.world.now);
    at.world.advance(60);
    const { deps, now } = at.world;
    at.world.deps = { ...deps, db: failingDatabase(deps.db, Number.POSITIVE_INFINITY, "before") };
    expect((await said("START", START, now)).status).toBe(503);
    at.world.deps = deps;
    at.world.advance(60);
    expect((await said("STOP", undefined, at.world.now)).status).toBe(200);
    at.world.advance(60);
    expect((await said("START", START, now)).status).toBe(200);
    expect(await isSubscribed()).toBe(false);
    at.world.advance(60);
    await said("START", undefined, at.world.now);
    expect(await isSubscribed()).toBe(true);
  });
});

describe("a carrier that blocks whoever has texted STOP", () => {
  const optedOut = async () => {
    const report = await at.world.operator("GET", "/websites/brand/report?by=purpose");
    const { rows } = (await report.json()) as { rows: { sendPurpose: string; optedOut: number }[] };
    return [rows.map((row) => [row.sendPurpose, row.optedOut]), (await countsOf(at.world)).optedOut];
  };

  it("refuses the confirmation of a STOP: the opt-out is counted once, of the text that it answered", async () => {
    at = await CarrierWorld.create(twilio);
    await at.submit();
    at.world.advance(60);
    await at.inbound("STOP");
    at.answer = () => twilio.optOut?.refusal() as Response;
    await at.world.runQueues();
    expect(await at.person(ADA)).toMatchObject({ subscribed: false, optedOutByPerson: true });
    expect(await optedOut()).toEqual([[["spring-sale_01", 1]], 1]);
  });

  it("reports of two texts that were blocked: one opt-out is counted", async () => {
    at = await CarrierWorld.create(twilio);
    const [first, second] = [await at.submit(), await at.submit({ text: "Brand: once more" })];
    const { status, error } = twilio.optOut?.receipt ?? { status: "" };
    for (const one of [first, second, second]) await at.receipt(one, status, error);
    expect(await isSubscribed()).toBe(false);
    const [rows, count] = await optedOut();
    expect([rows, count]).toEqual([[["spring-sale_01", 1]], 1]);
  });

  it("reports of the text that the person has answered with STOP, after their START: the opt-out counts, and once", async () => {
    at = await CarrierWorld.create(twilio);
    const message = await at.submit();
    const { status, error } = twilio.optOut?.receipt ?? { status: "" };
    at.world.advance(60);
    for (const words of ["STOP", "START"]) await at.inbound(words);
    expect(await isSubscribed()).toBe(true);
    await at.receipt(message, status, error);
    expect(await isSubscribed()).toBe(false);
    expect((await optedOut())[1]).toBe(1);
  });

  it("reports of a text after the START of its person: the opt-out counts, as it is stored later", async () => {
    at = await CarrierWorld.create(twilio);
    const [first, second] = [await at.submit(), await at.submit({ text: "Brand: once more" })];
    const { status, error } = twilio.optOut?.receipt ?? { status: "" };
    await at.receipt(first, status, error);
    at.world.advance(60);
    await at.inbound("START");
    expect(await isSubscribed()).toBe(true);
    await at.receipt(second, status, error);
    expect(await isSubscribed()).toBe(false);
  });
});
