/** Erased people stay erased: under imports at the same time, and under new secrets. */
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { PART_ROWS } from "../../../src/domain/people/subscriber-file.ts";
import { applyReceipts } from "../../../src/flows/messages/apply-receipts.ts";
import { receiveInbound } from "../../../src/flows/people/receive-inbound.ts";
import { Hmac } from "../../../src/platform/hmac.ts";
import { hmacHex } from "../../../src/platform/secrets.ts";
import { ErasureKey } from "../../../src/store/people/erasure-key.ts";
import { failingDatabase, heldDatabase } from "../../failing-database.ts";
import { dumpStores } from "../../stores.ts";
import { OPERATOR_TOKEN, type TestClient, World } from "../../world.ts";

const ADA = "+12125550100";
const BOB = "+12125550101";
const OURS = "+12125550000";

let world: World;
let client: TestClient;

beforeEach(async () => {
  world = await World.create();
  await world.website("brand", { sender: OURS });
  await world.subscribers("brand", [ADA, BOB]);
  client = await world.client("brand");
});

afterEach(() => {
  vi.restoreAllMocks();
});

const erase = (phone: string, websiteId = "brand") =>
  world.operator("DELETE", `/websites/${websiteId}/people/${phone}`);
const subscribe = async (...phone_numbers: string[]) => {
  const answer = await world.post("/text/subscribe", client, { phone_numbers, sendPurpose: "again" });
  return ((await answer.json()) as { failedToProcessNumbers: string[] }).failedToProcessNumbers;
};
const unsubscribe = async (...phone_numbers: string[]) =>
  (await world.post("/text/unsubscribe", client, { phone_numbers })).json();
const stateOf = async (phone: string) =>
  (await world.rows("SELECT subscribed FROM subscriptions WHERE phone = ?1", Number(phone.slice(1))))[0]?.subscribed;
const marks = async () => (await world.rows("SELECT mark FROM erased_people")).map(({ mark }) => String(mark));

let texts = 0;
const text = (words: string, from = ADA) =>
  world.invoke("fetch", () =>
    receiveInbound(world.deps, "sandbox", {
      carrierMessageId: `in-${++texts}`,
      from,
      to: [OURS],
      text: words,
      keyword: null,
      answeredByCarrier: false,
    }),
  );

/** The same service after a deploy with other secrets. */
async function withSecrets(serviceKey: string, operatorToken = OPERATOR_TOKEN): Promise<void> {
  const next = await World.another(world);
  next.deps = { ...next.deps, config: { ...next.deps.config, serviceKey, operatorToken } };
  world = next;
}

describe("an erased person", () => {
  it("who texts STOP is stored as opted out, and stays so", async () => {
    await erase(ADA);
    await text("STOP");
    expect(await stateOf(ADA)).toBe(0);
    expect(await subscribe(ADA)).toEqual([ADA]);
    expect(await stateOf(ADA)).toBe(0);
  });

  it("who has opted out at the carrier is stored as opted out", async () => {
    await erase(ADA);
    const messageId = await world.send(client, { phone: ADA });
    const receipt = { messageId, status: "FAILED_TO_DELIVERY", reason: "opted out", carrierMessageId: null } as const;
    await world.invoke("fetch", () => applyReceipts(world.deps, [{ ...receipt, optedOut: true }]));
    expect(await stateOf(ADA)).toBe(0);
    expect(await subscribe(ADA)).toEqual([ADA]);
  });

  it("is unsubscribed by a client, and by an import", async () => {
    await erase(ADA);
    expect(await unsubscribe(ADA)).toMatchObject({ message: "1 number is unsubscribed." });
    expect(await stateOf(ADA)).toBe(0);
    await erase(BOB);
    await world.subscribers("brand", [`${BOB},,false`]);
    expect(await stateOf(BOB)).toBe(0);
    expect(await subscribe(ADA, BOB)).toEqual([ADA, BOB]);
  });

  it.each([[["START"]], [["STOP", "START"]], [["unsubscribed", "START"]]])(
    "who texts START is subscribed by their own word (%s), and the tombstone goes",
    async (words) => {
      await erase(ADA);
      for (const word of words) await (word === "unsubscribed" ? unsubscribe(ADA) : text(word));
      expect([await stateOf(ADA), await marks()]).toEqual([1, []]);
      const ledger = await world.rows(
        "SELECT subscribed, source, proof FROM subscription_changes WHERE phone = ?1",
        12125550100,
      );
      expect(ledger.at(-1)).toEqual({ subscribed: 1, source: "keyword", proof: "START" });
      const messageId = await world.send(client, { phone: ADA });
      await world.runQueues();
      expect(await world.statusOf(messageId)).toBe("DELIVERED");
      await unsubscribe(ADA);
      expect(await stateOf(ADA)).toBe(0);
      expect(await subscribe(ADA)).toEqual([]);
    },
  );

  it("whose START comes in a transaction that takes effect twice is subscribed once", async () => {
    vi.spyOn(Math, "random").mockReturnValue(0);
    await erase(ADA);
    const { deps } = world;
    world.deps = { ...deps, db: failingDatabase(deps.db, 1, "after", undefined, "batches") };
    await text("START");
    world.deps = deps;
    expect([await stateOf(ADA), await marks()]).toEqual([1, []]);
    expect(await world.rows("SELECT count(*) AS n FROM subscription_changes WHERE phone = 12125550100")).toEqual([
      { n: 1 },
    ]);
  });

  it("in one website is subscribed in another, whose START leaves the tombstone alone", async () => {
    await world.brand([ADA], "other");
    await erase(ADA);
    await erase(ADA, "other");
    await text("START");
    const left = await world.rows("SELECT DISTINCT website_id FROM erased_people");
    expect(left).toEqual([{ website_id: "other" }]);
  });

  it("who was never erased is not subscribed by START", async () => {
    await erase(ADA);
    await text("START", "+12125550177");
    expect(await stateOf("+12125550177")).toBeUndefined();
  });
});

