/** A receipt with a status that is in no table changes nothing, and the operator learns of it from one line of the log. */
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { ADA, CarrierWorld, mockSockets } from "./carrier-world.ts";
import { kannel } from "./kannel.ts";

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

describe("a carrier", () => {
  beforeEach(async () => {
    at = await CarrierWorld.create(kannel);
  });

  it.each(["unheard-of", "", "constructor"])("reports %j: one line names the message", async (status) => {
    const submitted = await at.submit();
    const before = await at.message(submitted.messageId);
    expect((await at.receipt(submitted, status)).status).toBe(200);
    expect(linesOf(at)).toEqual([{ level: "warn", carrier: "kannel", status, messageId: submitted.messageId }]);
    expect(await at.message(submitted.messageId)).toEqual(before);
    expect(await at.events(submitted.messageId)).toEqual(["SENDING"]);
  });

  it("reports a number or a text in the place of a status: the log has none of it", async () => {
    const submitted = await at.submit();
    const texts = [ADA, ADA.slice(1), "212 555 0100", "ada@example.com", "a b", "x".repeat(41), "1234"];
    for (const text of texts) await at.receipt(submitted, text);
    const line = { level: "warn", carrier: "kannel", status: "(no word)", messageId: submitted.messageId };
    expect(linesOf(at)).toEqual(texts.map(() => line));
  });

  it("reports what it knows: there is no such line", async () => {
    const submitted = await at.submit();
    for (const status of Object.keys(kannel.statuses)) await at.receipt(submitted, status);
    expect(linesOf(at)).toEqual([]);
  });
});
