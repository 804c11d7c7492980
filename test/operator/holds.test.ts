/** What an operator holds of a website waits until it is released; nothing else does. */
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { ServiceState } from "../../src/domain/operations/problems.ts";
import { CampaignWorld, CODES, PHONES, TYPO } from "../campaign.ts";
import { countingDatabase } from "../counting-database.ts";
import { losingAll } from "../late-tries.ts";
import type { TestClient, World } from "../world.ts";

let own: CampaignWorld;
let world: World;
let client: TestClient;

beforeEach(async () => {
  own = await CampaignWorld.create();
  ({ world, client } = own);
  vi.spyOn(globalThis, "fetch").mockImplementation(async () => new Response("thanks"));
});

afterEach(() => {
  vi.restoreAllMocks();
});

interface Listed {
  holdId: string;
  websiteId: string;
  texts: number;
}
const listed = async (query = "") => (await own.read<{ holds: Listed[] }>(`/holds${query}`)).holds;

describe("a hold", () => {
  it("of a purpose stops waiting and new messages, and nothing else; a release lets it go, once", async () => {
    const held = await own.campaign();
    const others = await own.campaign(CODES);
    const { holdId, held: count } = await own.hold({ sendPurpose: TYPO });
    expect(count).toBe(PHONES.length);
    held.push(...(await own.campaign()));
    await world.runQueues();
    await world.pass(10);
    expect(own.submitted.toSorted()).toEqual(others.toSorted());
    const state = await own.read<ServiceState>("/health");
    expect(state.messages).toMatchObject({ held: { count: held.length }, waiting: { count: 0 } });
    expect(state.problems).toEqual([]);
    expect(await own.message(held[0] ?? "")).toMatchObject({ waits: { until: null, because: "an operator holds it" } });
    own.submitted.length = 0;
    expect(await own.call("release", { sendPurpose: TYPO })).toMatchObject({
      ...{ released: held.length, ended: [{ holdId, sendPurpose: TYPO, clientId: null }], remaining: [] },
    });
    await world.runQueues();
    expect(own.submitted.toSorted()).toEqual(held.toSorted());
    expect(await world.rows("SELECT holds FROM websites WHERE holds IS NOT NULL")).toEqual([]);
  });

  it("of a client leaves the texts of others; that of a website, those of other websites", async () => {
    const other = await world.client("brand");
    const shop = await world.brand(PHONES, "shop");
    const held = await own.campaign(TYPO, client);
    const free = [...(await own.campaign(TYPO, other)), ...(await own.campaign(TYPO, shop))];
    expect(await own.hold({ clientId: client.clientId })).toMatchObject({ held: PHONES.length });
    await world.runQueues();
    expect(own.submitted.toSorted()).toEqual(free.toSorted());
    expect(await own.hold({}, "shop")).toMatchObject({ held: 0 });
    await own.campaign(TYPO, shop);
    await world.runQueues();
    expect(own.submitted.length).toBe(free.length);
    await own.call("release", { all: true });
    await world.runQueues();
    expect(own.submitted.toSorted()).toEqual([...free, ...held].toSorted());
  });

  it("keeps what another hold covers as well", async () => {
    const ids = await own.campaign();
    await own.call("hold", { sendPurpose: TYPO });
    const { holdId } = await own.hold({ clientId: client.clientId });
    const remaining = [
      {
        ...{ holdId, sendPurpose: null, clientId: client.clientId },
        ...{ since: "2026-11-21T12:00:00.000Z", by: "OPERATOR_TOKEN", reason: null },
      },
    ];
    expect(await own.call("release", { sendPurpose: TYPO })).toMatchObject({ released: 0, remaining });
    await world.runQueues();
    expect(own.submitted).toEqual([]);
    expect((await own.read<{ holds: object[] }>("/websites/brand")).holds).toEqual(remaining);
    expect(await own.call("release", { holdId })).toMatchObject({ released: ids.length, ended: remaining });
  });

  it("writes each held message once, however long it lasts", async () => {
    await own.campaign();
    await own.call("hold");
    await world.runQueues();
    await world.pass(2);
    const { db, take } = countingDatabase(world.deps.db);
    world.deps = { ...world.deps, db };
    await world.pass(10);
    const written = take().rowsWritten;
    world.advance(60);
    await world.rows("DELETE FROM messages");
    await world.pass(10);
    expect(written).toBeLessThan(take().rowsWritten + PHONES.length / 2);
  });

  it("does not stop the clock: at its deadline a held message fails, and says why", async () => {
    const [messageId = ""] = await own.campaign();
    await own.call("hold");
    await world.runQueues();
    await world.pass(2);
    world.advance(4 * 3600);
    await world.pass(2);
    expect(await own.message(messageId)).toMatchObject({
      status: "FAILED_TO_SEND",
      reason: "CANCELLED",
      reasonDetail: "the carrier could not take it in time (before: held by an operator)",
    });
  });

  it("of a retried message waits for both", async () => {
    own.carrier.answer = () => ({ kind: "later", reason: "busy", retryAfterSeconds: 120 });
    const [messageId = ""] = await own.campaign();
    await world.runQueues();
    await own.call("hold");
    own.carrier.answer = () => ({ kind: "accepted", carrierMessageId: "c" });
    expect(await own.call("release")).toMatchObject({ released: 0 });
    await world.runQueues();
    expect(await world.statusOf(messageId)).toBe("PENDING_TO_SEND");
    await world.pass(3);
    expect(await own.countOf("SENDING")).toBe(PHONES.length);
  });

  it("leaves the confirmation of an opt-out alone", async () => {
    await own.call("hold");
    await world.rows("UPDATE subscriptions SET subscribed = 0, opted_out_by_person = 1 WHERE phone = 12125550100");
    await world.rows(
      `INSERT INTO messages (message_id, website_id, client_id, phone, text, callback_data, send_purpose, status,
         accepted_at, updated_at, due_at, is_reply) VALUES ('reply', 'brand', '', 12125550100, 'You are out.', '', '',
         'PENDING_TO_SEND', ?1, ?1, 0, 1)`,
      world.now,
    );
    await world.pass(3);
    expect(own.submitted).toEqual(["reply"]);
  });
});

