/** What the words of an SMSC make of a receipt, beside the type that Kannel gives it. */
import { expect, it } from "vitest";
import { stripWords } from "../../src/domain/messages/carrier-words.ts";
import { failureReason } from "../../src/domain/messages/receipt.ts";
import { accepted, carrierOf, requestOf } from "./alone.ts";
import { kannel } from "./kannel.ts";

const FAILED = "FAILED_TO_DELIVERY";
const receiptOf = (state: string) =>
  `id:1 sub:001 dlvrd:000 submit date:2611281200 done date:2611281201 ${state} err:034`;

it.each<[type: string, answer: string, status: string, reason: string | null, code: string | undefined]>([
  ["1", receiptOf("stat:DELIVRD"), "DELIVERED", null, undefined],
  ["2", receiptOf("stat:UNDELIV"), FAILED, "kannel: undelivered: …", "034"],
  ["2", receiptOf("stat:EXPIRED"), FAILED, "kannel: undelivered: …", "034"],
  ["34", receiptOf("stat:EXPIRED"), FAILED, "kannel: undelivered: …", "034"],
  ["2", receiptOf("stat:REJECTD"), FAILED, "kannel: undelivered: …", "034"],
  ["2", receiptOf("stat:UNKNOWN"), "SENDING", null, undefined],
  ["2", receiptOf("stat: unknown"), "SENDING", null, undefined],
  ["2", receiptOf("stat: DELIVRD"), "DELIVERED", null, undefined],
  ["2", receiptOf("stat:ACCEPTD"), "SENDING", null, undefined],
  ["2", receiptOf("stat:WHATEVER"), FAILED, "kannel: undelivered: …", "034"],
  ["2", `${receiptOf("stat:UNDELIV")} text:stat:UNKNOWN`, FAILED, "kannel: undelivered: …", "034"],
  ["2", "", FAILED, "kannel: undelivered", undefined],
  ["8", receiptOf("stat:UNKNOWN"), "SENDING", null, undefined],
  ["16", "NACK/0x0000000b/Invalid Destination Address", FAILED, "kannel: refused by the SMSC: …", "0xb"],
  ["16", "NACK/0x00000400/Vendor-specific error", FAILED, "kannel: refused by the SMSC: …", "0x400"],
  ["16", "NACK/0x00000500/Vendor-specific error", FAILED, "kannel: refused by the SMSC: …", "0x500"],
  ["16", "NACK/", FAILED, "kannel: a part was refused by the SMSC: …", undefined],
  ["16", "", FAILED, "kannel: refused by the SMSC", undefined],
])("type %s, %s: %s", async (type, answer, status, reason, code) => {
  const { receiptUrl } = await accepted(kannel);
  const url = receiptUrl.replace("%d", type).replace("%A", encodeURIComponent(answer));
  const verified = await carrierOf(kannel).readReceipts(requestOf({ method: "GET", url, headers: {} }));
  const [receipt] = verified.kind === "verified" ? verified.reports : [];
  const words = receipt?.reason === null ? null : receipt?.reason.replace(/: [^:]*(id:|NACK).*$/, ": …");
  expect([receipt?.status, words, receipt?.carrierCode]).toEqual([status, reason, code]);
});

it("keeps the code of a refusal in the words, and nothing else that may be a number", () => {
  const said = (words: string) => stripWords(`kannel: refused by the SMSC: ${words}`);
  expect(said("NACK/0x0000000b/Invalid Destination Address")).toContain("NACK/0x0000000b/Invalid");
  expect(said("NACK/0x00000400/of 12125550100")).toBe("kannel: refused by the SMSC: NACK/0x00000400/of …00");
  expect(said("NACK/12125550100")).not.toContain("2125550");
});

it("says of a text that has expired at the gateway nothing about the number", async () => {
  const { receiptUrl } = await accepted(kannel);
  const url = receiptUrl.replace("%d", "16").replace("%A", encodeURIComponent("NACK/validity expired"));
  const verified = await carrierOf(kannel).readReceipts(requestOf({ method: "GET", url, headers: {} }));
  const [receipt] = verified.kind === "verified" ? verified.reports : [];
  expect(receipt && failureReason(receipt)).toBe("SENDER_LIMIT");
});
