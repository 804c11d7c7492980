/** A country may write one number in two ways: who has opted out in one form is not subscribed in the other. */
import { beforeEach, describe, expect, it } from "vitest";
import { applyReceipts } from "../../../src/flows/messages/apply-receipts.ts";
import { receiveInbound } from "../../../src/flows/people/receive-inbound.ts";
import { type TestClient, World } from "../../world.ts";

/** Argentina, with the 9 of calls from abroad and without; Brazil, with the ninth digit and without. */
const FORMS: [one: string, other: string][] = [
  ["+5491123456789", "+541123456789"],
  ["+541123456789", "+5491123456789"],
  ["+5511987654321", "+551187654321"],
];
const ADA = "+12125550100";
const OURS = "+12125550000";

let world: World;
let client: TestClient;

beforeEach(async () => {
  world = await World.create();
  client = await world.brand([]);
  await world.website("brand", { sender: OURS });
});

let texts = 0;
async function text(words: string, from: string): Promise<void> {
  const inbound = { from, to: [OURS], text: words, keyword: null, answeredByCarrier: false };
  await world.invoke("fetch", () =>
    receiveInbound(world.deps, "sandbox", { ...inbound, carrierMessageId: `in-${++texts}` }),
  );
  world.advance(60);
}

const stateOf = async (phone: string) =>
  (await world.rows("SELECT subscribed FROM subscriptions WHERE phone = ?1", Number(phone.slice(1))))[0]?.subscribed;

const subscribe = async (...phone_numbers: string[]) =>
  (await (await world.post("/text/subscribe", client, { phone_numbers, sendPurpose: "news" })).json()) as Record<
    string,
    unknown
  >;

async function load(lines: string[], query = ""): Promise<Record<string, unknown>> {
  return (await world.subscribers("brand", lines, query)).json();
}

const erase = (phone: string) => world.operator("DELETE", `/websites/brand/people/${phone}`);

/** So many rows that the tombstones of the website are read, and not sent. */
const MANY = Array.from({ length: 1000 }, (_, index) => `+1212555${1000 + index}`);

describe.each(FORMS)("%s, whose owner has opted out,", (one, other) => {
  beforeEach(async () => {
    await world.subscribers("brand", [one]);
    await text("STOP", one);
  });

  it("is not subscribed in its other form by a client", async () => {
    expect(await subscribe(other, ADA)).toMatchObject({
      message: "1 number is subscribed.",
      failedToProcessNumbers: [other],
    });
    expect([await stateOf(one), await stateOf(other), await stateOf(ADA)]).toEqual([0, undefined, 1]);
    const ledger = await world.rows("SELECT * FROM subscription_changes WHERE phone = ?1", Number(other.slice(1)));
    expect(ledger).toEqual([]);
  });

  it("nor by an import, whatever it says beside the number", async () => {
    const lines = [`${other},ada@example.com,true`, ADA];
    for (const query of ["?dryRun=true", "", "?resubscribe=true"]) {
      const answer = await load(lines, query);
      expect(answer).toMatchObject({ imported: 1, keptUnsubscribed: 1, optedOutNumbers: [other] });
    }
    expect([await stateOf(other), await stateOf(ADA)]).toEqual([undefined, 1]);
  });

  it("nor where the other form was unsubscribed by a client, or an import of it was undone", async () => {
    await world.post("/text/unsubscribe", client, { phone_numbers: [other] });
    expect(await subscribe(other)).toMatchObject({ failedToProcessNumbers: [other] });
    expect(await load([other], "?resubscribe=true")).toMatchObject({ optedOutNumbers: [other] });
    expect(await stateOf(other)).toBe(0);
  });

  it("is subscribed in either form after START", async () => {
    await text("START", other);
    expect(await subscribe(other)).toMatchObject({ failedToProcessNumbers: [] });
    expect([await stateOf(one), await stateOf(other)]).toEqual([1, 1]);
  });

  it("is opted out in its other form by a client", async () => {
    await world.post("/text/unsubscribe", client, { phone_numbers: [other] });
    expect(await stateOf(other)).toBe(0);
  });
});

describe.each(FORMS)("%s, which was erased,", (one, other) => {
  beforeEach(async () => {
    await world.subscribers("brand", [one]);
    await erase(one);
  });

  it("is not subscribed in its other form", async () => {
    expect(await subscribe(other, ADA)).toMatchObject({ failedToProcessNumbers: [other] });
    expect(await load([`${other},ada@example.com,true`])).toMatchObject({ optedOutNumbers: [other] });
    expect(await load([...MANY, other])).toMatchObject({ optedOutNumbers: [other] });
    expect([await stateOf(other), await stateOf(ADA)]).toEqual([undefined, 1]);
  });

  it("comes back with START, whichever form the gateway writes", async () => {
    await text("START", other);
    expect(await stateOf(other)).toBe(1);
    expect(await world.rows("SELECT * FROM erased_people")).toEqual([]);
  });
});