describe("a hold while a campaign goes", () => {
  it("is made at one press, whatever was claimed since the look, and stops all but what a run has claimed", async () => {
    const ids = [...(await own.campaign()), ...(await own.campaign()), ...(await own.campaign())];
    const seen = await own.read<{ groups: { rows: { count: number }[] }[] }>("/waiting");
    expect(seen.groups[0]?.rows[0]?.count).toBe(ids.length);
    let answer: unknown;
    own.carrier.answer = async () => {
      if (own.submitted.length === 7) answer = await own.hold({ sendPurpose: TYPO });
      return { kind: "accepted", carrierMessageId: "c" };
    };
    await world.runQueues();
    expect(answer).toEqual({ holdId: expect.any(String), held: expect.any(Number) });
    const { holdId, held } = answer as { holdId: string; held: number };
    expect(held).toBeGreaterThan(0);
    expect(own.submitted.length).toBeLessThanOrEqual(7 + 20);
    expect(await own.countOf("PENDING_TO_SEND")).toBe(ids.length - own.submitted.length);
    await own.call("release", { holdId });
    await world.runQueues();
    expect(own.submitted.toSorted()).toEqual(ids.toSorted());
  });

  it("is one transaction that reads the website alone: what waits is counted after it", async () => {
    await own.campaign();
    // A lost try is repeated at once.
    vi.spyOn(Math, "random").mockReturnValue(0);
    const endLoss = losingAll(world, "FILTER (WHERE");
    const { db, take } = countingDatabase(world.deps.db);
    world.deps = { ...world.deps, db };
    expect(await own.hold()).toEqual({ holdId: expect.any(String), held: 0, atLeast: true });
    endLoss();
    expect(take().rowsRead).toBeLessThan(20);
    expect(await listed()).toMatchObject([{ websiteId: "brand", texts: PHONES.length }]);
  });

  it("of the same scope is the first one, by its id", async () => {
    const scopes = [{}, { sendPurpose: TYPO }, { clientId: client.clientId }];
    const firsts = await Promise.all(scopes.map((scope) => own.hold(scope)));
    const seconds = await Promise.all(
      scopes.map((scope) => own.hold({ ...scope, sendPurpose: scope.sendPurpose ?? "" })),
    );
    expect(seconds.map(({ holdId }) => holdId)).toEqual(firsts.map(({ holdId }) => holdId));
    expect(new Set(firsts.map(({ holdId }) => holdId)).size).toBe(3);
    expect(firsts.map((it) => "alreadyHeld" in it)).toEqual([false, false, false]);
  });
});

