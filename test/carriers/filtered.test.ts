/**
 * What a carrier blocks because of the operator's sender or of the text is CARRIER_FILTERED, in a refusal and in a receipt. Nobody is
 * to be unsubscribed for it. The codes are those of the carriers' own lists:
 * https://www.twilio.com/docs/api/errors and https://developers.telnyx.com/docs/messaging/messages/error-codes
 */
import { afterEach, describe, expect, it, vi } from "vitest";
import carriersPage from "../../docs/carriers.md?raw";
import { REASON_MEANINGS } from "../../src/openapi/meanings.ts";
import { CarrierWorld, mockSockets } from "./carrier-world.ts";
import { telnyx } from "./telnyx.ts";
import { json, type TestCarrier } from "./test-carrier.ts";
import { twilio } from "./twilio.ts";

mockSockets();

afterEach(() => {
  vi.restoreAllMocks();
});

interface Codes {
  carrier: TestCarrier;
  refuse(code: string): Response;
  /** The sender, its registration or the text is blocked. */
  filtered: string[];
  /** The number, the phone or the person is the cause, or nobody knows. */
  undelivered: string[];
}

const CODES: Codes[] = [
  {
    carrier: twilio,
    refuse: (code) => json({ code: Number(code), message: "Blocked", status: 400 }, 400),
    filtered: [
      ...["30002", "30007", "30022", "30023", "30024", "30027", "30032", "30033", "30034", "30035"],
      ...["30037", "30040", "30041", "30042", "30450", "30453", "30454"],
    ],
    undelivered: ["30003", "30004", "30005", "30006", "30008", "3000", "300077"],
  },
  {
    carrier: telnyx,
    refuse: (code) => json({ errors: [{ code, title: "Blocked" }] }, 403),
    filtered: [
      ...["40002", "40003", "40010", "40011", "40013", "40015", "40016", "40017", "40018", "40100"],
      ...["40150", "40151", "40314", "40315", "40322", "40329"],
    ],
    undelivered: ["40001", "40004", "40005", "40006", "40008", "40009", "40012", "40014", "4001", "400022"],
  },
];

describe.each(CODES)("$carrier.name", ({ carrier, refuse, filtered, undelivered }) => {
  const words = (code: string) => expect.stringContaining(code);
  const reasons = async (at: CarrierWorld, codes: string[], work: (code: string) => Promise<string>) => {
    const told: unknown[] = [];
    for (const code of codes) {
      const { status, reason, reasonDetail } = await at.message(await work(code));
      told.push([code, status, reason, reasonDetail]);
    }
    return told;
  };

  it("says so in a receipt, and of other codes that the text is undelivered", async () => {
    const at = await CarrierWorld.create(carrier);
    const receive = async (code: string) => {
      const submitted = await at.submit();
      expect((await at.receipt(submitted, carrier.failed, code)).status).toBe(200);
      return submitted.messageId;
    };
    const expected = (reason: string) => (code: string) => [code, "FAILED_TO_DELIVERY", reason, words(code)];
    expect(await reasons(at, filtered, receive)).toEqual(filtered.map(expected("CARRIER_FILTERED")));
    expect(await reasons(at, undelivered, receive)).toEqual(undelivered.map(expected("UNDELIVERED")));
  });

  it("says so in a refusal, and of other codes that it refused", async () => {
    const at = await CarrierWorld.create(carrier);
    const submit = async (code: string) => {
      at.answer = () => refuse(code);
      return (await at.submit()).messageId;
    };
    const expected = (reason: string) => (code: string) => [code, "FAILED_TO_SEND", reason, words(code)];
    const others = undelivered.filter((code) => code.length === 5);
    expect(await reasons(at, filtered, submit)).toEqual(filtered.map(expected("CARRIER_FILTERED")));
    expect(await reasons(at, others, submit)).toEqual(others.map(expected("CARRIER_REFUSED")));
  });

  it("tells its client, in the callback and in the status, and leaves the number subscribed", async () => {
    const at = await CarrierWorld.create(carrier);
    const submitted = await at.submit();
    await at.receipt(submitted, carrier.failed, filtered[0]);
    const { reason } = (
      await (
        await at.world.post("/text/message/statuses", at.client, { messageIds: [submitted.messageId] })
      ).json<{ messages: { reason: string }[] }>()
    ).messages[0] as { reason: string };
    expect(reason).toBe("CARRIER_FILTERED");
    expect((await at.person(submitted.to)).subscribed).toBe(true);
  });

  it("opts out only where the person has", async () => {
    const at = await CarrierWorld.create(carrier);
    const submitted = await at.submit();
    const { optOut } = carrier;
    await at.receipt(submitted, optOut?.receipt.status ?? "", optOut?.receipt.error);
    expect((await at.message(submitted.messageId)).reason).toBe("OPTED_OUT");
  });
});

it("docs/carriers.md lists the same codes", () => {
  const [, table = ""] = carriersPage.split("| CARRIER_FILTERED, in a refusal or a receipt: filtered |");
  const rows = `| |${table}`.split("| UNDELIVERED")[0]?.trim().split("\n") ?? [];
  const column = (place: number) => rows.flatMap((row) => row.split("|")[place]?.match(/\d{5}/g) ?? []).sort();
  expect([column(2), column(3)]).toEqual(CODES.map(({ filtered }) => [...filtered].sort()));
});

it("nobody is told to unsubscribe many people for a fault of the operator's", () => {
  expect(REASON_MEANINGS.CARRIER_FILTERED.advice).toContain("unsubscribe nobody");
  expect(REASON_MEANINGS.UNDELIVERED.advice).toMatch(/many numbers at once, unsubscribe nobody/);
});
