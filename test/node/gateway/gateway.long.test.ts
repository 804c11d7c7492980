/** Proves the fixture itself: our SMSC simulator, a real Kannel, and an HTTP receiver in the place of Textgate. */

import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { decodeText, rawParameter } from "../../../src/carriers/charset.ts";
import { readReport } from "../../../src/carriers/kannel-receipt.ts";
import { KANNEL_INSTALL_HINT, type Kannel, kannelInstalled, startKannel } from "./kannel.ts";
import { type Call, type Receiver, startReceiver } from "./receiver.ts";
import { reassemble, type SmscSimulator, startSmscSimulator } from "./smsc-simulator.ts";

const RECEIPT_DELAY_MS = 100;
const WAIT_MS = 60_000;
/** Long enough for a call that should not come to have come. */
const SETTLE_MS = 3 * RECEIPT_DELAY_MS;

/** The bits of Kannel's %d. */
const Report = { delivered: 1, failed: 2, buffered: 4, submitted: 8, refused: 16, expired: 32 } as const;
const EVERY_REPORT = 31;

const SENDER = "15005550001";
const PHONE = "15005550006";

const installed = kannelInstalled();
if (!installed) {
  console.warn(`SKIPPED: the gateway tests, because Kannel is not installed. To run them: ${KANNEL_INSTALL_HINT}`);
}

