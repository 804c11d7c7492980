/** A bulk request that is repeated under its key answers what is stored, whatever has changed since it first came. */
import { beforeEach, expect, it } from "vitest";
import { ToldCarrier } from "../told-carrier.ts";
import { SEND, type TestClient, World } from "../world.ts";

const ADA = "+12125550100";
const BRITON = "+447400123456";
const KEY = { "idempotency-key": "campaign-1" };

let world: World;
let client: TestClient;

beforeEach(async () => {
  world = await World.create();
  client = await world.brand([ADA, `${BRITON},ada@example.com`]);
});

interface Answer {
  successSent: { index: number; messageId: string }[];
  failedSent: { index: number; errorMessage: string }[];
}

const bulk = (messages: object[]) =>
  world.post("/text/bulk/message/send", client, { messages: messages.map((some) => ({ ...SEND, ...some })) }, KEY);
const accept = async (messages: object[]): Promise<Answer> => {
  const answer = await bulk(messages);
  expect(answer.status).toBe(200);
  return answer.json();
};

const BRITISH = [
  ["by number", { phone: BRITON }],
  ["by e-mail", { email: "ada@example.com" }],
] as const;

it.each(BRITISH)("a message %s that broke a rule at first is not said to be stored", async (_, recipient) => {
  await world.website("brand", { allowedCountries: ["US"] });
  const messages = [{ phone: ADA }, recipient];
  const first = await accept(messages);
  expect([first.successSent.length, first.failedSent.length]).toEqual([1, 1]);
  await world.website("brand", { allowedCountries: null });
  const again = await accept(messages);
  expect(again.successSent).toEqual(first.successSent);
  expect(again.failedSent).toEqual([
    { ...first.failedSent[0], errorMessage: expect.stringMatching(/not stored.*when this request first came/) },
  ]);
  expect(await world.rows("SELECT count(*) AS n FROM messages")).toEqual([{ n: 1 }]);
});

it.each(BRITISH)("a message %s that is stored is said to be, also if it breaks a rule now", async (_, recipient) => {
  const messages = [{ phone: ADA }, recipient];
  const first = await accept(messages);
  expect([first.successSent.length, first.failedSent.length]).toEqual([2, 0]);
  await world.website("brand", { allowedCountries: ["US"] });
  expect(await accept(messages)).toEqual(first);
});

it("what is stored a day after its time is not sent: it has expired", async () => {
  const carrier = new ToldCarrier(world);
  const sendAt = new Date(world.now + 3_600_000).toISOString();
  // Two parts, by their length.
  const callbackData = JSON.stringify("x".repeat(8000));
  const messages = Array.from({ length: 70 }, (_, index) => ({
    phone: ADA,
    text: `No ${index}`,
    callbackData,
    sendAt,
  }));
  await world.website("brand", { dailyLimit: 65 });
  expect((await bulk(messages)).status).toBe(429);
  world.advance(3600 - 420);
  await world.sweep();
  world.advance(420);
  await world.runQueues();
  const sent = carrier.submitted.length;
  expect([sent > 0, sent < 65]).toEqual([true, true]);
  world.advance(24 * 3600);
  expect((await accept(messages)).successSent).toHaveLength(70);
  await world.runQueues();
  await world.pass(3);
  expect(carrier.submitted).toHaveLength(sent);
  const expired = "SELECT count(*) AS n FROM messages WHERE status = 'FAILED_TO_SEND' AND reason_code = 'EXPIRED'";
  expect(await world.rows(expired)).toEqual([{ n: 70 - sent }]);
});
