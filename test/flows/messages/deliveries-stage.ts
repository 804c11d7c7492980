// Texts at a carrier, whose receipts come by its own calls.
import { beforeEach, expect, it } from "vitest";
import type { ServiceState } from "../../../src/domain/operations/problems.ts";
import { ADA, CarrierWorld, OURS } from "../../carriers/carrier-world.ts";
import type { Submitted, TestCarrier } from "../../carriers/test-carrier.ts";
import { twilio } from "../../carriers/twilio.ts";
import { SEND } from "../../world.ts";

export const MINUTE = 60;
export let at: CarrierWorld;

async function begin(carrier: TestCarrier): Promise<void> {
  at = await CarrierWorld.create(carrier);
  await at.world.sweep();
}

export const beginWithTwilio = () => begin(twilio);

export const look = async () => (await at.world.operator("GET", "/health")).json() as Promise<ServiceState>;

export const details = async () =>
  (await look()).details.map(({ problem, carrier, sender, cause }) => [problem, carrier, sender, cause]);

/** Texts in one request, submitted. */
export async function send(count: number, client = at.client): Promise<Submitted[]> {
  const before = at.submitted.length;
  const messages = Array.from({ length: count }, () => ({ ...SEND, phone: ADA }));
  expect((await at.world.post("/text/bulk/message/send", client, { messages })).status).toBe(200);
  await at.world.runQueues();
  return at.submitted.slice(before);
}

/** Each receipt comes by a call of its own, and they are applied together. @param error of a text; undefined: it was delivered */
export async function report(
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

/** So many of all texts are to numbers that are none, spread over them. */
export async function expectUndelivered(all: number, wrong: number, isProblem: boolean): Promise<void> {
  const texts = await send(all);
  const step = all / wrong;
  await report(texts, (place) => (Math.floor((place + 1) / step) > Math.floor(place / step) ? "30005" : undefined));
  const expected = isProblem ? [["deliveries-failing", "twilio", OURS, `UNDELIVERED, 30005 × ${wrong} of ${all}`]] : [];
  expect(await details()).toEqual(expected);
}

/** What becomes of the texts of one carrier, by its own receipts. */
export function testCarrier(carrier: TestCarrier): void {
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
}
