/**
 * What becomes of a message by its receipts: the Worker does the same for every carrier. What each carrier's receipts say is in
 * contract-receipts.test.ts, and every order of them in receipts-order.test.ts.
 */
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { failingDatabase } from "../failing-database.ts";
import { ADA, BOB, CARRIERS, CarrierWorld, mockSockets, OURS, SETTINGS } from "./carrier-world.ts";
import { kannel } from "./kannel.ts";
import { telnyx } from "./telnyx.ts";
import { PUBLIC_ORIGIN, type Submitted } from "./test-carrier.ts";
import { twilio } from "./twilio.ts";

mockSockets();

let at: CarrierWorld;

afterEach(() => {
  at.expectPublished();
  vi.restoreAllMocks();
});

const FORGED = { code: 40302, message: expect.stringContaining("does not come from the carrier"), details: [] };

describe("a receipt", () => {
  beforeEach(async () => {
    at = await CarrierWorld.create(kannel);
  });

  it.each([
    ["accepted by the SMSC", "8", ["SENDING"]],
    ["delivered", "1", ["SENDING", "DELIVERED"]],
    ["undelivered", "2", ["SENDING", "FAILED_TO_DELIVERY"]],
  ])("that says %s: makes the message that, once", async (_, type, expected) => {
    const submitted = await at.submit();
    for (let times = 0; times < 2; times++) {
      const answer = await at.receipt(submitted, type);
      expect([answer.status, await answer.text()]).toEqual([200, ""]);
    }
    await at.world.runQueues();
    expect(await at.events(submitted.messageId)).toEqual(expected);
    expect(at.callbacks[submitted.messageId]).toEqual(expected);
  });

  it("of a failure: says why, for the operator to read", async () => {
    const submitted = await at.submit();
    await at.receipt(submitted, kannel.failed);
    const { reason, reasonDetail } = await at.message(submitted.messageId);
    expect([reason, reasonDetail]).toEqual(["UNDELIVERED", expect.stringMatching(kannel.failedReason)]);
  });

  it.each<[status: string, reason: string, detail: string]>([
    ["gw_timeout", "NO_RECEIPT", "no final receipt came in time (before: telnyx: gw_timeout, 40004: Not deliverable)"],
    ["failed", "UNDELIVERED", "telnyx: failed, 40004: Not deliverable"],
  ])("of Telnyx that says %s: the message ends as %s, with the code", async (status, reason, detail) => {
    at = await CarrierWorld.create(telnyx);
    const submitted = await at.submit();
    await at.receipt(submitted, "sent");
    await at.receipt(submitted, status, "40004");
    at.world.advance(25 * 3600);
    await at.world.sweep();
    const message = await at.message(submitted.messageId);
    expect(message).toMatchObject({ status: "FAILED_TO_DELIVERY", reason, reasonDetail: detail });
  });

  it("that comes before an answer that asks to try again: the message is not sent twice", async () => {
    at.answer = async (submitted) => {
      await at.receipt(submitted, kannel.sent);
      return kannel.laters[0]?.[1]() as Response;
    };
    const { messageId } = await at.submit();
    at.world.advance(3600);
    await at.world.sweep();
    await at.world.runQueues();
    expect(at.submitted).toHaveLength(1);
    expect(await at.world.statusOf(messageId)).toBe("SENDING");
  });

  it("that it has not sent: is refused, and changes nothing", async () => {
    const [of, other] = [await at.submit({ phone: ADA }), await at.submit({ phone: BOB })];
    const stores = await dumpStores();
    for (const [what, hook] of await kannel.forgeries(of, other, at.world.now)) {
      const answer = await at.callReceipt(hook);
      expect([what, answer.status, await answer.json()]).toEqual([
        what,
        403,
        { ...FORGED, requestId: expect.any(String) },
      ]);
    }
    expect(await dumpStores()).toEqual(stores);
  });

  it("about a message of another carrier: changes nothing, even an opt-out", async () => {
    const ours = await at.submit();
    const stores = await dumpStores();
    for (const another of CARRIERS.filter((one) => one !== kannel)) {
      const submitted = await submittedBy(another.name, ours);
      const given = [{ status: another.delivered }, { status: another.failed }, another.optOut?.receipt];
      for (const receipt of given.filter((one) => one !== undefined)) {
        const answer = await at.callReceipt(await another.receipt(submitted, receipt, at.world.now));
        expect([another.name, receipt.status, answer.status]).toEqual([another.name, receipt.status, 200]);
        expect([another.name, receipt, await dumpStores()]).toEqual([another.name, receipt, stores]);
      }
    }
  });

  it.each(["before", "after"] as const)(
    "while the queue fails (%s it took it): asks for it again with 503, and takes it then",
    async (when) => {
      const submitted = await at.submit();
      const { deps } = at.world;
      const { receipts } = deps;
      const sendBatch: typeof receipts.sendBatch = async (messages) => {
        if (when === "after") await receipts.sendBatch(messages);
        throw new Error("Queue sendBatch failed: Internal Server Error");
      };
      at.world.deps = { ...deps, receipts: { ...receipts, sendBatch } };
      const answer = await at.receipt(submitted, kannel.delivered);
      expect([answer.status, ((await answer.json()) as { code: number }).code]).toEqual([503, 50300]);
      at.world.deps = deps;
      expect((await at.receipt(submitted, kannel.delivered)).status).toBe(200);
      await at.world.runQueues();
      expect(at.callbacks[submitted.messageId]).toEqual(["SENDING", "DELIVERED"]);
    },
  );

  it.each(["before", "after"] as const)(
    "while the store fails (%s it wrote): takes it, and applies it once the store works",
    async (when) => {
      const submitted = await at.submit();
      vi.spyOn(Math, "random").mockReturnValue(0); // the store is asked again at once
      const { deps } = at.world;
      at.world.deps = { ...deps, db: failingDatabase(deps.db, Number.POSITIVE_INFINITY, when) };
      const answer = await at.call(await kannel.receipt(submitted, { status: kannel.delivered }, at.world.now));
      expect(answer.status).toBe(200);
      const jobs = at.world.receipts.splice(0).map(({ body }) => body);
      expect(await at.world.deliver("textgate-receipts", jobs)).toEqual({ acknowledged: 0, retried: 1 });
      at.world.deps = deps;
      expect(await at.world.deliver("textgate-receipts", jobs)).toEqual({ acknowledged: 1, retried: 0 });
      at.world.advance(120);
      // The claim of the callback may have taken effect, and is given back before the sweep finds it.
      await at.world.runQueues();
      await at.world.sweep();
      await at.world.runQueues();
      expect(at.callbacks[submitted.messageId]).toEqual(["SENDING", "DELIVERED"]);
    },
  );

  it("about a message that there is not: is taken, and nothing comes of it", async () => {
    const submitted = await at.submit();
    await at.world.rows("DELETE FROM messages");
    await at.world.rows("DELETE FROM events");
    const stores = await dumpStores();
    expect((await at.receipt(submitted, kannel.delivered)).status).toBe(200);
    expect(await dumpStores()).toEqual(stores);
  });

  it("without its settings: has no such path", async () => {
    const submitted = await at.submit();
    const [first = ""] = Object.keys(kannel.settings);
    for (const lacking of [{ [first]: "" }, { PUBLIC_ORIGIN: "" }]) {
      at.configure({ ...SETTINGS, ...lacking });
      expect((await at.receipt(submitted, kannel.delivered)).status).toBe(404);
      expect((await at.inbound("STOP")).status).toBe(404);
    }
    expect(await at.events(submitted.messageId)).toEqual(["SENDING"]);
  });

  it("by another method than GET and POST: is told what the path takes", async () => {
    const url = `${PUBLIC_ORIGIN}/carriers/kannel/receipts?m=1`;
    for (const method of ["PUT", "DELETE", "PATCH", "HEAD", "OPTIONS"]) {
      const answer = await at.call({ method, url, headers: {} });
      expect([method, answer.status, answer.headers.get("allow")]).toEqual([method, 405, "GET, POST"]);
    }
  });

  it("of more than 256 KB: is refused", async () => {
    const url = `${PUBLIC_ORIGIN}/carriers/kannel/receipts`;
    const answer = await at.call({ method: "POST", url, headers: {}, body: "x".repeat(256 * 1024 + 1) });
    expect(answer.status).toBe(413);
  });

  /** The message as it would be, had another carrier been given it: with a receipt URL that is good there. */
  async function submittedBy(name: string, { messageId, to, text }: Submitted): Promise<Submitted> {
    const before = at.submitted.length;
    const message = { messageId, to, from: OURS, text, encoding: "GSM-7", mediaUrl: null, attempt: 1 } as const;
    await at.world.deps.carriers.ready[name]?.submit(message);
    const [submitted] = at.submitted.slice(before);
    if (!submitted) throw new Error(`${name} submitted nothing`);
    return submitted;
  }

  async function dumpStores(): Promise<unknown> {
    const tables = ["messages", "events", "subscriptions", "subscription_changes", "inbound_texts"];
    return Promise.all(tables.map((table) => at.world.rows(`SELECT * FROM ${table}`)));
  }
});

