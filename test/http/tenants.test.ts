import { beforeEach, describe, expect, it, vi } from "vitest";
import { receiveInbound } from "../../src/flows/people/receive-inbound.ts";
import { ToldCarrier } from "../told-carrier.ts";
import { SEND, World } from "../world.ts";

const ADA = "+12125550100";

let world: World;

beforeEach(async () => {
  world = await World.create();
});

describe("two websites with the same people", () => {
  it("do not read each other's subscriptions", async () => {
    const one = await world.brand([`${ADA},ada@example.com`], "one");
    const two = await world.brand([`${ADA},,false`], "two");
    const ask = async (client: typeof one) =>
      (await world.post("/text/subscription/status", client, { phone_numbers: [ADA] })).json();
    expect(await ask(one)).toMatchObject({ phoneNumberStatuses: [{ subscriptionStatus: true }] });
    expect(await ask(two)).toMatchObject({ phoneNumberStatuses: [{ subscriptionStatus: false }] });
  });

  it("do not send to each other's subscribers, by number or by address", async () => {
    await world.brand([`${ADA},ada@example.com`], "one");
    const two = await world.brand([], "two");
    expect(await world.statusOf(await world.send(two, { phone: ADA }))).toBe("NOT_FOUND");
    expect(await world.statusOf(await world.send(two, { email: "ada@example.com" }))).toBe("FAILED_TO_MATCH");
  });

  it("do not count against each other's limit, and the clients of one website share theirs", async () => {
    vi.useFakeTimers({ now: world.now, toFake: ["Date"] });
    const one = await world.brand([], "one");
    const sibling = await world.client("one");
    const two = await world.brand([], "two");
    const left = async (client: typeof one) =>
      (await world.post("/text/message/send", client, {})).headers.get("ratelimit");
    expect(await left(one)).toBe('"website";r=299;t=1');
    expect(await left(sibling)).toBe('"website";r=298;t=1');
    expect(await left(two)).toBe('"website";r=299;t=1');
    // Whom the operator keeps out uses up nothing of it.
    const denied = await world.client("two", { operations: ["status"] });
    const suspended = await world.client("two");
    await world.operator("PATCH", `/clients/${suspended.clientId}`, { suspended: true });
    for (const client of [denied, suspended]) {
      expect((await world.post("/text/message/send", client, {})).status).toBe(403);
    }
    expect(await left(two)).toBe('"website";r=298;t=1');
    vi.useRealTimers();
  });

  it("post each message's callback to the client that sent it", async () => {
    const one = await world.brand([ADA], "one");
    const other = await world.client("one", { callbackUrl: "https://other.example.com/" });
    await world.send(one, { phone: "+12125550177" });
    await world.send(other, { phone: "+12125550177" });
    const rows = await world.rows(
      `SELECT c.callback_url FROM events e JOIN messages m USING (message_id) JOIN clients c USING (client_id) ORDER BY 1`,
    );
    expect(rows.map((row) => row.callback_url)).toEqual([
      "https://one.example.com/callbacks",
      "https://other.example.com/",
    ]);
  });
});

describe("a client without a callback URL, or a message without callbackData", () => {
  it("has its events recorded and no callback queued", async () => {
    await world.brand([ADA]);
    const silent = await world.client("brand");
    const loud = await world.client("brand", { callbackUrl: "https://brand.example.com/" });
    await world.send(silent, { phone: ADA });
    await world.send(loud, { ...SEND, phone: ADA, callbackData: "" });
    await world.runQueues();
    for (const { clientId, clientSecret } of [silent, loud]) {
      const headers = { "x-client-id": clientId, "x-client-secret": clientSecret };
      const { events } = await (await world.fetch("/text/events", { headers })).json<{ events: object[] }>();
      expect(events).toEqual([
        expect.objectContaining({ status: "SENDING", callback: null }),
        expect.objectContaining({ status: "DELIVERED", callback: null }),
      ]);
    }
    expect(world.callbacks).toEqual([]);
  });
});

describe("a person of two websites", () => {
  const BOB = "+12125550101";
  const SENDERS = { one: "+12125550001", two: "+12125550002" };
  let carrier: ToldCarrier;
  let texts: { from: string | null; to: string; text: string }[];

  beforeEach(() => {
    carrier = new ToldCarrier(world);
    texts = [];
    carrier.answer = ({ messageId, from, to, text }) => {
      texts.push({ from, to, text });
      return { kind: "accepted", carrierMessageId: messageId };
    };
  });

  it("who opts out of one, while texts of both wait for the carrier, gets that of the other alone", async () => {
    const one = await world.brand([ADA], "one");
    const two = await world.brand([ADA], "two");
    const ofOne = await world.send(one, { phone: ADA, text: "One: hello" });
    const ofTwo = await world.send(two, { phone: ADA, text: "Two: hello" });
    await world.subscribers("two", [`${ADA},,false`]);
    await world.runQueues();
    expect(texts.map(({ text }) => text)).toEqual(["One: hello"]);
    expect(await world.events(one)).toMatchObject([{ messageId: ofOne, status: "SENDING" }]);
    expect(await world.events(two)).toMatchObject([{ messageId: ofTwo, status: "NOT_SUBSCRIBED" }]);
  });

  it("who has opted out of one gets the answer of the other to HELP", async () => {
    for (const [websiteId, sender] of Object.entries(SENDERS))
      await world.website(websiteId, { sender, helpText: `Write to ${websiteId}` });
    await world.subscribers("two", [`${ADA},,false`]);
    const about = { from: ADA, to: [SENDERS.one], carrierMessageId: "in-1", keyword: null, answeredByCarrier: false };
    await world.invoke("fetch", () => receiveInbound(world.deps, "sandbox", { ...about, text: "HELP" }));
    await world.runQueues();
    expect(texts).toEqual([{ from: SENDERS.one, to: ADA, text: "Write to one" }]);
  });

  it("whose address is the same at both is texted by each at the number that it has", async () => {
    const one = await world.brand([`${ADA},ada@example.com`], "one");
    const two = await world.brand([`${BOB},ada@example.com`], "two");
    await world.send(one, { email: "ada@example.com", text: "One: hello" });
    await world.send(two, { email: "ada@example.com", text: "Two: hello" });
    await world.runQueues();
    expect(texts.map(({ to, text }) => [to, text]).sort()).toEqual([
      [ADA, "One: hello"],
      [BOB, "Two: hello"],
    ]);
  });

  it("is no subscriber of a website that has never had her number, whatever another has of it", async () => {
    await world.brand([ADA, BOB], "one");
    const two = await world.brand([BOB], "two");
    const answer = await world.post("/text/subscription/status", two, { phone_numbers: [ADA, BOB] });
    expect([answer.status, await answer.json()]).toMatchObject([
      200,
      {
        phoneNumberStatuses: [
          { phoneNumber: ADA, subscriptionStatus: false },
          { phoneNumber: BOB, subscriptionStatus: true },
        ],
      },
    ]);
  });
});
