import { beforeEach, describe, expect, it } from "vitest";
import { applyReceipts } from "../../src/flows/messages/apply-receipts.ts";
import { receiveInbound } from "../../src/flows/people/receive-inbound.ts";
import type { InboundAnswers } from "../../src/operator/answers/inbound.ts";
import { bindDatabases, makeBrand } from "../databases.ts";
import { type TestClient, World } from "../world.ts";

const ADA = "+12125550100";
const BOB = "+12125550101";
const OURS = "+12125550000";
const WORDS = "would you please stop this";

let world: World;
let client: TestClient;
let messageId: string;

beforeEach(async () => {
  world = await World.create();
  client = await world.brand([ADA]);
  await world.website("brand", { sender: OURS });
  await text("in-1");
});

async function text(carrierMessageId: string, from = ADA, words = WORDS, to = OURS): Promise<void> {
  const inbound = { from, to: [to], keyword: null, answeredByCarrier: false, text: words, carrierMessageId };
  await world.invoke("fetch", () => receiveInbound(world.deps, "sandbox", inbound));
  await world.afterAnswer();
  world.advance(60);
}

/** The receipt of the first of two texts that went out before. */
async function optOutAtCarrier(): Promise<void> {
  const receipt = { status: "FAILED_TO_DELIVERY", reason: null, carrierMessageId: null, optedOut: true } as const;
  await world.invoke("queue", () => applyReceipts(world.deps, [{ ...receipt, messageId, carrier: "sandbox" }]));
  world.advance(60);
}

const decide = async (optOut: boolean | null, carrierMessageId = "in-1", websiteId = "brand") => {
  const body = { websiteId, carrier: "sandbox", carrierMessageId, optOut };
  const answer = await world.operator("POST", "/inbound/decide", body);
  return [answer.status, await answer.json()];
};
const person = async (phone = ADA) => (await world.operator("GET", `/websites/brand/people/${phone}`)).json();
const toDecide = async () => {
  const answer = await world.operator("GET", "/inbound/without-effect");
  return ((await answer.json()) as InboundAnswers["TextsWithoutEffect"]).texts.length;
};
const audit = () => world.rows("SELECT operator, subject, after FROM audit_log WHERE action = 'decide-inbound'");
const entry = (optOut: boolean | null) => ({
  ...{ operator: "OPERATOR_TOKEN", subject: "+…00" },
  after: JSON.stringify({ optOut }),
});

describe("a text that is decided to be an opt-out", () => {
  it("does what STOP does, once, and leaves the list", async () => {
    await world.operator("PATCH", `/clients/${client.clientId}`, { events: ["subscription.changed"] });
    await world.rows("UPDATE inbound_texts SET applied = 1");
    expect(await toDecide()).toBe(1);
    expect(await decide(true)).toEqual([200, { optedOut: true }]);
    expect(await decide(true)).toEqual([200, { optedOut: true }]);
    expect(await toDecide()).toBe(0);
    expect(await person()).toMatchObject({
      ...{ subscribed: false, optedOutByPerson: true, optOutConfirmedAt: null },
      changes: [{ to: true }, { from: true, to: false, source: "keyword", proof: WORDS }],
      texts: [{ maybeOptOut: false, decided: { optOut: true, operator: "OPERATOR_TOKEN" } }],
    });
    expect(await audit()).toEqual([entry(true)]);
    const told = await world.rows("SELECT event, json_extract(body, '$.subscribed') AS subscribed FROM events");
    expect(told).toEqual([{ event: "subscription.changed", subscribed: 0 }]);
    await world.subscribers("brand", [ADA], "?resubscribe=true");
    expect(await person()).toMatchObject({ subscribed: false });
  });

  it("is undone by START, as a STOP is", async () => {
    await decide(true);
    await text("in-2", ADA, "START");
    expect(await person()).toMatchObject({ subscribed: true, optedOutByPerson: false });
  });

  it("is taken back: the person is what they were, and it is to be decided again", async () => {
    await decide(true);
    world.advance(60);
    expect(await decide(null)).toEqual([200, { optedOut: false }]);
    expect(await decide(null)).toEqual([200, { optedOut: false }]);
    expect(await toDecide()).toBe(1);
    expect(await person()).toMatchObject({
      ...{ subscribed: true, optedOutByPerson: false },
      changes: [{ to: true }, { to: false }, { from: false, to: true, source: "operator" }],
      texts: [{ maybeOptOut: true, decided: null }],
    });
    expect(await audit()).toEqual([entry(true), entry(null)]);
    expect(await decide(true)).toEqual([200, { optedOut: true }]);
  });

  it("leaves opted out, when it is taken back, whoever has texted STOP since", async () => {
    await decide(true);
    await text("in-2", ADA, "START");
    await text("in-3", ADA, "STOP");
    expect(await decide(null)).toEqual([200, { optedOut: true }]);
    expect(await person()).toMatchObject({ subscribed: false, optedOutByPerson: true });
  });

  it.each<[string, () => Promise<unknown>]>([
    ["the person, with STOP", () => text("in-2", ADA, "STOP")],
    ["the carrier, in a receipt", optOutAtCarrier],
    ["a client", () => world.post("/text/unsubscribe", client, { phone_numbers: [ADA] })],
    ["an import", () => world.subscribers("brand", [`${ADA},,false`])],
    ["the operator, of another text", () => text("in-2").then(() => decide(true, "in-2"))],
  ])("leaves opted out, when it is taken back, whoever was opted out since by %s", async (_who, optOut) => {
    messageId = await world.send(client, { phone: ADA });
    world.advance(1);
    await world.send(client, { phone: ADA });
    await world.runQueues();
    await decide(true);
    world.advance(1);
    await optOut();
    expect(await decide(null)).toEqual([200, { optedOut: true }]);
    await world.subscribers("brand", [ADA], "?resubscribe=true");
    expect(await person()).toMatchObject({ subscribed: false, optedOutByPerson: true });
    await text("in-9", ADA, "START");
    expect(await person()).toMatchObject({ subscribed: true });
  });

  it("leaves the person to the decision on an earlier text, when it is taken back", async () => {
    await decide(true);
    await text("in-2");
    await decide(true, "in-2");
    expect(await decide(null, "in-2")).toEqual([200, { optedOut: true }]);
    await world.subscribers("brand", [ADA], "?resubscribe=true");
    expect(await person()).toMatchObject({ subscribed: false, optedOutByPerson: true });
  });

  it("subscribes nobody, when it is taken back, who was not subscribed", async () => {
    await world.post("/text/unsubscribe", client, { phone_numbers: [ADA] });
    await text("in-2", BOB);
    for (const [id, phone] of [
      ["in-1", ADA],
      ["in-2", BOB],
    ] as const) {
      expect(await decide(true, id)).toEqual([200, { optedOut: true }]);
      expect(await decide(null, id)).toEqual([200, { optedOut: false }]);
      expect(await person(phone)).toMatchObject({ subscribed: false, optedOutByPerson: false });
    }
  });
});

