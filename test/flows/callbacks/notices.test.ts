/** message.received and subscription.changed: which client hears what, once, and what stands in its feed. */
import { Webhook } from "standardwebhooks";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import {
  ADA,
  ALL,
  AT,
  BOB,
  begin,
  clientOf,
  feed,
  headers,
  OURS,
  posts,
  postsTo,
  text,
  typesTo,
  world,
} from "./notice-world.ts";

const STRANGER = "+12125550199";

beforeEach(begin);

afterEach(() => {
  vi.restoreAllMocks();
});

describe("message.received", () => {
  it("has the text, its media and the message that it answers; it is signed and posted once", async () => {
    const client = await clientOf("one", ALL);
    const messageId = await world.send(client, { phone: ADA });
    await world.runQueues();
    posts.clear();
    await text('Lovely 🌷 "yes"\n', { mediaUrls: ["https://media.example.com/1.jpg"] });
    await world.runQueues();
    const [event, ...others] = postsTo("one");
    expect(others).toEqual([]);
    expect(event).toEqual({
      eventId: expect.stringMatching(/^[0-9a-f-]{69}_message\.received$/),
      eventType: "message.received",
      ...{ from: ADA, to: OURS, text: 'Lovely 🌷 "yes"\n', mediaUrls: ["https://media.example.com/1.jpg"] },
      ...{ receivedAt: AT, keyword: null, inReplyTo: messageId },
    });
    expect(headers["webhook-id"]).toBe(event?.eventId);
    const verify = () => new Webhook(client.callbackSecret).verify(JSON.stringify(event), headers);
    vi.useFakeTimers({ now: world.now, toFake: ["Date"] });
    expect(verify).not.toThrow();
    vi.useRealTimers();
    world.advance(300);
    await world.sweep();
    await world.runQueues();
    expect(postsTo("one")).toHaveLength(1);
  });

  it.each([
    ["STOP", "stop"],
    ["start", "start"],
    ["Help!", "help"],
    ["stop it please", null],
  ])("of %s has the keyword %s", async (words, keyword) => {
    await clientOf("one", ["message.received"]);
    await text(words);
    await world.runQueues();
    expect(postsTo("one")).toMatchObject([{ keyword, text: words, inReplyTo: null }]);
  });

  it("does not take the reply to a keyword for the message that is answered", async () => {
    const client = await clientOf("one", ["message.received"]);
    const messageId = await world.send(client, { phone: ADA });
    await world.runQueues();
    world.advance(10);
    await text("HELP");
    await world.runQueues();
    world.advance(10);
    await text("thanks");
    await world.runQueues();
    expect(postsTo("one")).toMatchObject([{ inReplyTo: messageId }, { inReplyTo: messageId }]);
  });

  it("comes once for a text that the carrier delivers twice", async () => {
    await clientOf("one", ["message.received", "subscription.changed"]);
    await text("STOP", { id: "twice" });
    await text("STOP", { id: "twice" });
    await world.runQueues();
    await text("STOP", { id: "twice" });
    await world.runQueues();
    expect(typesTo("one").toSorted()).toEqual(["message.received", "subscription.changed"]);
    expect(await world.rows("SELECT count(*) AS count FROM events WHERE body IS NOT NULL")).toEqual([{ count: 2 }]);
  });

  it("is of a sender that is no phone number, too", async () => {
    await clientOf("one", ["message.received"]);
    await text("hello", { from: "ACME" });
    await world.runQueues();
    expect(postsTo("one")).toMatchObject([{ from: "ACME", inReplyTo: null }]);
  });

  it("comes from the numbers of the sandbox that answer", async () => {
    const client = await clientOf("one", ["message.received"]);
    await world.subscribers("brand", ["+12025550011", "+12025550012"]);
    const stopped = await world.send(client, { phone: "+12025550011" });
    const thanked = await world.send(client, { phone: "+12025550012" });
    await world.runQueues();
    world.advance(2);
    await world.runQueues();
    expect(postsTo("one")).toHaveLength(2);
    expect(postsTo("one")).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ text: "STOP", keyword: "stop", inReplyTo: stopped }),
        expect.objectContaining({ text: "Thank you!", keyword: null, inReplyTo: thanked }),
      ]),
    );
  });
});