describe("an import that is under way while somebody is erased", () => {
  /** Three parts of a file, each a transaction of its own; Ada's row is in the first and Bob's in the last. */
  const others = 2 * PART_ROWS;
  const file = () => [ADA, ...Array.from({ length: others }, (_, i) => `+1646${5_000_000 + i}`), BOB];

  it.each([1, 2, 3])("does not undo the erasure before its part no. %i", async (nth) => {
    const { deps } = world;
    // The first two are the entry in the audit log and the beginning of the import.
    const held = heldDatabase(deps.db, 2 + nth);
    world.deps = { ...deps, db: held.db };
    const importing = world.subscribers("brand", file());
    await held.reached;
    world.deps = deps;
    expect([(await erase(ADA)).status, (await erase(BOB)).status]).toEqual([200, 200]);
    held.release();
    const answer = (await (await importing).json()) as { imported: number; optedOutNumbers: string[] };
    expect([await stateOf(ADA), await stateOf(BOB)]).toEqual([undefined, undefined]);
    // What was written before the erasure counts as imported: it was, and then erased.
    const isAdaFirst = nth > 1;
    expect(answer.optedOutNumbers).toEqual(isAdaFirst ? [BOB] : [ADA, BOB]);
    expect(answer.imported).toBe(others + 2 - answer.optedOutNumbers.length);
    expect(await world.rows("SELECT count(*) AS n FROM subscriptions")).toEqual([{ n: others }]);
  });

  it("does not undo it where others were erased before", async () => {
    await erase("+12125550177");
    const { deps } = world;
    const held = heldDatabase(deps.db, 2);
    world.deps = { ...deps, db: held.db };
    const importing = world.subscribers("brand", [ADA, BOB]);
    await held.reached;
    world.deps = deps;
    await erase(ADA);
    held.release();
    expect(await (await importing).json()).toMatchObject({ imported: 1, optedOutNumbers: [ADA] });
    expect([await stateOf(ADA), await stateOf(BOB)]).toEqual([undefined, 1]);
  });
});

describe("an import of many numbers into a website that has erased people", () => {
  const many = Array.from({ length: 1200 }, (_, i) => `+1646${5_000_000 + i}`);
  const [subscribed = "", fresh = "", eve = ""] = many.slice(-3);
  const signed = () => {
    const sign = vi.spyOn(Hmac.prototype, "sign");
    return () => new Set(sign.mock.calls.map(([words]) => words.replace("erased brand ", "")));
  };
  const importing = async (rows: string[], query = "") =>
    (await (await world.subscribers("brand", rows, query)).json()) as object;

  it("computes no tombstone of a number that is subscribed with that address", async () => {
    await importing(many.map((phone) => `${phone},${phone.slice(1)}@example.com`));
    await world.subscribers("brand", [`${fresh},,no`]);
    await erase(eve);
    const numbers = signed();
    const file = [...many.slice(0, -1), `${subscribed},new@example.com`, eve, "+16468888888,,no"];
    const counts = { imported: 1200, newOptedOut: 1, becameSubscribed: 1, newAddress: 1, unchanged: 1197 };
    expect(await importing(file, "?resubscribe=true")).toMatchObject({
      ...counts,
      ...{ keptUnsubscribed: 1, optedOutNumbers: [eve] },
    });
    expect(numbers()).toEqual(new Set([subscribed, fresh, eve]));
    expect([await stateOf(eve), await stateOf(fresh), await stateOf("+16468888888")]).toEqual([undefined, 1, 0]);
    expect(await world.rows("SELECT email FROM subscriptions WHERE phone = ?1", Number(subscribed.slice(1)))).toEqual([
      { email: "new@example.com" },
    ]);
  });

  it.each([0, 2500])("finds those among its numbers, and who is erased meanwhile, beside %i others", async (others) => {
    await erase(ADA);
    await world.rows(
      `INSERT INTO erased_people (website_id, mark, erased_at) WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ?1)
       SELECT 'brand', 'another ' || n, 0 FROM numbers WHERE ?1 > 0`,
      others,
    );
    const { deps } = world;
    const held = heldDatabase(deps.db, 2);
    world.deps = { ...deps, db: held.db };
    const answer = importing([...many, ADA]);
    await held.reached;
    world.deps = deps;
    await erase(eve);
    held.release();
    expect(await answer).toMatchObject({ imported: 1199, optedOutNumbers: expect.arrayContaining([ADA, eve]) });
    expect([await stateOf(ADA), await stateOf(eve), await stateOf(fresh)]).toEqual([undefined, undefined, 1]);
  });
});

