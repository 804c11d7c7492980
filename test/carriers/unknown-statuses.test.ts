/** A receipt with a status that is in no table changes nothing, and the operator learns of it from one line of the log. */
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { ADA, CARRIERS, CarrierWorld, mockSockets } from "./carrier-world.ts";
import { kannel } from "./kannel.ts";
import { twilio } from "./twilio.ts";

mockSockets();

let at: CarrierWorld;

afterEach(() => {
  vi.restoreAllMocks();
});

/** The lines about statuses, without what every line has. */
function linesOf({ world }: CarrierWorld): Record<string, unknown>[] {
  return world.logs
    .map((line) => JSON.parse(line) as Record<string, unknown>)
    .filter(({ event }) => event === "receipt.status-unknown")
    .map(({ time, requestId, event, ...fields }) => {
      expect(requestId).toMatch(/^[0-9a-f-]{36}$/);
      return fields;
    });
}

describe.each(CARRIERS)("$name", (carrier) => {
  beforeEach(async () => {
    at = await CarrierWorld.create(carrier);
  });

  it.each(["unheard-of", "", "constructor"])("reports %j: one line names the message", async (status) => {
    const submitted = await at.submit();
    const before = await at.message(submitted.messageId);
    expect((await at.receipt(submitted, status)).status).toBe(200);
    expect(linesOf(at)).toEqual([{ level: "warn", carrier: carrier.name, status, messageId: submitted.messageId }]);
    expect(await at.message(submitted.messageId)).toEqual(before);
    expect(await at.events(submitted.messageId)).toEqual(["SENDING"]);
  });

  it("reports a number or a text in the place of a status: the log has none of it", async () => {
    const submitted = await at.submit();
    const texts = [ADA, ADA.slice(1), "212 555 0100", "ada@example.com", "a b", "x".repeat(41), "1234"];
    for (const text of texts) await at.receipt(submitted, text);
    const line = { level: "warn", carrier: carrier.name, status: "(no word)", messageId: submitted.messageId };
    expect(linesOf(at)).toEqual(texts.map(() => line));
  });

  it("reports what it knows: there is no such line", async () => {
    const submitted = await at.submit();
    for (const status of Object.keys(carrier.statuses)) await at.receipt(submitted, status);
    expect(linesOf(at)).toEqual([]);
  });
});

describe("Kannel's type", () => {
  beforeEach(async () => {
    at = await CarrierWorld.create(kannel);
  });

  it.each([
    "-1",
    "0",
    "-2",
    "128",
    "129",
    "255",
    "65535",
    "4294967297",
    "1.0",
    "1.5",
    "1e0",
    "0x1",
    "%20 1",
    "%2B1",
    "1,2",
    "%25d",
    "NaN",
    "",
    "64",
    "96",
  ])("changes nothing where it is no mask, or has none of the bits that mean something: %s", async (type) => {
    const submitted = await at.submit();
    expect((await at.receipt(submitted, type)).status).toBe(200);
    expect(await at.events(submitted.messageId)).toEqual(["SENDING"]);
    expect((await at.message(submitted.messageId)).status).toBe("SENDING");
    expect(linesOf(at)).toHaveLength(1);
  });

  it.each([
    ["1", "DELIVERED"],
    ["3", "DELIVERED"],
    ["65", "DELIVERED"],
    ["127", "DELIVERED"],
    ["2", "FAILED_TO_DELIVERY"],
    ["34", "FAILED_TO_DELIVERY"],
    ["66", "FAILED_TO_DELIVERY"],
    ["126", "FAILED_TO_DELIVERY"],
    ["16", "FAILED_TO_DELIVERY"],
    ["12", "SENDING"],
  ])("is a mask of seven bits: %s means %s", async (type, status) => {
    const submitted = await at.submit();
    await at.receipt(submitted, type);
    expect((await at.message(submitted.messageId)).status).toBe(status);
    expect(linesOf(at)).toEqual([]);
  });
});

describe("Twilio's partially_delivered", () => {
  it("counts as delivered: something of it has arrived, and it is not sent again", async () => {
    at = await CarrierWorld.create(twilio);
    const submitted = await at.submit();
    await at.receipt(submitted, "partially_delivered");
    await at.world.runQueues();
    expect(await at.message(submitted.messageId)).toMatchObject({ status: "DELIVERED", reason: null });
    expect(at.callbacks[submitted.messageId]).toEqual(["SENDING", "DELIVERED"]);
  });
});
