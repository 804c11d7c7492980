/** What Kannel's receipts say, as the real gateway has sent them. */
import { expect, it } from "vitest";
import { readReport } from "../../src/carriers/kannel-receipt.ts";
import { cutReceipt } from "../../src/domain/messages/receipt.ts";
import kannel from "./fixtures/kannel-receipts.json" with { type: "json" };

function read(query: string) {
  const given = new URLSearchParams(query);
  const [type = "", answer = "", meta = ""] = ["type", "answer", "meta"].map((name) => given.get(name) ?? "");
  const receipt = readReport("m", { type, answer, meta });
  return receipt && cutReceipt(receipt);
}

it.each(kannel.receipts)("$name", ({ query, expected }) => {
  expect(read(query)).toEqual({ messageId: "m", carrierMessageId: null, optedOut: false, ...expected });
});

it.each([
  ["stat:UNDELIV", "FAILED_TO_DELIVERY"],
  ["stat: REJECTD", "FAILED_TO_DELIVERY"],
  ["stat:DELETED", "FAILED_TO_DELIVERY"],
  ["stat:expired", "FAILED_TO_DELIVERY"],
  ["stat:UNDELIVERABLE", "FAILED_TO_DELIVERY"],
  ["stat:FAILED", "FAILED_TO_DELIVERY"],
  ["no state", "FAILED_TO_DELIVERY"],
  ["stat: DELIVRD", "DELIVERED"],
  ["stat:\tDelivered", "DELIVERED"],
  ["stat:UNKNOWN", "SENDING"],
  ["stat: ACCEPTD", "SENDING"],
  ["stat:ENROUTE", "SENDING"],
  ["stat:SKIPPED", "SENDING"],
  ["err:034 text:stat:DELIVRD", "FAILED_TO_DELIVERY"],
])("type 2 with %j is %s", (answer, status) => {
  expect(read(`${new URLSearchParams({ type: "2", answer })}`)?.status).toBe(status);
});

/** `%D` as Kannel fills it in: `?smpp?dlr_err=`, and three octets as a URL writes them. */
it.each([
  ["%03%00%22", "034"],
  ["%03%01%90", "400"],
  ["%03%00A", "065"],
  ["%03%00+", "032"],
  ["%03%FF%FF", "65535"],
  ["%03%00%00", undefined],
  ["%03%00", undefined],
  ["", undefined],
])("the octets %j are the code %s, unless the answer has one", (octets, code) => {
  const meta = `?orig_msg?dlr_mask=31&?smpp?dlr_err=${octets}&`;
  expect(read(`${new URLSearchParams({ type: "2", meta })}`)?.carrierCode).toBe(code);
  expect(read(`${new URLSearchParams({ type: "2", answer: "err:0A2", meta })}`)?.carrierCode).toBe("0A2");
});

it.each([
  ["stat:UNDELIV err:034", "034"],
  ["stat: UNDELIV err: 034", "034"],
  ["stat: UNDELIV ERR: 0A2 text: Hello", "0A2"],
  ["err: stat: UNDELIV", undefined],
  ["stat: UNDELIV err: text: 034", undefined],
])("the answer %j has the code %s", (answer, code) => {
  expect(read(`${new URLSearchParams({ type: "2", answer })}`)?.carrierCode).toBe(code);
});

it.each([
  ["0x00000400", "0x500", "0x400"],
  ["0x0000000b", "0x0c", "0x0b"],
  ["0x00000058", "0x59", "0x58"],
])("the status %s of a refusal is told from another", (status, other, code) => {
  const receipt = read(`${new URLSearchParams({ type: "16", answer: `NACK/${status}/Name` })}`);
  expect(receipt).toMatchObject({ carrierCode: code, reason: `kannel: refused by the SMSC: NACK/${code}/Name` });
  expect(receipt?.reason).not.toContain(other);
});
