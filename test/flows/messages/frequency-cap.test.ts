/** A website's cap on marketing messages to one person: never passed, and nothing else is held to it. */
import { beforeEach, describe, expect, it } from "vitest";
import { CAP_PAUSE_SECONDS } from "../../../src/domain/messages/retry-policy.ts";
import { countsOf } from "../../counted.ts";
import { ToldCarrier } from "../../told-carrier.ts";
import { type TestClient, World } from "../../world.ts";
import { claimAs, going, recordRefused } from "./cap-stage.ts";

const ADA = "+12125550100";
const BOB = "+12125550101";
const QUEUE = "textgate-messages";
const HOUR = 3_600_000;

let world: World;
let client: TestClient;
let carrier: ToldCarrier;

beforeEach(async () => {
  world = await World.create();
  client = await world.brand([ADA, BOB]);
  carrier = new ToldCarrier(world);
});

const cap = (count: number, hours = 24) => world.website("brand", { frequencyCap: { count, hours } });

/** Accepts a message, and queues nothing of it. A second later than the one before: their order is that of their acceptance. */
async function accept(phone = ADA, fields: Record<string, unknown> = {}): Promise<string> {
  const messageId = await world.send(client, { phone, ...fields });
  world.jobs.length = 0;
  world.advance(1);
  return messageId;
}

async function acceptAll(count: number, phone = ADA, fields: Record<string, unknown> = {}): Promise<string[]> {
  const ids: string[] = [];
  for (let left = count; left > 0; left--) ids.push(await accept(phone, fields));
  return ids;
}

const deliver = (messageIds: string[]) => world.deliver(QUEUE, [{ kind: "deliver", messageIds }]);

/** Those that waited for the outcomes of others are tried once more. */
async function deliverAgain(): Promise<void> {
  world.advance(CAP_PAUSE_SECONDS);
  await world.runQueues();
}

/** Claims, and records what may not be submitted. @returns the ids of the others */
async function claim(ids: string[], name: string, now = world.now): Promise<string[]> {
  const claimed = await claimAs(world, name, ids, now);
  await recordRefused(world, name, claimed);
  return going(claimed).sort();
}

/** A carrier has accepted claimed messages. */
const accepted = (ids: string[]) =>
  world.rows(
    "UPDATE messages SET status = 'SENDING', claim = NULL, due_at = NULL WHERE message_id IN (SELECT value FROM json_each(?1))",
    JSON.stringify(ids),
  );

async function reasons(ids: string[]): Promise<unknown[]> {
  const rows = await world.rows("SELECT message_id, status, reason_code FROM messages");
  return ids.map((id) => {
    const row = rows.find(({ message_id }) => message_id === id);
    return row?.reason_code ?? row?.status;
  });
}

const CAPPED = "FREQUENCY_CAP";

describe("one claim", () => {
  it("takes those that were accepted first, up to the cap, for each person", async () => {
    await cap(2);
    const ada = await acceptAll(4);
    const bob = await acceptAll(3, BOB);
    await deliver([...ada, ...bob].reverse());
    await deliverAgain();
    expect([...carrier.submitted].sort()).toEqual([...ada.slice(0, 2), ...bob.slice(0, 2)].sort());
    expect(await reasons(ada)).toEqual(["SENDING", "SENDING", CAPPED, CAPPED]);
    expect(await reasons(bob)).toEqual(["SENDING", "SENDING", CAPPED]);
  });

  it("ends what is over the cap with an event, its reason and its counts", async () => {
    await cap(1);
    const ids = await acceptAll(2);
    await deliver(ids);
    await deliverAgain();
    expect(await world.events(client)).toContainEqual(
      expect.objectContaining({ messageId: ids[1], status: "FAILED_TO_SEND", reason: CAPPED }),
    );
    const { accepted, endedBefore, notSubscribed } = await countsOf(world, "brand");
    expect({ accepted, endedBefore, notSubscribed }).toEqual({ accepted: 2, endedBefore: 1 });
  });

  it("gives no place to a message that it would not take", async () => {
    await cap(1);
    const [waits, held, goes] = await acceptAll(3);
    await world.rows("UPDATE messages SET reason = 'busy', due_at = ?2 WHERE message_id = ?1", waits, world.now + HOUR);
    await world.rows("UPDATE messages SET send_at = ?2 WHERE message_id = ?1", held, world.now + HOUR);
    expect(await claim([waits, held, goes].map(String), "a")).toEqual([goes]);
    expect(await reasons([waits, held].map(String))).toEqual(["PENDING_TO_SEND", "PENDING_TO_SEND"]);
  });

  it("finds the same again under its name", async () => {
    await cap(2);
    const ids = await acceptAll(3);
    const first = await claimAs(world, "a", ids);
    expect(await claimAs(world, "a", ids)).toEqual(first);
    expect([first.length, going(first)]).toEqual([3, ids.slice(0, 2)]);
  });

  it("ends a message to a number that has opted out as such", async () => {
    await cap(1);
    const ids = await acceptAll(2);
    await world.rows("UPDATE subscriptions SET subscribed = 0");
    expect(await claim(ids, "a")).toEqual([]);
    expect(await reasons(ids)).toEqual(["OPTED_OUT", "OPTED_OUT"]);
  });
});

