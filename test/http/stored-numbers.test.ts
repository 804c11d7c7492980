/** What was accepted once is always addressed, though no numbering plan of a newer library has it any more. */
import { beforeEach, describe, expect, it } from "vitest";
import { isE164 } from "../../src/domain/people/phone.ts";
import { type TestClient, World } from "../world.ts";

const ADA = "+12125550100";
/** Subscribed, only texted, and never seen: no country has their calling code. */
const [SUBSCRIBED, TEXTED, UNSEEN] = ["+999123456701", "+999123456702", "+999123456703"] as const;

let world: World;
let client: TestClient;

beforeEach(async () => {
  world = await World.create();
  client = await world.brand([ADA]);
  const messageId = await world.send(client, { phone: ADA });
  await world.rows("UPDATE messages SET phone = ?2 WHERE message_id = ?1", messageId, toDigits(TEXTED));
  await world.rows(
    `INSERT INTO subscriptions (website_id, phone, subscribed, email, change_id) VALUES ('brand', ?1, 1, 'a@example.com', 1)`,
    toDigits(SUBSCRIBED),
  );
});

const toDigits = (phone: string) => Number(phone.slice(1));
const stateOf = async (phone: string) =>
  (await world.rows("SELECT subscribed FROM subscriptions WHERE phone = ?1", toDigits(phone)))[0]?.subscribed;
const base64 = (text: string) => new TextEncoder().encode(text).toBase64();

it("these are no possible numbers", () => {
  expect([SUBSCRIBED, TEXTED, UNSEEN].map(isE164)).toEqual([false, false, false]);
});

describe("a client unsubscribes", () => {
  it("a number that is stored, or was texted; of others it is told", async () => {
    const phone_numbers = [ADA, SUBSCRIBED, UNSEEN, "nobody"];
    const csv_file = base64(`phone_numbers\n ${TEXTED} \n${SUBSCRIBED}\n+1`);
    const answer = await world.post("/text/unsubscribe", client, { phone_numbers, csv_file });
    expect(await answer.json()).toEqual({
      message: "3 numbers are unsubscribed.",
      invalidPhoneNumbers: [UNSEEN, "nobody", "+1"],
    });
    expect(await Promise.all([ADA, SUBSCRIBED, TEXTED, UNSEEN].map(stateOf))).toEqual([0, 0, 0, undefined]);
  });

  it("and what another website has stored is none of its own", async () => {
    const other = await world.brand([], "other");
    const answer = await world.post("/text/unsubscribe", other, { phone_numbers: [SUBSCRIBED] });
    expect(await answer.json()).toMatchObject({ invalidPhoneNumbers: [SUBSCRIBED] });
    expect(await stateOf(SUBSCRIBED)).toBe(1);
  });

  it("numbers that are possible, and what has no form of a number, without a look for them", async () => {
    const { db } = world.deps;
    const asked: string[] = [];
    const prepare = (sql: string) => {
      // Whether a client wants to hear of the changes is asked in any case.
      if (!/INDEXED BY clients_with_events\s+WHERE|late_tries/.test(sql)) asked.push(sql);
      return db.prepare(sql);
    };
    const batch = (statements: D1PreparedStatement[]) => db.batch(statements);
    world.deps = { ...world.deps, db: { prepare, batch } as unknown as D1Database };
    await world.post("/text/unsubscribe", client, { phone_numbers: [ADA, "nobody", "+1", "1.2E+10"] });
    expect(asked).toHaveLength(3);
    await world.post("/text/unsubscribe", client, { phone_numbers: [UNSEEN] });
    expect(asked).toHaveLength(4);
    const plan = await world.rows(`EXPLAIN QUERY PLAN ${asked[3]}`, "brand", "[]");
    expect(plan.filter(({ detail }) => /^SCAN (?!j )/.test(String(detail)))).toEqual([]);
  });
});

describe("an operator", () => {
  const person = (method: string, phone: string, path = "") =>
    world.operator(method, `/websites/brand/people/${phone}${path}`);

  it("opts it out by an import, and does not subscribe it by one", async () => {
    await world.subscribers("brand", [`${UNSEEN},,true`]);
    const answer = await world.subscribers("brand", [`${SUBSCRIBED},,false`, `${TEXTED},,true`, `${UNSEEN},,false`]);
    expect(await answer.json()).toMatchObject({
      ...{ imported: 1, becameOptedOut: 1, unchanged: 0, keptUnsubscribed: 0, unreadableOptOuts: 1 },
      invalidPhoneNumbers: [TEXTED, UNSEEN],
      invalidCells: [{ value: TEXTED }, { value: UNSEEN }],
    });
    expect(await Promise.all([SUBSCRIBED, TEXTED, UNSEEN].map(stateOf))).toEqual([0, undefined, undefined]);
  });

  it("reads it, and erases it, also when that is repeated", async () => {
    expect(await (await person("GET", SUBSCRIBED)).json()).toMatchObject({ phone: SUBSCRIBED, subscribed: true });
    for (const erasedMessages of [1, 0]) {
      expect(await (await person("DELETE", TEXTED)).json()).toEqual({ phone: TEXTED, erasedMessages });
    }
    await person("DELETE", SUBSCRIBED);
    expect(await stateOf(SUBSCRIBED)).toBeUndefined();
    expect((await person("GET", SUBSCRIBED)).status).toBe(404);
  });

  it.each(["nobody", "+12", "999123456701", "+0123456789", "+1234567890123456"])(
    "is told that %s is no number",
    async (phone) => {
      for (const method of ["GET", "DELETE"]) {
        expect(await (await person(method, phone)).json()).toMatchObject({
          code: 40001,
          details: [{ field: "phone" }],
        });
      }
    },
  );
});
