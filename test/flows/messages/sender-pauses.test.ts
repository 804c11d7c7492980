/** A pause belongs to what the carrier's answer is about: to one sender, or to all that use the account. Twilio answers as it does. */
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { mockSockets } from "../../carriers/carrier-world.ts";
import { twilio } from "../../carriers/twilio.ts";
import { FULL, MANY, refuse, SenderStage, TWENTY } from "./sender-stage.ts";

mockSockets();

let at: SenderStage;

beforeEach(async () => {
  at = await SenderStage.create();
});

afterEach(() => at.end());

describe("a sender whose queue at the carrier is full", () => {
  it("pauses, and the texts of another website at the carrier all go in the first run", async () => {
    await Promise.all(MANY.map((phone) => at.at.world.send(at.shop, { phone })));
    await at.send(at.at.client);
    expect(at.ours).toHaveLength(TWENTY.length);
    // Five connections may each have one under way when the third is refused.
    expect(at.from(FULL).length).toBeLessThanOrEqual(3 + 4);
    expect(await at.statuses("brand", "shop")).toEqual(["SENDING", "PENDING_TO_SEND"]);
    expect(await at.pauses()).toEqual([{ carrier: "twilio", sender: FULL, about: "sender" }]);
  });

  it("has no text claimed beside those of another website, which go in the same run", async () => {
    const { world, client } = at.at;
    const waiting = await at.send(at.shop, MANY);
    await world.rows("UPDATE carrier_pauses SET open_until = ?1", world.now + 3_600_000);
    const ids = await Promise.all(TWENTY.map((phone) => world.send(client, { phone })));
    const tried = at.from(FULL).length;
    world.jobs.length = 0;
    await world.deliver("textgate-messages", [{ kind: "deliver", messageIds: [...waiting, ...ids] }]);
    expect(at.ours).toHaveLength(TWENTY.length);
    expect(at.from(FULL)).toHaveLength(tried);
    const [row] = await world.rows("SELECT max(attempts) AS most FROM messages WHERE website_id = 'shop'");
    expect(row?.most).toBe(1);
  });

  it("stops each website that has it, and no other", async () => {
    const outlet = await at.makeWebsite("outlet", FULL);
    await at.send(at.shop);
    const tried = at.from(FULL).length;
    await at.send(outlet);
    await at.send(at.at.client);
    expect(at.from(FULL)).toHaveLength(tried);
    expect(await at.statuses("outlet", "brand")).toEqual(["PENDING_TO_SEND", "SENDING"]);
  });

  it("lets the texts go that its website sends by another sender", async () => {
    const ids = await at.send(at.shop);
    await at.at.world.website("shop", { carrier: "twilio", sender: "+12125550008" });
    await at.pass(3);
    expect(at.from("+12125550008").toSorted()).toEqual(ids.toSorted());
  });

  it("is tried with its carrier, when an operator asks for it", async () => {
    await at.send(at.shop);
    at.at.answer = twilio.accepts;
    const { due } = await (await at.at.world.operator("POST", "/carriers/twilio/try")).json<{ due: number }>();
    expect(due).toBe(TWENTY.length);
    await at.at.world.runQueues();
    expect(await at.statuses("shop")).toEqual(["SENDING"]);
  });

  it("waits for its carrier, too: all that waits is tried once a minute, and goes once both work", async () => {
    await at.send(at.shop);
    at.at.answer = () => refuse(20429);
    await at.send(at.at.client);
    await at.at.world.rows("UPDATE carrier_pauses SET open_until = ?1", at.at.world.now + 600_000);
    const tried = at.at.submitted.length;
    await at.pass(2);
    expect(at.at.submitted).toHaveLength(tried + 1);
    at.at.answer = twilio.accepts;
    await at.pass(4);
    expect(await at.statuses("brand", "shop")).toEqual(["SENDING", "SENDING"]);
  });

  it("ends its texts in time as SENDER_LIMIT, those that were tried and those that were put off", async () => {
    await at.send(at.shop);
    await at.at.world.rows("UPDATE carrier_pauses SET open_until = ?1", at.at.world.now + 3_600_000);
    await at.send(at.shop, MANY.slice(20));
    const untried = await at.at.world.rows("SELECT 1 FROM messages WHERE status = 'PENDING_TO_SEND' AND attempts = 0");
    expect(untried.length).toBeGreaterThan(MANY.length - 20);
    at.at.world.advance(5 * 3600);
    await at.at.world.sweep();
    const ended = await at.at.world.rows("SELECT DISTINCT status, reason_code FROM messages");
    expect(ended).toEqual([{ status: "FAILED_TO_SEND", reason_code: "SENDER_LIMIT" }]);
  });

  it("says in the story of a message why it waits", async () => {
    const messageId = (await at.send(at.shop)).at(-1) ?? "";
    const because = `sender ${FULL} at twilio keeps failing: its circuit breaker is open (twilio: HTTP 429, 21611: Why)`;
    expect(await at.at.message(messageId)).toMatchObject({ status: "PENDING_TO_SEND", waits: { because } });
  });
});

describe("an account that is beyond its rate", () => {
  it.each([
    ["too many requests", 20429, 429],
    ["no funds", 90010, 400],
  ])("(%s) stops all of its websites, until it takes texts again", async (_, code, status) => {
    at.at.answer = () => refuse(code, status);
    await at.send(at.shop);
    const tried = at.at.submitted.length;
    await at.send(at.at.client);
    expect(at.at.submitted).toHaveLength(tried);
    expect(await at.pauses()).toEqual([{ carrier: "twilio", sender: "", about: "account" }]);
    expect(await at.statuses("brand", "shop")).toEqual(["PENDING_TO_SEND", "PENDING_TO_SEND"]);
    at.at.answer = twilio.accepts;
    await at.pass(2);
    expect(await at.statuses("brand", "shop")).toEqual(["SENDING", "SENDING"]);
  });

  it("ends its texts in time as CARRIER_UNAVAILABLE", async () => {
    at.at.answer = () => refuse(20429);
    await at.send(at.shop);
    at.at.world.advance(5 * 3600);
    await at.at.world.sweep();
    const ended = await at.at.world.rows("SELECT DISTINCT status, reason_code FROM messages");
    expect(ended).toEqual([{ status: "FAILED_TO_SEND", reason_code: "CARRIER_UNAVAILABLE" }]);
  });
});