describe("subscription.changed", () => {
  it("tells of each stored form of a number, also of START", async () => {
    const forms = ["+5491123456789", "+541123456789"];
    await world.subscribers("brand", forms);
    const client = await clientOf("teller", ["subscription.changed"]);
    for (const words of ["STOP", "START"]) await text(words, { from: forms[0] as string });
    const told = (await feed(client)).map(({ phone, subscribed }) => [phone, subscribed]);
    expect(told.toSorted()).toEqual(forms.flatMap((phone) => [false, true].map((it) => [phone, it])).toSorted());
  });

  it("tells of STOP and START, and not of a STOP that changes nothing", async () => {
    await clientOf("one", ["subscription.changed"]);
    for (const words of ["STOP", "STOP", "START", "HELP"]) {
      await text(words);
      world.advance(1);
    }
    await world.runQueues();
    const ledger = await world.rows("SELECT changed_at, source FROM subscription_changes ORDER BY change_id");
    expect(ledger.map(({ source }) => source)).toEqual(["import", "keyword", "keyword"]);
    expect(postsTo("one")).toEqual(
      [false, true].map((subscribed, index) => ({
        eventId: expect.stringMatching(/_subscription\.changed$/),
        eventType: "subscription.changed",
        ...{ phone: ADA, subscribed, source: "keyword", changeId: Number(ledger[0]?.changed_at) + index + 2 },
        changedAt: index === 0 ? AT : "2026-11-21T12:00:02.000Z",
      })),
    );
  });

  it("tells of the calls of another client, not of its own and not of imports", async () => {
    const caller = await clientOf("caller", ["subscription.changed"]);
    await clientOf("other", ["subscription.changed"]);
    await world.subscribers("brand", [BOB, `${ADA},,false`]);
    await world.post("/text/unsubscribe", caller, { phone_numbers: [ADA, BOB, STRANGER] });
    await world.post("/text/subscribe", caller, { phone_numbers: [BOB], sendPurpose: "form" });
    await world.post("/text/subscribe", caller, { phone_numbers: [BOB], sendPurpose: "form" });
    await world.runQueues();
    expect(postsTo("caller")).toEqual([]);
    expect(postsTo("other")).toHaveLength(3);
    expect(postsTo("other")).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ phone: BOB, subscribed: false, source: "api" }),
        expect.objectContaining({ phone: STRANGER, subscribed: false, source: "api" }),
        expect.objectContaining({ phone: BOB, subscribed: true, source: "api" }),
      ]),
    );
  });

  it("tells of the word of the carrier, once", async () => {
    const client = await clientOf("one", ["subscription.changed"]);
    const messageId = await world.send(client, { phone: ADA });
    await world.runQueues();
    const receipt = {
      messageId,
      status: "FAILED_TO_DELIVERY",
      reason: "blocked",
      carrierMessageId: null,
      optedOut: true,
    };
    const job = { kind: "receipts", carrier: "sandbox", receipts: [receipt] };
    await world.deliver("textgate-receipts", [job, job]);
    await world.runQueues();
    expect(postsTo("one")).toMatchObject([{ phone: ADA, subscribed: false, source: "carrier" }]);
  });

  it("tells of many numbers of one call, each once and in the order of the ledger", async () => {
    const caller = await clientOf("caller");
    const other = await world.client("brand", { events: ["subscription.changed"] });
    const phones = Array.from({ length: 1500 }, (_, index) => `+1212555${1000 + index}`);
    await world.post("/text/unsubscribe", caller, { phone_numbers: phones });
    expect(await world.rows("SELECT count(*) AS count FROM events WHERE body IS NOT NULL")).toEqual([{ count: 1500 }]);
    const ledger = await world.rows(
      "SELECT phone FROM subscription_changes WHERE source = 'api' ORDER BY change_id LIMIT 100",
    );
    expect((await feed(other)).map(({ phone }) => phone)).toEqual(ledger.map(({ phone }) => `+${phone}`));
  });

  it("counts the changes of the number only, so it tells nothing of other websites", async () => {
    await clientOf("one", ["subscription.changed"]);
    await world.website("shop", { carrier: "sandbox", sender: "+12125550001" });
    await text("STOP");
    world.advance(1);
    await world.subscribers(
      "shop",
      Array.from({ length: 37 }, (_, index) => `+1202555${1000 + index}`),
    );
    await text("START");
    await world.runQueues();
    const [first, second] = postsTo("one");
    expect(Number(second?.changeId) - Number(first?.changeId)).toBe(1);
    for (const { eventId } of [first, second] as { eventId: string }[])
      expect(eventId).toMatch(/^[0-9a-f-]{36}-1-[0-9a-f]{32}_subscription\.changed$/);
  });

  it("keeps the order of a number's changes over an erasure", async () => {
    await clientOf("one", ["subscription.changed"]);
    await text("STOP");
    for (let minute = 0; minute < 2; minute++) {
      world.advance(60);
      await world.operator("DELETE", `/websites/brand/people/${ADA}`);
      await text("START");
      world.advance(1);
      await text("STOP");
    }
    await world.runQueues();
    const ids = postsTo("one").map(({ changeId }) => Number(changeId));
    expect(ids).toEqual([...new Set(ids)].toSorted((a, b) => a - b));
    expect(ids.length).toBeGreaterThan(1);
  });
});

