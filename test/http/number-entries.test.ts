/** A number with too few or too many digits gets one answer, wherever it comes in: a send, a bulk send, a list, a file, an import. */
import { describe, expect, it } from "vitest";
import { SEND } from "../world.ts";
import { base64, call, prepare, world } from "./subscribing.ts";

prepare();

const RULE = "must be an E.164 phone number such as +12125550100: ";

/** By hand, from each country's numbering plan; null: it is taken, because its length exists in its country. */
const NUMBERS: [phone: string, fault: string | null][] = [
  ["+13105550100", null],
  // In Canada, numbers of the area code 310 have seven digits.
  ["+13105550", null],
  ["+12125550", "it is too short: it has 7 digits after +1, where numbers have 10"],
  ["+18005550", "it is too short: it has 7 digits after +1, where numbers have 10"],
  ["+1310555", "it is too short: it has 6 digits after +1, where numbers have 10"],
  ["+131055501", "it is too short: it has 8 digits after +1, where numbers have 10"],
  ["+1310555010", "it is too short: it has 9 digits after +1, where numbers have 10"],
  ["+131055501000", "it is too long: it has 11 digits after +1, where numbers have 10"],
  ["+11234567890", null],
  ["+447700900123", null],
  ["+4477009001234", "it is too long: it has 11 digits after +44, where numbers have 7, 9 or 10"],
  ["+44771", "it is too short: it has 3 digits after +44, where numbers have 7, 9 or 10"],
  ["+33612345678", null],
  ["+336123456", "it is too short: it has 7 digits after +33, where numbers have 9"],
  ["+336123456789", "it is too long: it has 10 digits after +33, where numbers have 9"],
  ["+86139123456789", null],
  ["+611300123", null],
  ["+2901234", null],
  ["+80012345678", null],
  ["+800123456789", "it is too long: it has 9 digits after +800, where numbers have 8"],
  ["+999123456789", "it begins with no known country code"],
];

type Answer = { details?: { message: string }[] };
const faultOf = (message: string | undefined) => message?.replace(RULE, "") ?? null;

describe.each(NUMBERS)("%s", (phone, fault) => {
  const isTaken = fault === null;
  const invalid = isTaken ? [] : [phone];

  it(`${isTaken ? "is taken" : `is refused, because ${fault}`}, by a send and in a bulk send`, async () => {
    const { status, body } = await call("/text/message/send", { ...SEND, phone });
    expect([status, faultOf((body as Answer).details?.[0]?.message)]).toEqual([isTaken ? 200 : 400, fault]);
    const bulk = await call("/text/bulk/message/send", { messages: [{ ...SEND, phone }] });
    const { failedSent } = bulk.body as { failedSent: { errorMessage: string }[] };
    const said = failedSent.map(({ errorMessage }) => faultOf(errorMessage.replace(/^phone: /, "")));
    expect(said).toEqual(isTaken ? [] : [fault]);
  });

  it("is so in a list, in a file and in an import, and only what is taken is stored", async () => {
    const given = [{ phone_numbers: [phone] }, { csv_file: base64(`phone_numbers\n${phone}`) }];
    for (const body of given)
      expect((await call("/text/subscribe", { ...body, sendPurpose: "news" })).body.invalidPhoneNumbers).toEqual(
        invalid,
      );
    const imported = (await (await world.subscribers("brand", [`${phone},,true`])).json()) as {
      invalidPhoneNumbers: string[];
      invalidCells?: { message: string }[];
    };
    expect(imported.invalidPhoneNumbers).toEqual(invalid);
    expect((imported.invalidCells ?? []).map(({ message }) => faultOf(message))).toEqual(isTaken ? [] : [fault]);
    const stored = await world.rows("SELECT phone FROM subscriptions WHERE phone = ?1", Number(phone.slice(1)));
    expect(stored).toHaveLength(isTaken ? 1 : 0);
    for (const body of given) expect((await call("/text/unsubscribe", body)).body.invalidPhoneNumbers).toEqual(invalid);
  });

  it("is so where its state is asked for", async () => {
    for (const body of [{ phone_numbers: [phone] }, { csv_file: base64(`phone_numbers\n${phone}`) }]) {
      const answer = (await call("/text/subscription/status", body)).body as Record<string, { phoneNumber: string }[]>;
      expect(answer.invalidPhoneNumbers).toEqual(invalid);
      expect(answer.phoneNumberStatuses?.map(({ phoneNumber }) => phoneNumber)).toEqual(isTaken ? [phone] : []);
    }
  });
});