describe("two runs at once", () => {
  it("count what the other has begun, before it has an outcome", async () => {
    await cap(3);
    const one = await acceptAll(2);
    const other = await acceptAll(3);
    expect(await claim(one, "a")).toEqual([...one].sort());
    expect(await claim(other, "b")).toEqual(other.slice(0, 1));
    expect(await reasons(other)).toEqual(["PENDING_TO_SEND", "PENDING_TO_SEND", "PENDING_TO_SEND"]);
    await accepted([...one, ...other.slice(0, 1)]);
    world.advance(CAP_PAUSE_SECONDS);
    expect(await claim(other, "c")).toEqual([]);
    expect(await reasons(other)).toEqual(["SENDING", CAPPED, CAPPED]);
  });

  it("count what the other has claimed, and is about to put back", async () => {
    await cap(1);
    const [first, second, third] = (await acceptAll(3)) as [string, string, string];
    const one = await claimAs(world, "a", [first, second]);
    expect(going(one)).toEqual([first]);
    expect(await claim([third], "b")).toEqual([]);
    await recordRefused(world, "a", one);
    world.advance(CAP_PAUSE_SECONDS);
    expect(await claim([second, third], "c")).toEqual([]);
    await world.rows("UPDATE messages SET claimed_at = NULL, claim = NULL, attempts = 0 WHERE message_id = ?1", first);
    world.advance(CAP_PAUSE_SECONDS);
    expect(await claim([third, second], "d")).toEqual([second]);
  });

  it("count once what both were asked to submit", async () => {
    await cap(2);
    const ids = await acceptAll(3);
    expect(await claim(ids.slice(0, 1), "a")).toEqual(ids.slice(0, 1));
    expect(await claim(ids, "b")).toEqual(ids.slice(1, 2));
    await accepted(ids.slice(0, 2));
    world.advance(CAP_PAUSE_SECONDS);
    expect(await claim(ids, "c")).toEqual([]);
    expect(await reasons(ids)).toEqual(["SENDING", "SENDING", CAPPED]);
  });

  it("never pass the cap together", async () => {
    await cap(3);
    const ids = await acceptAll(12);
    const parts = [0, 1, 2, 3].map((part) => ids.filter((_, index) => index % 4 === part));
    await Promise.all([...parts, ...parts].map(deliver));
    await deliverAgain();
    expect(carrier.submitted).toHaveLength(3);
    expect((await reasons(ids)).filter((reason) => reason === CAPPED)).toHaveLength(9);
  });

  it("count by the person and the website", async () => {
    await cap(1);
    const other = await world.brand([ADA], "other");
    const [first] = await acceptAll(1);
    const bob = await accept(BOB);
    const others = await world.send(other, { phone: ADA });
    for (const [name, id] of Object.entries({ first, bob, others })) {
      expect(await claim([String(id)], name)).toEqual([id]);
    }
  });
});

describe("the window", () => {
  it.each([
    [24 * HOUR - 1, CAPPED],
    [24 * HOUR, "PENDING_TO_SEND"],
  ])("%d ms after the submission", async (after, reason) => {
    await cap(1);
    const [first, second] = await acceptAll(2);
    const begun = world.now;
    expect(await claim([String(first)], "a", begun)).toEqual([first]);
    await accepted([String(first)]);
    await claim([String(second)], "b", begun + after);
    expect(await reasons([String(second)])).toEqual([reason]);
  });

  it("does not count a submission that surely was not", async () => {
    await cap(1);
    const [first, second] = await acceptAll(2);
    await claim([String(first)], "a");
    await world.rows("UPDATE messages SET claimed_at = NULL, claim = NULL WHERE message_id = ?1", first);
    expect(await claim([String(second)], "b")).toEqual([second]);
  });
});