it.each(FORMS)("%s, as a list has it, is unsubscribed as %s by a client", async (one, other) => {
  await world.subscribers("brand", [one, ADA]);
  const answer = await world.post("/text/unsubscribe", client, { phone_numbers: [other] });
  expect(await answer.json()).toEqual({ message: "1 number is unsubscribed.", invalidPhoneNumbers: [] });
  expect([await stateOf(one), await stateOf(other), await stateOf(ADA)]).toEqual([0, 0, 1]);
  expect(await subscribe(one)).toMatchObject({ failedToProcessNumbers: [] });
  expect([await stateOf(one), await stateOf(other)]).toEqual([1, 0]);
  await world.post("/text/unsubscribe", client, { phone_numbers: [other, one] });
  expect([await stateOf(one), await stateOf(other)]).toEqual([0, 0]);
});

it.each(FORMS)(
  "%s and %s, neither of which is stored, are opted out by a file that opts out one",
  async (one, other) => {
    await load([`${other}`, ADA, `${one},,false`]);
    expect([await stateOf(one), await stateOf(other), await stateOf(ADA)]).toEqual([0, 0, 1]);
  },
);

it.each(FORMS)(
  "%s, which one request of an import opts out, is not subscribed as %s by the next",
  async (one, other) => {
    const { importId } = await load([`${one},,false`]);
    expect(await load([other, ADA], `?importId=${importId}`)).toMatchObject({ newSubscribed: 1, newOptedOut: 1 });
    expect([await stateOf(one), await stateOf(other), await stateOf(ADA)]).toEqual([0, 0, 1]);
  },
);

it("a number that is subscribed stays so, with its new address, whatever its other form is", async () => {
  const [one, other] = FORMS[0] as [string, string];
  await subscribe(other);
  await world.rows(
    "INSERT INTO subscriptions (website_id, phone, subscribed, change_id, opted_out_by_person) VALUES ('brand', ?1, 0, 1, 1)",
    Number(one.slice(1)),
  );
  expect(await load([`${other},ada@example.com`])).toMatchObject({ imported: 1, newAddress: 1 });
  const [row] = await world.rows(
    "SELECT subscribed, email FROM subscriptions WHERE phone = ?1",
    Number(other.slice(1)),
  );
  expect(row).toEqual({ subscribed: 1, email: "ada@example.com" });
});

describe.each(FORMS)("%s, which is stored as %s as well, is opted out in both", (one, other) => {
  const states = async () => [await stateOf(one), await stateOf(other)];
  const decide = async (optOut: boolean | null) => {
    const body = { websiteId: "brand", carrier: "sandbox", carrierMessageId: `in-${texts}`, optOut };
    expect((await world.operator("POST", "/inbound/decide", body)).status).toBe(200);
  };

  beforeEach(async () => {
    await world.subscribers("brand", [one, other]);
  });

  it("by a STOP, and back by a START", async () => {
    await text("STOP", one);
    expect(await states()).toEqual([0, 0]);
    await text("START", one);
    expect(await states()).toEqual([1, 1]);
  });

  it("by an operator's decision, and in neither once that is taken back", async () => {
    await text("please stop texting me", one);
    await decide(true);
    expect(await states()).toEqual([0, 0]);
    expect(await subscribe(one, other)).toMatchObject({ failedToProcessNumbers: [one, other] });
    await decide(null);
    expect(await states()).toEqual([1, 1]);
    const ledger = await world.rows("SELECT phone, subscribed FROM subscription_changes WHERE source = 'operator'");
    expect(ledger.map(({ phone, subscribed }) => [`+${phone}`, subscribed]).sort()).toEqual(
      [one, other].sort().map((phone) => [phone, 1]),
    );
  });

  it("by a file, also in a dry run's figures, and in neither once that is undone", async () => {
    const figures = { imported: 2, becameOptedOut: 2 };
    const dry = await load([`${one},,false`, `${one},,false`], "?dryRun=true");
    expect(dry).toMatchObject({ ...figures, rows: 2, repeated: 1 });
    const loaded = await load([`${one},,false`]);
    expect([loaded, await states()]).toEqual([expect.objectContaining(figures), [0, 0]]);
    expect((await world.operator("POST", `/imports/${loaded.importId}/undo`)).status).toBe(200);
    expect(await states()).toEqual([1, 1]);
  });

  it.each([true, false])("by a file that has the other form as subscribed, whichever is first: %s", async (isFirst) => {
    const lines = [`${one},,false`, `${other},,true`];
    const figures = { imported: 2, becameOptedOut: 2 };
    const file = isFirst ? lines : lines.toReversed();
    expect(await load(file, "?resubscribe=true")).toMatchObject(figures);
    expect(await states()).toEqual([0, 0]);
  });

  it("by a receipt of the carrier", async () => {
    const messageId = await world.send(client, { phone: one });
    await world.runQueues();
    const receipt = { messageId, status: "FAILED_TO_DELIVERY", reason: null, carrierMessageId: null } as const;
    await world.invoke("queue", () => applyReceipts(world.deps, [{ ...receipt, optedOut: true }]));
    expect(await states()).toEqual([0, 0]);
  });
});