describe.skipIf(!installed)("Kannel and the SMSC simulator", () => {
  let smsc: SmscSimulator;
  let receiver: Receiver;
  let kannel: Kannel;
  let messageCount = 0;

  beforeAll(async () => {
    smsc = await startSmscSimulator({ receiptDelayMs: RECEIPT_DELAY_MS });
    receiver = await startReceiver();
    const inboundUrl = `${receiver.url}/inbound?key=k1&from=%p&to=%P&text=%b&charset=%C&coding=%c&id=%I&ts=%T`;
    kannel = await startKannel({ smscPort: smsc.port, inboundUrl, store: true });
  });

  afterAll(async () => {
    await kannel?.stop();
    await receiver?.close();
    await smsc?.close();
  });

  async function send(to: string, text: string, headers: Record<string, string> = {}) {
    const ref = `m${++messageCount}`;
    const response = await fetch(kannel.sendSmsUrl, {
      method: "POST",
      headers: {
        "content-type": "text/plain; charset=UTF-8",
        "x-kannel-username": kannel.username,
        "x-kannel-password": kannel.password,
        "x-kannel-from": SENDER,
        "x-kannel-to": to,
        "x-kannel-dlr-mask": String(EVERY_REPORT),
        "x-kannel-dlr-url": `${receiver.url}/receipt?ref=${ref}&type=%d&answer=%A&meta=%D&id=%F`,
        ...headers,
      },
      body: text,
    });
    return { ref, status: response.status, body: await response.text() };
  }

  const receipts = (ref: string): Call[] =>
    receiver.calls.filter(({ path, query }) => path === "/receipt" && query.ref === ref);

  const reports = (ref: string): number[] =>
    receipts(ref)
      .filter((call) => call.status === 200)
      .map((call) => Number(call.query.type));

  const reported = (ref: string, report: number) =>
    until(`report ${report} about ${ref}`, () => reports(ref).includes(report));

  const submitsTo = (to: string) => smsc.submits.filter((submit) => submit.to === to);

  const inboundCalls = () => receiver.calls.filter((call) => call.path === "/inbound").map((call) => call.query);

  async function receiveInbound(text: string) {
    const before = inboundCalls().length;
    expect(await smsc.sendInbound({ from: PHONE, to: SENDER, text })).toBe(true);
    await until("the get-url call", () => inboundCalls().length > before);
    return inboundCalls()[before];
  }

  it("tells the SMSC for how many minutes a message is valid", async () => {
    const before = Date.now();
    for (const [to, headers] of [
      ["15005551021", { "x-kannel-validity": "90" }],
      ["15005551022", {}],
    ] as const) {
      const { ref } = await send(to, "valid", headers);
      await reported(ref, Report.delivered);
    }
    const [given, none] = ["15005551021", "15005551022"].map((to) => submitsTo(to)[0]?.validity ?? "");
    const [, year, month, day, hour, minute, second] = /^(..)(..)(..)(..)(..)(..)0/.exec(String(given)) ?? [];
    const end = Date.parse(`20${year}-${month}-${day}T${hour}:${minute}:${second}Z`);
    expect(Math.round((end - before) / 60_000)).toBe(90);
    expect(none).toBe("");
  });

  it.each([
    ["delivered", "15005551000", [Report.submitted, Report.delivered]],
    ["undelivered", "15005550001", [Report.submitted, Report.failed]],
    ["rejected", "15005550002", [Report.submitted, Report.failed]],
    ["expired", "15005550003", [Report.submitted, Report.failed | Report.expired]],
    ["left without a receipt", "15005550004", [Report.submitted]],
    ["refused at once", "15005550005", [Report.refused]],
    ["throttled, then delivered", "15005550006", [Report.submitted, Report.delivered]],
    ["met by a system error, then delivered", "15005550007", [Report.submitted, Report.delivered]],
    ["buffered, then delivered", "15005550008", [Report.submitted, Report.buffered, Report.delivered]],
    ["delivered with the receipt sent twice", "15005550009", [Report.submitted, Report.delivered]],
    ["delivered with a late receipt", "15005550011", [Report.submitted, Report.delivered]],
    ["in an unknown state", "15005550012", [Report.submitted, Report.failed]],
    ["undelivered, by TLVs alone", "15005550013", [Report.submitted, Report.failed]],
  ])("reports a message that is %s", async (_case, to, expected) => {
    const { ref, status, body } = await send(to, `to ${to}`);
    expect([status, body]).toEqual([202, "0: Accepted for delivery"]);

    await until(`reports ${expected} about ${ref}`, () => expected.every((report) => reports(ref).includes(report)));
    await sleep(SETTLE_MS);

    // The order is left open: Kannel may call with 1 before it calls with 8.
    expect(ascending(reports(ref))).toEqual(ascending(expected));
  });

  /** What the carrier reads of the report. */
  async function readOf(ref: string, report: number) {
    await reported(ref, report);
    const {
      type = "",
      answer = "",
      meta = "",
    } = receipts(ref).find(({ query }) => query.type === String(report))?.query ?? {};
    return readReport(ref, { type, answer, meta });
  }

  it.each([
    ["15005550012", Report.failed, "SENDING", /^kannel: reported without an outcome: .* stat:UNKNOWN err:000$/, "000"],
    ["15005550013", Report.failed, "FAILED_TO_DELIVERY", /^kannel: undelivered$/, "034"],
    ["15005550001", Report.failed, "FAILED_TO_DELIVERY", /^kannel: undelivered: .* stat:UNDELIV err:001$/, "001"],
    ["15005550005", Report.refused, "FAILED_TO_DELIVERY", /^kannel: refused by the SMSC: NACK\/0x0b\/Inv/, "0x0b"],
  ])("says of %s, in report %d, what the carrier reads as %s", async (to, report, status, reason, carrierCode) => {
    const { ref } = await send(to, `read ${to}`);
    expect(await readOf(ref, report)).toMatchObject({ status, reason: expect.stringMatching(reason), carrierCode });
  });

  it("reports a text as refused of which the SMSC has taken the first part, and asks for the receipt of that part", async () => {
    const { ref } = await send("15005550014", "0123456789".repeat(20));
    expect(await readOf(ref, Report.refused)).toMatchObject({
      status: "FAILED_TO_DELIVERY",
      reason: "kannel: a part of the text was refused by the SMSC",
    });
    expect(await readOf(ref, Report.delivered)).toMatchObject({ status: "DELIVERED" });
    expect(submitsTo("15005550014").map(({ part, wantsReceipt }) => [part?.number, wantsReceipt])).toEqual([
      [1, true],
      [2, false],
    ]);
  });

  it("ends a text that has waited at the gateway for longer than its validity", { timeout: 150_000 }, async () => {
    smsc.setReachable(false);
    await sleep(SETTLE_MS); // for Kannel to notice
    const { ref } = await send("15005551010", "expires", { "x-kannel-validity": "1" });
    await until("the end", () => reports(ref).includes(Report.refused), 120_000);
    smsc.setReachable(true);
    expect(await readOf(ref, Report.refused)).toMatchObject({
      reason: "kannel: expired at the gateway: NACK/validity expired",
    });
    await until("the SMSC again", () => smsc.boundSessions > 0);
  });

  it("reports nothing while the SMSC does not answer", async () => {
    const { ref, status } = await send("15005550010", "no answer");
    expect(status).toBe(202);
    await until("the submit", () => submitsTo("15005550010").length > 0);
    await sleep(SETTLE_MS);
    expect(reports(ref)).toEqual([]);
  });

  it("carries the SMSC's message id and receipt text", async () => {
    const { ref } = await send("15005551001", "é€ {ok} 100% & +");
    await reported(ref, Report.delivered);

    const [submit] = submitsTo("15005551001");
    expect(submit).toMatchObject({ from: SENDER, text: "é€ {ok} 100% & +", dataCoding: 0, outcome: "delivered" });
    const delivered = receipts(ref).find((call) => call.query.type === String(Report.delivered));
    expect(delivered?.query.id).toBe(submit?.messageId);
    expect(delivered?.query.answer).toMatch(/^id:\S+ sub:001 dlvrd:001 .* stat:DELIVRD err:000 /);
  });

  it("sends an emoji as UCS-2 when coding is 2", async () => {
    const { ref } = await send("15005551002", "hé 👍", { "x-kannel-coding": "2" });
    await reported(ref, Report.delivered);
    expect(submitsTo("15005551002")).toMatchObject([{ text: "hé 👍", dataCoding: 8 }]);
  });

  it("splits a long text, and reports it once", async () => {
    const text = "0123456789".repeat(40);
    const { ref } = await send("15005551003", text);
    await reported(ref, Report.delivered);
    await sleep(SETTLE_MS);

    const parts = submitsTo("15005551003");
    expect(ascending(parts.map((submit) => submit.part?.number ?? 0))).toEqual([1, 2, 3]);
    expect(reassemble(parts)).toBe(text);
    expect(ascending(reports(ref))).toEqual([Report.delivered, Report.submitted]);
  });

  it("hands STOP from a phone to the get-url, and answers nothing", async () => {
    const submitsBefore = smsc.submits.length;
    const call = await receiveInbound("STOP");
    expect(call).toMatchObject({ key: "k1", from: `+${PHONE}`, to: `+${SENDER}`, text: "STOP", charset: "UTF-8" });
    expect(call?.coding).toBe("0");
    expect(call?.id).toMatch(/^[0-9a-f-]{36}$/);
    expect(Number(call?.ts)).toBeGreaterThan(Date.now() / 1000 - 60);
    await sleep(SETTLE_MS);
    expect(smsc.submits.length).toBe(submitsBefore);
  });

  it("hands over a long text from a phone as one, in UTF-8", async () => {
    const text = "Arrêt 👍 & + ".repeat(12).trim();
    expect(await receiveInbound(text)).toMatchObject({ text, charset: "UTF-8" });
  });

  it("calls again when the receiver answers 500", async () => {
    let failures = 2;
    receiver.failWhile(({ query }) => query.type === String(Report.delivered) && failures-- > 0);
    const { ref } = await send("15005551004", "try again");
    await reported(ref, Report.delivered);
    const delivered = receipts(ref).filter((call) => call.query.type === String(Report.delivered));
    expect(delivered.map((call) => call.status)).toEqual([500, 500, 200]);
  });

  it("refuses a wrong password and a missing destination", async () => {
    const wrongPassword = await send("15005551005", "x", { "x-kannel-password": "wrong" });
    expect(wrongPassword).toMatchObject({ status: 403, body: "Authorization failed for sendsms" });
    const noDestination = await send("", "x");
    expect(noDestination).toMatchObject({ status: 400, body: "Empty receiver number not allowed, rejected" });
  });

  it("recovers from a dropped SMPP session", async () => {
    const bindsBefore = smsc.stats.binds;
    smsc.dropSessions();
    const { ref, status } = await send("15005551006", "after the drop");
    expect(status).toBe(202);
    await reported(ref, Report.delivered);
    expect(smsc.stats.binds).toBe(bindsBefore + 1);
  });

  it("keeps what it accepted, and the receipts it waits for, over kill() and restart()", async () => {
    const late = await send("15005550011", "receipt comes after the crash");
    await reported(late.ref, Report.submitted);

    smsc.setReachable(false);
    await kannel.untilUnbound();
    const queued = await send("15005551007", "queued before the crash");
    expect([queued.status, queued.body]).toEqual([202, "3: Queued for later delivery"]);
    const inbound = smsc.sendInbound({ from: PHONE, to: SENDER, text: "START" });

    await kannel.kill();
    await expect(send("15005551008", "nobody there")).rejects.toThrow("fetch failed");
    expect(submitsTo("15005551007")).toEqual([]);

    smsc.setReachable(true);
    await kannel.restart();
    await reported(queued.ref, Report.delivered);
    await reported(late.ref, Report.delivered);
    expect(await inbound).toBe(true);
    await until("START", () => inboundCalls().some((call) => call.text === "START"));
  });

  it("has sent nothing twice that the SMSC answered", () => {
    const accepted = smsc.submits.filter((submit) => submit.messageId !== undefined);
    const distinct = new Set(accepted.map(({ to, text, part }) => JSON.stringify([to, text, part?.number])));
    expect(accepted.length).toBe(distinct.size);
  });
});