describe("what is no marketing", () => {
  it.each<[what: string, fields: Record<string, unknown>, reason: string]>([
    ["a transactional message", { kind: "transactional" }, "SENDING"],
    ["a transactional purpose", { sendPurpose: "login code" }, "SENDING"],
    ["marketing under such a purpose", { sendPurpose: "login code", kind: "marketing" }, CAPPED],
    ["an absent kind", { kind: "" }, CAPPED],
  ])("%s: %j, %s", async (_, fields, reason) => {
    await world.website("brand", { frequencyCap: { count: 1, hours: 24 }, transactionalPurposes: ["login code"] });
    await deliver(await acceptAll(1));
    const ids = await acceptAll(2, ADA, fields);
    await deliver(ids);
    expect(await reasons(ids)).toEqual([reason, reason]);
  });

  it("is not counted, and a reply is neither counted nor capped", async () => {
    await cap(1);
    await deliver(await acceptAll(2, ADA, { kind: "transactional" }));
    const replies = await acceptAll(2);
    await world.rows(
      "UPDATE messages SET is_reply = 2, kind = NULL WHERE message_id IN (SELECT value FROM json_each(?1))",
      JSON.stringify(replies),
    );
    await deliver(replies);
    expect(await reasons(replies)).toEqual(["SENDING", "SENDING"]);
    const [first, second] = await acceptAll(2);
    await deliver([first, second].map(String));
    await deliverAgain();
    expect(await reasons([first, second].map(String))).toEqual(["SENDING", CAPPED]);
  });

  it("is not known from another word", async () => {
    const answer = await world.post("/text/message/send", client, {
      ...{ phone: ADA, text: "hello", callbackData: "", sendPurpose: "a", kind: "promo" },
    });
    expect(answer.status).toBe(400);
    expect(await answer.json()).toMatchObject({ details: [{ field: "kind" }] });
  });
});

describe("a scheduled message", () => {
  const inHours = (hours: number) => new Date(world.now + hours * HOUR).toISOString();

  it("is counted when it goes, and keeps its kind until then", async () => {
    await cap(1);
    const sendAt = inHours(1);
    const plain = await acceptAll(2, ADA, { sendAt });
    const code = await accept(ADA, { sendAt, kind: "transactional" });
    const view = await world.rows("SELECT kind, count(*) AS n FROM messages GROUP BY kind ORDER BY kind");
    expect(view).toEqual([
      { kind: "marketing", n: 2 },
      { kind: "transactional", n: 1 },
    ]);
    await world.pass((Date.parse(sendAt) - world.now) / 60_000 + 2);
    expect(carrier.submitted).toHaveLength(2);
    expect(carrier.submitted).toContain(code);
    expect((await reasons(plain)).sort()).toEqual([CAPPED, "SENDING"]);
  });

  it("is held to a cap that was set while it was kept", async () => {
    const sendAt = inHours(0.2);
    const plain = await acceptAll(2, ADA, { sendAt });
    const code = await accept(ADA, { sendAt, kind: "transactional" });
    await cap(1);
    await world.pass((Date.parse(sendAt) - world.now) / 60_000 + 2);
    expect((await reasons([...plain, code])).sort()).toEqual([CAPPED, "SENDING", "SENDING"]);
    expect(carrier.submitted).toContain(code);
  });
});

describe("the setting", () => {
  it("ends nothing once it is removed", async () => {
    await cap(1);
    const ids = await acceptAll(3);
    await world.website("brand", { frequencyCap: null });
    await deliver(ids);
    expect(await reasons(ids)).toEqual(["SENDING", "SENDING", "SENDING"]);
  });

  it("counts what went before it was set", async () => {
    await deliver(await acceptAll(2));
    expect(await world.rows("SELECT DISTINCT kind FROM messages")).toEqual([{ kind: "marketing" }]);
    await cap(3);
    const ids = await acceptAll(2);
    await deliver(ids);
    await deliverAgain();
    expect(await reasons(ids)).toEqual(["SENDING", CAPPED]);
  });
});
