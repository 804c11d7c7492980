// What a person does with a text of the sandbox, a second later.
import { beforeEach, describe, expect, it } from "vitest";
import type { Job } from "../../../src/domain/messages/job.ts";
import { type TestClient, World } from "../../world.ts";

const STOPS = "+12125550011";
const REPLIES = "+12125550012";
const CLICKS = "+12125550013";
const OURS = "+12125550000";

let world: World;
let client: TestClient;

beforeEach(async () => {
  world = await World.create();
  client = await world.brand([STOPS, REPLIES, CLICKS]);
});

async function sendAndWait(fields: Record<string, unknown>): Promise<string> {
  const messageId = await world.send(client, fields);
  await world.runQueues();
  world.advance(1);
  await world.runQueues();
  return messageId;
}

const inbound = (websiteId = "brand") =>
  world.rows("SELECT sender, text, keyword FROM inbound_texts WHERE website_id = ?1", websiteId);
const clicksOf = (messageId: string) => world.rows("SELECT is_person FROM clicks WHERE message_id = ?1", messageId);

async function isSubscribed(phone: string, websiteId = "brand"): Promise<boolean> {
  const person = await world.operator("GET", `/websites/${websiteId}/people/${phone}`);
  return ((await person.json()) as { subscribed: boolean }).subscribed;
}

describe.each([null, OURS])("with the sender %s, a number of the sandbox", (sender) => {
  beforeEach(async () => {
    await world.website("brand", { carrier: "sandbox", ...(sender ? { sender } : {}) });
  });

  it("that ends in 0011 answers STOP: it is opted out, with one confirmation that nobody answers", async () => {
    const messageId = await world.send(client, { phone: STOPS });
    await world.runQueues();
    expect([await world.statusOf(messageId), await isSubscribed(STOPS)]).toEqual(["DELIVERED", true]);
    for (let seconds = 0; seconds < 5; seconds++) {
      world.advance(1);
      await world.runQueues();
    }
    expect(await isSubscribed(STOPS)).toBe(false);
    expect(await inbound()).toEqual([{ sender: STOPS, text: "STOP", keyword: "stop" }]);
    const replies = await world.rows("SELECT text, status FROM messages WHERE is_reply > 0");
    expect(replies).toEqual([{ text: expect.stringMatching(/unsubscribed/), status: "DELIVERED" }]);
    const changes = await world.rows("SELECT source, subscribed FROM subscription_changes WHERE phone = 12125550011");
    expect(changes.at(-1)).toEqual({ source: "keyword", subscribed: 0 });
    expect(await world.statusOf(await world.send(client, { phone: STOPS }))).toBe("NOT_SUBSCRIBED");
  });

  it("that ends in 0012 answers with another text, and stays subscribed", async () => {
    await sendAndWait({ phone: REPLIES });
    expect(await inbound()).toEqual([{ sender: REPLIES, text: "Thank you!", keyword: null }]);
    expect(await isSubscribed(REPLIES)).toBe(true);
  });

  it("that ends in 0013 follows its link once, as a person, with a callback", async () => {
    const messageId = await sendAndWait({ phone: CLICKS, clickUrl: "https://example.com/sale" });
    expect(await clicksOf(messageId)).toEqual([{ is_person: 1 }]);
    const events = await world.rows(
      "SELECT event, due_at IS NOT NULL OR outcome IS NOT NULL AS is_called_back FROM events WHERE event LIKE 'CLICK%'",
    );
    expect(events).toEqual([{ event: `CLICK_${messageId}`, is_called_back: 1 }]);
  });

  it("that ends in 0013 has nothing to follow in a text without a link", async () => {
    expect(await clicksOf(await sendAndWait({ phone: CLICKS }))).toEqual([]);
  });
});

describe("the job of a rehearsal", () => {
  const job = (messageId: string, act: "stop" | "text" | "click"): Job => ({
    ...{ kind: "receipts", carrier: "sandbox", receipts: [] },
    rehearsals: [{ messageId, act }],
  });

  it("that comes twice does all of it once", async () => {
    const clickUrl = "https://example.com/sale";
    const messageId = await sendAndWait({ phone: CLICKS, clickUrl });
    const jobs = (["stop", "click"] as const).map((act) => job(messageId, act));
    await world.deliver("textgate-messages", [...jobs, ...jobs]);
    await world.deliver("textgate-messages", jobs, 2);
    expect(await clicksOf(messageId)).toHaveLength(1);
    expect(await inbound()).toHaveLength(1);
  });

  it.each(["stop", "text", "click"] as const)("does nothing once its website has a real carrier: %s", async (act) => {
    const messageId = await world.send(client, { phone: CLICKS, clickUrl: "https://example.com/sale" });
    await world.runQueues();
    world.jobs.length = 0;
    await world.rows("UPDATE websites SET carrier = 'twilio'");
    await world.deliver("textgate-messages", [job(messageId, act)]);
    expect([await inbound(), await inbound(""), await clicksOf(messageId)]).toEqual([[], [], []]);
    expect(await isSubscribed(CLICKS)).toBe(true);
  });

  it("does nothing with a message of another carrier, or with none", async () => {
    const messageId = await world.send(client, { phone: STOPS });
    await world.runQueues();
    world.jobs.length = 0;
    await world.rows("UPDATE messages SET carrier = 'twilio'");
    await world.deliver("textgate-messages", [job(messageId, "stop"), job(crypto.randomUUID(), "stop")]);
    expect([await inbound(), await isSubscribed(STOPS)]).toEqual([[], true]);
  });

  it("is for the website of its message, though another one has texted the number since", async () => {
    const others = await world.brand([STOPS], "other");
    const first = await world.send(client, { phone: STOPS });
    const second = await world.send(others, { phone: STOPS });
    await world.deliver("textgate-messages", [{ kind: "deliver", messageIds: [first] }]);
    world.advance(0.5);
    await world.deliver("textgate-messages", [{ kind: "deliver", messageIds: [second] }]);
    world.jobs.length = 0;
    await world.deliver("textgate-messages", [job(first, "stop")]);
    expect([await isSubscribed(STOPS), await isSubscribed(STOPS, "other")]).toEqual([false, true]);
    expect([await inbound(), await inbound("other")]).toMatchObject([[{ text: "STOP" }], []]);
    await world.deliver("textgate-messages", [job(second, "text")]);
    expect(await inbound("other")).toMatchObject([{ text: "Thank you!" }]);
  });

  it("is for the website of its message alone, though another one has the same sender", async () => {
    await world.website("brand", { carrier: "sandbox", sender: OURS });
    await world.website("other", { carrier: "sandbox", sender: OURS });
    await world.subscribers("other", [STOPS]);
    await sendAndWait({ phone: STOPS });
    expect([await isSubscribed(STOPS), await isSubscribed(STOPS, "other")]).toEqual([false, true]);
  });

  it("leaves alone another website that has the number and the same sender with a real carrier", async () => {
    await world.website("other", { carrier: "sandbox", sender: OURS });
    await world.website("brand", { carrier: "sandbox", sender: OURS });
    await world.subscribers("other", [STOPS]);
    await world.rows("UPDATE websites SET carrier = 'twilio' WHERE website_id = 'other'");
    await world.rows("INSERT OR IGNORE INTO former_senders VALUES ('sandbox', ?1, 'other')", OURS);
    await sendAndWait({ phone: STOPS });
    expect([await isSubscribed(STOPS), await isSubscribed(STOPS, "other")]).toEqual([false, true]);
  });
});