describe("the setting events", () => {
  it("gives each client what it names, and the others what they had", async () => {
    await clientOf("plain");
    const every = await clientOf("every", ALL);
    await clientOf("texts", ["message.received"]);
    await clientOf("none", []);
    await world.website("shop", { carrier: "sandbox", sender: "+12125550001" });
    await clientOf("stranger", ALL, "shop");
    await world.send(every, { phone: ADA });
    await world.runQueues();
    await text("STOP");
    await world.runQueues();
    expect(typesTo("plain")).toEqual([]);
    expect(typesTo("every").toSorted()).toEqual([
      ...["message.received", "message.status", "message.status", "subscription.changed"],
    ]);
    expect(typesTo("texts")).toEqual(["message.received"]);
    expect(typesTo("none")).toEqual([]);
    expect(typesTo("stranger")).toEqual([]);
  });

  it("without message.status posts no status; the feed has it, with no callback", async () => {
    const client = await clientOf("texts", ["message.received"]);
    await world.send(client, { phone: ADA });
    await world.runQueues();
    expect(postsTo("texts")).toEqual([]);
    expect(await feed(client)).toMatchObject([
      { eventType: "message.status", status: "SENDING", callback: null },
      { eventType: "message.status", status: "DELIVERED", callback: null },
    ]);
  });

  it("is changed by PATCH, shown, and stays where it is not named", async () => {
    const { clientId } = await clientOf("one", ["message.received"]);
    const change = async (body: unknown) => {
      world.advance(2);
      return (await (await world.operator("PATCH", `/clients/${clientId}`, body)).json<{ events: unknown }>()).events;
    };
    expect(await change({ suspended: false })).toEqual(["message.received"]);
    expect(await change({ events: ["message.status", "message.clicked"] })).toEqual([
      "message.status",
      "message.clicked",
    ]);
    expect(await world.rows("SELECT events FROM clients")).toEqual([{ events: null }]);
    expect(await change({ events: [] })).toEqual([]);
    const wrong = await world.operator("PATCH", `/clients/${clientId}`, { events: ["message.lost"] });
    expect(wrong.status).toBe(400);
  });
});

describe("the feed", () => {
  it("has the notices in the order of storage among the other events, each as it was posted", async () => {
    const client = await clientOf("one", ALL);
    const quiet = await world.client("brand", { events: ["message.received"] });
    await world.send(client, { phone: ADA });
    await world.runQueues();
    await text("STOP");
    await world.runQueues();
    const events = await feed(client);
    expect(events.map(({ eventType, status }) => status ?? eventType)).toEqual([
      ...["SENDING", "DELIVERED"],
      ...["message.received", "subscription.changed"],
    ]);
    const byId = new Map(postsTo("one").map((event) => [event.eventId, event]));
    expect(byId.size).toBe(4);
    for (const { callback, ...event } of events) expect(event).toEqual(byId.get(event.eventId));
    expect(events.at(-1)?.callback).toEqual({ attemptedAt: AT, outcome: "answered", httpStatus: 200 });
    expect(await feed(quiet)).toMatchObject([{ eventType: "message.received", callback: null }]);
  });
});