describe("a receipt of a carrier that gives ids and has its own list of opt-outs", () => {
  beforeEach(async () => {
    at = await CarrierWorld.create(twilio);
  });

  it.each([
    ["sent", ["SENDING"]],
    ["delivered", ["DELIVERED"]],
    ["failed", ["FAILED_TO_DELIVERY"]],
  ] as const)("that comes before the answer to the submission (%s): stands", async (which, expected) => {
    at.answer = async (submitted) => {
      expect((await at.receipt(submitted, twilio[which])).status).toBe(200);
      return twilio.accepts();
    };
    const { messageId } = await at.submit();
    await at.world.runQueues();
    expect(await at.message(messageId)).toMatchObject({
      status: expected[0],
      carrierMessageId: twilio.carrierMessageId,
    });
    expect(at.callbacks[messageId]).toEqual(expected);
  });

  it("of a failure at great length: is taken, although no queue would take it whole", async () => {
    const submitted = await at.submit();
    const given = { status: twilio.failed, error: "9".repeat(150_000) };
    const hook = await twilio.receipt(submitted, given, at.world.now);
    expect((await at.callReceipt(hook)).status).toBe(200);
    await at.world.runQueues();
    const { status, reasonDetail } = await at.message(submitted.messageId);
    expect([status, String(reasonDetail).length <= 300]).toEqual([twilio.statuses[twilio.failed], true]);
  });

  it("that says that the person has opted out there: they are opted out here too", async () => {
    const submitted = await at.submit();
    const { status, error } = twilio.optOut?.receipt ?? { status: "" };
    await at.receipt(submitted, status, error);
    await at.receipt(submitted, status, error);
    const { reasonDetail, ...message } = await at.message(submitted.messageId);
    expect(message.status).toBe("FAILED_TO_DELIVERY");
    const person = await at.person(ADA);
    expect(person).toMatchObject({ subscribed: false, optedOutByPerson: true });
    expect(person.changes.map(({ source, proof }) => [source, proof]).slice(1)).toEqual([["carrier", reasonDetail]]);
  });

  it("of an opt-out that comes again after the person's START: does not undo the START", async () => {
    const submitted = await at.submit();
    const { status, error } = twilio.optOut?.receipt ?? { status: "" };
    await at.receipt(submitted, status, error);
    await at.inbound("START");
    expect((await at.person(ADA)).subscribed).toBe(true);
    await at.receipt(submitted, status, error);
    expect((await at.person(ADA)).subscribed).toBe(true);
  });
});

describe("a path of a carrier that there is not", () => {
  it("answers as any unknown path does", async () => {
    at = await CarrierWorld.create(kannel);
    for (const name of ["nobody", "constructor", "__proto__", "TWILIO", "twilio/x"]) {
      const url = `${PUBLIC_ORIGIN}/carriers/${name}/receipts`;
      const answer = await at.call({ method: "POST", url, headers: {}, body: "" });
      expect([name, answer.status]).toEqual([name, 404]);
    }
  });
});
