/** Into how many segments a text is cut: what a carrier charges for. */
import { afterEach, describe, expect, it, vi } from "vitest";
import { countSegments } from "../../src/domain/messages/segments.ts";
import { CARRIERS, CarrierWorld, mockSockets } from "./carrier-world.ts";

mockSockets();

afterEach(() => {
  vi.restoreAllMocks();
});

const gsm = (segments: number) => ({ encoding: "GSM-7", segments });
const ucs = (segments: number) => ({ encoding: "UCS-2", segments });

describe("a text", () => {
  it.each([
    ["of one letter", "x", gsm(1)],
    ["of 160 letters", "x".repeat(160), gsm(1)],
    ["of 161", "x".repeat(161), gsm(2)],
    ["of 306", "x".repeat(306), gsm(2)],
    ["of 307", "x".repeat(307), gsm(3)],
    ["of 459", "x".repeat(459), gsm(3)],
    ["of 460", "x".repeat(460), gsm(4)],
    ["of 1600", "x".repeat(1600), gsm(11)],
    ["of every letter of GSM 03.38", "@£$¥èéùìòÇØøÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ¤¡ÄÖÑÜ§¿äöñüà\n\r", gsm(1)],
    ["of 80 characters of the extension table, which count twice", "€".repeat(80), gsm(1)],
    ["of 81 of them", "€".repeat(81), gsm(2)],
    ["with one at the edge of 160", `${"x".repeat(159)}€`, gsm(2)],
    ["with one that would be cut in two at the edge of 153", `${"x".repeat(152)}€${"x".repeat(152)}`, gsm(3)],
    ["of the whole extension table", "^{}\\[~]|€", gsm(1)],
    ["of 70 letters outside of it", "ш".repeat(70), ucs(1)],
    ["of 71", "ш".repeat(71), ucs(2)],
    ["of 134", "ш".repeat(134), ucs(2)],
    ["of 135", "ш".repeat(135), ucs(3)],
    ["of 160 letters with one outside of it", `${"x".repeat(159)}ш`, ucs(3)],
    ["with a typographer's quotation mark", "It’s", ucs(1)],
    ["with a letter that looks like one of GSM 03.38", "ç", ucs(1)],
    ["of 35 emoji, each of two units", "👍".repeat(35), ucs(1)],
    ["of 36 emoji", "👍".repeat(36), ucs(2)],
    ["of 66 emoji, none of which is cut in two", "👍".repeat(66), ucs(2)],
    ["of 67 emoji", "👍".repeat(67), ucs(3)],
  ])("%s", (_, text, expected) => {
    expect(countSegments(text)).toEqual(expected);
  });

  it("is stored with its message, and the operator sees its segments", async () => {
    const at = await CarrierWorld.create(CARRIERS[0] as (typeof CARRIERS)[number]);
    for (const [text, expected] of [["x".repeat(161), gsm(2)] as const, ["Grüße 👍", ucs(1)] as const]) {
      const { messageId } = await at.submit({ text });
      const rows = await at.world.rows("SELECT encoding, segments FROM messages WHERE message_id = ?1", messageId);
      expect(rows).toEqual([expected]);
      expect(await at.message(messageId)).toMatchObject(expected);
    }
  });

  it("of a confirmation has its segments too", async () => {
    const at = await CarrierWorld.create(CARRIERS[0] as (typeof CARRIERS)[number]);
    await at.inbound("STOP");
    await at.world.runQueues();
    expect(await at.message(at.submitted[0]?.messageId ?? "")).toMatchObject(gsm(1));
  });
});