describe("the marks of erased people", () => {
  it("cost no HMAC in a website without any, nor for opt-outs", async () => {
    await world.brand([], "other");
    await erase(ADA, "other");
    const sign = vi.spyOn(Hmac.prototype, "sign");
    expect(await subscribe(ADA, BOB)).toEqual([]);
    await erase(ADA);
    sign.mockClear();
    await unsubscribe(ADA, BOB);
    expect(sign).not.toHaveBeenCalled();
  });

  it("are made of the numbers at hand, under a key that is made ready once", async () => {
    await erase(ADA);
    const [sign, importKey] = [vi.spyOn(Hmac.prototype, "sign"), vi.spyOn(crypto.subtle, "importKey")];
    const phones = Array.from({ length: 5000 }, (_, i) => `+1646${5_000_000 + i}`);
    expect(await subscribe(...phones.slice(1), ADA)).toEqual([ADA]);
    // Ada's is made once more, to be sure.
    expect(sign.mock.calls.length).toBe(5000 + 1);
    expect(importKey.mock.calls.length).toBe(0);
  });

  it("hold when SERVICE_KEY, OPERATOR_TOKEN or both are replaced, again and again", async () => {
    await erase(ADA);
    await withSecrets("another service key");
    expect(await subscribe(ADA)).toEqual([ADA]);
    await withSecrets("a third one", "another token");
    expect(await subscribe(ADA)).toEqual([ADA]);
    await text("START");
    expect(await stateOf(ADA)).toBe(1);
  });

  it("hold when KV has lost its copy of their key, and under a new secret once that has been read", async () => {
    await erase(ADA);
    const forget = async () => {
      const { keys } = await env.CREDENTIALS.list({ prefix: "erasure-key:" });
      expect(keys).toHaveLength(1);
      for (const { name } of keys) await env.CREDENTIALS.delete(name);
    };
    await withSecrets("another service key");
    expect(await subscribe(ADA)).toEqual([ADA]);
    await forget();
    await withSecrets("another service key");
    expect(await subscribe(ADA)).toEqual([ADA]);
    expect(await stateOf(ADA)).toBeUndefined();
  });

  it("let nobody be subscribed while their key cannot be read at all, and are found again with the old secret", async () => {
    await erase(ADA);
    const { serviceKey = "" } = world.deps.config;
    for (const { name } of (await env.CREDENTIALS.list({ prefix: "erasure-key:" })).keys)
      await env.CREDENTIALS.delete(name);
    await withSecrets("another service key");
    const answer = await world.post("/text/subscribe", client, { phone_numbers: [ADA], sendPurpose: "a" });
    expect([answer.status, await stateOf(ADA)]).toEqual([500, undefined]);
    expect(world.logs.join()).toContain("set the old SERVICE_KEY again");
    expect((await world.post("/text/unsubscribe", client, { phone_numbers: [BOB] })).status).toBe(200);
    await withSecrets(serviceKey);
    expect(await subscribe(ADA)).toEqual([ADA]);
  });

  it("tell nothing to who has D1 alone, or KV alone", async () => {
    await erase(ADA);
    const [copy] = (await env.CREDENTIALS.list({ prefix: "erasure-key:" })).keys;
    const key = String(await env.CREDENTIALS.get(String(copy?.name)));
    expect(await marks()).toContain(await hmacHex(key, `erased brand ${ADA}`));
    const dump = await dumpStores(world);
    const [database, keyValue] = JSON.parse(dump) as [unknown, unknown];
    expect(JSON.stringify(database)).not.toContain(key);
    for (const mark of await marks()) expect(JSON.stringify(keyValue)).not.toContain(mark);
  });

  it.each(["before", "after"] as const)("have one key, whatever fails (%s) as it is made", async (when) => {
    vi.spyOn(Math, "random").mockReturnValue(0);
    const { serviceKey = "" } = world.deps.config;
    const read = async (db: D1Database) => new ErasureKey(env.CREDENTIALS).read(db, serviceKey);
    await expect(read(failingDatabase(env.DB, Number.POSITIVE_INFINITY, when))).rejects.toThrow("store-unavailable");
    const keys = await Promise.all([read(env.DB), read(env.DB), read(env.DB)]);
    expect(new Set(keys.map((key) => key.sign("a").join())).size).toBe(1);
    expect(await world.rows("SELECT count(*) AS n FROM erasure_key")).toEqual([{ n: 1 }]);
  });
});