describe.skipIf(!installed)("Kannel without mo-recode", () => {
  let smsc: SmscSimulator;
  let receiver: Receiver;
  let kannel: Kannel;

  beforeAll(async () => {
    smsc = await startSmscSimulator({ receiptDelayMs: RECEIPT_DELAY_MS });
    receiver = await startReceiver();
    const inboundUrl = `${receiver.url}/inbound?from=%p&to=%P&text=%b&charset=%C&id=%I`;
    kannel = await startKannel({ smscPort: smsc.port, inboundUrl, recodes: false });
  });

  afterAll(async () => {
    await kannel?.stop();
    await receiver?.close();
    await smsc?.close();
  });

  it.each([
    ["STOP", "UTF-8"],
    ["Stop é", "UTF-8"],
    ["STOP 🙏", "UTF-16BE"],
    ["“Stop”", "UTF-16BE"],
  ])("hands over %s in %s, as the carrier reads it", async (text, charset) => {
    const before = receiver.calls.length;
    expect(await smsc.sendInbound({ from: PHONE, to: SENDER, text })).toBe(true);
    await until("the get-url call", () => receiver.calls.length > before);
    const { search, query } = receiver.calls[before] as Call;
    expect(query.charset).toBe(charset);
    const bytes = rawParameter(search, "text");
    expect([decodeText(bytes, charset), decodeText(bytes, null)]).toEqual([{ text }, { text }]);
  });
});

function ascending(numbers: readonly number[]): number[] {
  return [...numbers].sort((a, b) => a - b);
}

async function until(what: string, condition: () => boolean, wait = WAIT_MS): Promise<void> {
  const deadline = Date.now() + wait;
  while (!condition()) {
    if (Date.now() > deadline) throw new Error(`waited ${wait} ms in vain for ${what}`);
    await sleep(20);
  }
}