it("a text that is decided to be none changes nobody, and leaves the list", async () => {
  expect(await decide(false)).toEqual([200, { optedOut: false }]);
  expect(await toDecide()).toBe(0);
  expect(await person()).toMatchObject({ subscribed: true, texts: [{ decided: { optOut: false } }] });
  expect(await audit()).toEqual([entry(false)]);
  expect(await decide(true)).toMatchObject([400, { details: [{ field: "optOut" }] }]);
  expect(await decide(null)).toEqual([200, { optedOut: false }]);
  expect(await toDecide()).toBe(1);
});

it("a website decides for itself, in whichever database it is", async () => {
  await bindDatabases(world, 2);
  await makeBrand(world, 1);
  const brand = await makeBrand(world, 2);
  await text("in-9", brand.phone, WORDS, brand.sender);
  expect(await decide(true, "in-9", brand.websiteId)).toEqual([200, { optedOut: true }]);
  expect(await person()).toMatchObject({ subscribed: true });
});

describe.each([1, 2])("with %i databases, websites that share a sender", (databases) => {
  const websites = ["brand", "second", "third"];
  const states = () =>
    Promise.all(
      websites.map(async (websiteId) => {
        const answer = await world.operator("GET", `/websites/${websiteId}/people/${ADA}`);
        return answer.status === 404 ? null : ((await answer.json()) as { subscribed: boolean }).subscribed;
      }),
    );

  beforeEach(async () => {
    if (databases > 1) await bindDatabases(world, databases);
    for (const [index, websiteId] of websites.slice(1).entries())
      await world.website(websiteId, {
        sender: OURS,
        ...(databases > 1 ? { database: index === 0 ? "DB_2" : "DB" } : {}),
      });
    await world.subscribers("second", [ADA]);
  });

  it("have a decision in common, as a STOP: each that knows the person", async () => {
    const other = await world.client("second", { events: ["message.received", "subscription.changed"] });
    expect(await decide(true)).toEqual([200, { optedOut: true }]);
    expect(await states()).toEqual([false, false, null]);
    const { events } = (await (
      await world.fetch("/text/events", {
        headers: { "x-client-id": other.clientId, "x-client-secret": other.clientSecret },
      })
    ).json()) as { events: { eventType: string; subscribed: boolean }[] };
    expect(events.map(({ eventType, subscribed }) => [eventType, subscribed])).toEqual([
      ["subscription.changed", false],
    ]);
    expect(await world.subscribers("second", [ADA], "?resubscribe=true").then((it) => it.json())).toMatchObject({
      optedOutNumbers: [ADA],
    });
    world.advance(60);
    expect(await decide(null)).toEqual([200, { optedOut: false }]);
    expect(await states()).toEqual([true, true, null]);
    expect(await decide(false)).toEqual([200, { optedOut: false }]);
    expect([await toDecide(), await states()]).toEqual([0, [true, true, null]]);
  });

  it("keep their own when it is taken back: whoever has texted STOP since stays opted out", async () => {
    await decide(true);
    await text("in-2", ADA, "START");
    await text("in-3", ADA, "STOP");
    await decide(null);
    expect(await states()).toEqual([false, false, false]);
  });
});

it("what is no text to decide is refused, and so is anybody but the operator", async () => {
  await text("in-2", ADA, "hello");
  expect(await decide(true, "in-2")).toMatchObject([400, { details: [{ field: "carrierMessageId" }] }]);
  expect(await decide(true, "in-77")).toMatchObject([404, { code: 40401 }]);
  expect(await decide(true, "in-1", "nobody")).toMatchObject([404, { code: 40401 }]);
  expect((await world.fetch("/operator/inbound/decide", { method: "POST" })).status).toBe(401);
});