describe("holds are listed", () => {
  it("with who made them and how many texts each covers, those without texts too", async () => {
    await world.brand(PHONES, "shop");
    await own.campaign();
    await own.campaign(CODES);
    const typo = await own.hold({ sendPurpose: TYPO, reason: "wrong link" });
    const sprng = await own.hold({ sendPurpose: "sprng" });
    const shop = await own.hold({}, "shop");
    const whole = await own.hold();
    const made = { since: "2026-11-21T12:00:00.000Z", by: "OPERATOR_TOKEN", reason: null };
    const any = { sendPurpose: null, clientId: null };
    const ofBrand = [
      { ...made, ...any, holdId: typo.holdId, websiteId: "brand", sendPurpose: TYPO, reason: "wrong link", texts: 30 },
      { ...made, ...any, holdId: sprng.holdId, websiteId: "brand", sendPurpose: "sprng", texts: 0 },
      { ...made, ...any, holdId: whole.holdId, websiteId: "brand", texts: 60 },
    ];
    expect(await listed("?website=brand")).toEqual(ofBrand);
    expect(await listed()).toEqual([...ofBrand, { ...made, ...any, holdId: shop.holdId, websiteId: "shop", texts: 0 }]);
    await own.call("cancel");
    expect((await listed("?website=brand")).map(({ texts }) => texts)).toEqual([0, 0, 0]);
    await own.call("release", { all: true });
    expect(await listed("?website=brand")).toEqual([]);
    expect((await world.operator("GET", "/holds?website=nobody")).status).toBe(404);
  });

  it("a row of what waits names its own hold, with which it is released", async () => {
    await own.campaign();
    const { holdId } = await own.hold({ sendPurpose: TYPO });
    await own.hold();
    const { groups } = await own.read<{ groups: { rows: object[] }[] }>("/waiting");
    expect(groups[0]?.rows).toMatchObject([{ why: "held", held: { holdId, sendPurpose: TYPO, clientId: null } }]);
  });
});

describe("the reason of a hold and who has made it", () => {
  const audit = () => world.rows("SELECT operator, after FROM audit_log WHERE action = 'hold'");

  it("are shown with the website and each of its messages, and are in the audit log", async () => {
    const [messageId = ""] = await own.campaign();
    const [other = ""] = await own.campaign(CODES);
    const { holdId } = await own.hold({ sendPurpose: TYPO, reason: " wrong link " });
    const hold = { since: "2026-11-21T12:00:00.000Z", by: "OPERATOR_TOKEN", reason: "wrong link" };
    const held = { until: null, because: "an operator holds it", held: hold };
    expect(await (await world.operator("GET", "/websites/brand")).json()).toMatchObject({
      holds: [{ sendPurpose: TYPO, clientId: null, ...hold }],
    });
    expect(await own.message(messageId)).toMatchObject({ waits: held });
    expect(await own.message(other)).toMatchObject({ waits: { because: "its job" } });
    const { messages } = (await (await world.operator("GET", `/messages?website=brand&purpose=${TYPO}`)).json()) as {
      messages: object[];
    };
    expect(messages[0]).toMatchObject({ waits: held });
    const [entry] = await audit();
    expect(entry?.operator).toBe("OPERATOR_TOKEN");
    expect(JSON.parse(String(entry?.after))).toEqual({
      holdId,
      sendPurpose: TYPO,
      clientId: null,
      reason: "wrong link",
    });
  });

  it("stay those of the first, where what is held is held again", async () => {
    await own.call("hold", { reason: "first" });
    expect(await own.hold({ reason: "second" })).toMatchObject({ alreadyHeld: true });
    const [row] = await world.rows("SELECT holds FROM websites WHERE website_id = 'brand'");
    expect(JSON.parse(String(row?.holds))).toMatchObject([{ reason: "first" }]);
    expect(await audit()).toHaveLength(1);
  });
});

describe("refused are", () => {
  it.each(["hold", "release"])("%s without the operator's token, or with a client's", async (what) => {
    const path = `/operator/websites/brand/${what}`;
    expect((await world.fetch(path, { method: "POST" })).status).toBe(401);
    expect((await world.post(path, client, {})).status).toBe(401);
  });

  it.each(["hold", "release"])("%s for an unknown website, or for what is no client of it", async (what) => {
    const status = async (path: string, body: object) => (await world.operator("POST", path, body)).status;
    expect(await status(`/websites/nobody/${what}`, {})).toBe(404);
    for (const body of [{ clientId: "0".repeat(32) }, { clientId: "a typo" }, { sendPurpose: 7 }])
      expect(await status(`/websites/brand/${what}`, body)).toBe(400);
    await own.hold();
    expect(await status(`/websites/brand/${what}`, { sendPurpose: "", clientId: null })).toBe(200);
  });

  it.each([
    ["release", { holdid: "h" }, "holdid", "holdId"],
    ["release", { hold_id: "h" }, "hold_id", "holdId"],
    ["release", { SendPurpose: TYPO }, "SendPurpose", "sendPurpose"],
    ["hold", { send_purpose: TYPO }, "send_purpose", "sendPurpose"],
    ["cancel", { sendpurpose: TYPO }, "sendpurpose", "sendPurpose"],
    ["cancel", { sendPurpose: TYPO, dryrun: true }, "dryrun", "dryRun"],
  ])("%s of %j, which would be for more than is meant", async (what, body, field, name) => {
    await own.campaign();
    const held = await own.hold();
    expect(await own.call(what, body)).toMatchObject({
      code: 40001,
      details: [{ field, message: `must be written as ${name}` }],
    });
    expect(await listed()).toMatchObject([{ holdId: held.holdId, texts: PHONES.length }]);
  });
});
