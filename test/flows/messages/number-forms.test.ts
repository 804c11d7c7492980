/** Where a country writes a number in two ways, both are one person: to duplicate suppression and to the frequency cap, as to STOP. */
import * as fc from "fast-check";
import { beforeEach, describe, expect, it } from "vitest";
import { toDigits } from "../../../src/domain/people/phone.ts";
import { otherFormOf } from "../../../src/domain/people/two-form-numbers.ts";
import { oneFormIn, otherFormIn } from "../../../src/store/people/number-forms.ts";
import { piece, prepare, sql } from "../../../src/store/sql.ts";
import { SEND, type TestClient, World } from "../../world.ts";

/** Of Mexico, Benin and Ivory Coast, a request may have one form only. */
const PAIRS = [
  ["Argentina", "+541155550100", "+5491155550100"],
  ["Brazil", "+551187654321", "+5511987654321"],
] as const;

let world: World;
let client: TestClient;

beforeEach(async () => {
  world = await World.create();
  const numbers = PAIRS.flatMap(([, short, long]) => [`${short},${short}@example.com`, `${long},${long}@example.com`]);
  client = await world.brand(numbers);
});

it("the store finds the same other form as the code, of any number", async () => {
  const beginning = fc.constantFrom(
    "52",
    "521",
    "54",
    "549",
    "55",
    "559",
    "229",
    "22901",
    "225",
    "22507",
    "2252",
    "1",
    "44",
  );
  const number = fc.tuple(beginning, fc.stringMatching(/^\d{5,10}$/)).map((parts) => Number(parts.join("")));
  const phones = [...fc.sample(number, 3000), ...PAIRS.flatMap(([, ...both]) => both.map(toDigits))];
  const { results } = await prepare<{ phone: number; other: number | null; one: number }>(
    world.deps.db,
    sql`SELECT phone, ${otherFormIn(piece("phone"))} AS other, ${oneFormIn(piece("phone"))} AS one
      FROM (SELECT value AS phone FROM json_each(${JSON.stringify(phones)}))`,
  ).all<{ phone: number; other: number | null; one: number }>();
  for (const { phone, other, one } of results) {
    const expected = otherFormOf(phone);
    expect([phone, other, one]).toEqual([phone, expected, expected === null ? phone : Math.min(phone, expected)]);
  }
  expect(results.filter(({ other }) => other !== null).length).toBeGreaterThan(100);
});

describe.each(PAIRS)("in %s, the other form of a number", (_, short, long) => {
  const both = [
    [short, long],
    [long, short],
  ] as const;

  it.each(both)("is no other person to duplicate suppression: %s, %s", async (one, other) => {
    await world.website("brand", { duplicateWindowHours: 24 });
    const first = await world.send(client, { phone: one });
    expect(await world.send(client, { phone: other })).toBe(first);
    expect(await world.send(client, { phone: "", email: `${other}@example.com` })).toBe(first);
    const bulk = await world.post("/text/bulk/message/send", client, { messages: [{ ...SEND, phone: other }] });
    expect(await bulk.json()).toMatchObject({ successSent: [{ messageId: first }] });
    expect(await world.rows("SELECT message_id FROM messages")).toEqual([{ message_id: first }]);
  });

  it.each(both)("is no other person within one bulk request: %s, %s", async (one, other) => {
    await world.website("brand", { duplicateWindowHours: 24 });
    const messages = [one, other].map((phone) => ({ ...SEND, phone }));
    const answer = await world.post("/text/bulk/message/send", client, { messages });
    const { successSent } = (await answer.json()) as { successSent: { messageId: string }[] };
    expect(successSent[1]?.messageId).toBe(successSent[0]?.messageId);
  });

  it.each(both)("leaves no key of content behind when the person is erased: %s, %s", async (one, other) => {
    await world.website("brand", { duplicateWindowHours: 24 });
    await world.send(client, { phone: one });
    await world.operator("DELETE", `/websites/brand/people/${encodeURIComponent(one)}`);
    expect(await world.rows("SELECT * FROM duplicate_keys")).toEqual([]);
    const again = await world.send(client, { phone: other });
    expect(await world.statusOf(again)).toBe("PENDING_TO_SEND");
  });
});
