import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { receiveInbound } from "../../src/flows/receive-inbound.ts";
import { takeCallbacks } from "../callback-endpoint.ts";
import { bindDatabases, boundDatabase, rowsOf, useDatabases } from "../databases.ts";
import { beginMove, fillTables, finishMove, rowsOfWebsite } from "../moves.ts";
import { Random } from "../random.ts";
import { strictDatabase } from "../strict/database.ts";
import { platform } from "../strict/platform.ts";
import { SEND, type TestClient, World } from "../world.ts";

const PEOPLE = Array.from({ length: 8 }, (_, index) => `+1212555010${index}`);
const SENDER = "+16465550009";

/** Each call of D1 may be cut off before it commits or after it, or be made again as its answer was lost. */
function restless(db: D1Database, random: () => number): D1Database {
  const killed = () => new Error("D1_ERROR: syntax error: killed");
  const batch = async (statements: D1PreparedStatement[]) => {
    const fate = random();
    if (fate < 0.02) throw killed();
    const results = await db.batch(statements);
    if (fate < 0.04) throw killed();
    if (fate < 0.08) throw new Error("D1_ERROR: Network connection lost.");
    return results;
  };
  return { prepare: (sql: string) => db.prepare(sql), batch } as unknown as D1Database;
}

let world: World;
let traffic: World;
let brand: TestClient;
let near: TestClient;
let posts: string[];

beforeEach(async () => {
  world = await World.create();
  await bindDatabases(world, 2);
  posts = takeCallbacks();
  await world.sweep();
  const make = async (websiteId: string, sender: string) => {
    const settings = { name: websiteId, carrier: "sandbox", database: "DB", sender, duplicateWindowHours: null };
    await world.operator("PUT", `/websites/${websiteId}`, settings);
    await world.subscribers(websiteId, PEOPLE);
    return world.client(websiteId, { callbackUrl: `https://${websiteId}.example.com/` });
  };
  brand = await make("brand", SENDER);
  near = await make("near", "+16465550008");
  traffic = await World.another(world);
  useDatabases(traffic, (name) => strictDatabase(boundDatabase(name)), ["DB_2"]);
});

afterEach(() => {
  vi.restoreAllMocks();
});

class Model {
  readonly #random: () => number;
  readonly accepted = new Map<string, { client: TestClient; phone: string; isStopped: boolean }>();
  readonly keys = new Map<string, string>();
  readonly subscribed = new Map<string, boolean>(PEOPLE.map((phone) => [phone, true]));
  /** Whose state is not known: the call was refused, or was answered while another one was under way. */
  readonly stopped = new Set<string>();
  refused = 0;

  constructor(random: () => number) {
    this.#random = random;
  }

  #pick<T>(items: readonly T[]): T {
    return items[Math.floor(this.#random() * items.length)] as T;
  }

  async act(): Promise<void> {
    const act = this.#random();
    const phone = this.#pick(PEOPLE);
    if (act < 0.45) await this.#send(phone);
    else if (act < 0.6) await this.#stop(phone);
    else if (act < 0.7) await this.#subscribe(phone);
    else if (act < 0.9) await traffic.runQueues();
    else traffic.advance(1);
  }

  async #send(phone: string): Promise<void> {
    const client = this.#pick([brand, brand, near]);
    const key = this.#random() < 0.5 ? `key-${Math.floor(this.#random() * 12)}-${phone}-${client.clientId}` : undefined;
    const headers: Record<string, string> = key ? { "idempotency-key": key } : {};
    const isStopped = client === brand && this.subscribed.get(phone) === false;
    const answer = await traffic.post("/text/message/send", client, { ...SEND, phone }, headers);
    if (answer.status !== 200) {
      expect(answer.status).toBe(503);
      this.refused += 1;
      return;
    }
    const { messageId } = (await answer.json()) as { messageId: string };
    if (key) {
      expect(this.keys.get(key) ?? messageId).toBe(messageId);
      this.keys.set(key, messageId);
    }
    if (!this.accepted.has(messageId)) this.accepted.set(messageId, { client, phone, isStopped });
  }

  async #stop(phone: string): Promise<void> {
    const carrierMessageId = `stop-${this.#random()}`;
    const text = { carrierMessageId, from: phone, to: [SENDER], text: "STOP", keyword: null, answeredByCarrier: false };
    const receive = () => traffic.invoke("fetch", () => receiveInbound(traffic.deps, "sandbox", text));
    // The carrier sends again what was not acknowledged.
    for (let tries = 0; tries < 20; tries++) {
      try {
        await receive();
        this.subscribed.set(phone, false);
        this.stopped.add(phone);
        return;
      } catch {
        this.refused += 1;
      }
    }
    throw new Error("a STOP was never taken");
  }

  async #subscribe(phone: string): Promise<void> {
    const isOn = this.#random() < 0.5 && !this.stopped.has(phone);
    const answer = await traffic.post(isOn ? "/text/subscribe" : "/text/unsubscribe", brand, {
      phone_numbers: [phone],
    });
    if (answer.status === 200) this.subscribed.set(phone, isOn);
    else this.refused += 1;
  }
}

async function check(model: Model, database: string): Promise<void> {
  for (let round = 0; round < 4; round++) {
    for (const one of [world, traffic]) {
      one.advance(100);
      await one.runQueues();
    }
    await world.sweep();
    platform.keyWrites.clear();
  }
  const rows = await rowsOf(database, "SELECT message_id, status, attempts FROM messages WHERE website_id = 'brand'");
  const ofNear = await rowsOf("DB", "SELECT message_id, status, attempts FROM messages WHERE website_id = 'near'");
  const stored = new Map([...rows, ...ofNear].map((row) => [row.message_id, row]));
  for (const [messageId, { isStopped }] of model.accepted) {
    const row = stored.get(messageId);
    expect(row, messageId).toBeDefined();
    if (isStopped) expect(row).toMatchObject({ status: "NOT_SUBSCRIBED", attempts: 0 });
    else expect(["DELIVERED", "NOT_SUBSCRIBED"]).toContain(row?.status);
    expect(Number(row?.attempts)).toBeLessThanOrEqual(1);
  }
  expect(posts.length).toBe(new Set(posts).size);
  const events = (database: string, client: TestClient) =>
    rowsOf(
      database,
      `SELECT e.message_id || '_' || e.event AS id FROM events e JOIN messages m ON m.message_id = e.message_id WHERE m.client_id = '${client.clientId}'`,
    );
  const expected = [...(await events(database, brand)), ...(await events("DB", near))].map(({ id }) => id);
  expect(new Set(expected.filter((id) => !posts.includes(String(id))))).toEqual(new Set());
  const people = await rowsOf(
    database,
    `SELECT s.phone, s.subscribed, (SELECT l.subscribed FROM subscription_changes l WHERE l.website_id = s.website_id
       AND l.phone = s.phone ORDER BY l.change_id DESC LIMIT 1) AS replayed FROM subscriptions s WHERE s.website_id = 'brand' AND s.phone >= 12125550100`,
  );
  expect(people).toHaveLength(PEOPLE.length);
  for (const { phone, subscribed, replayed } of people) {
    expect(subscribed).toBe(replayed);
    expect([phone, subscribed]).toEqual([phone, model.subscribed.get(`+${phone}`) ? 1 : 0]);
  }
}

describe("a move under traffic, cut off at any call of D1", () => {
  it.each([2, 3, 4])("loses nothing, and does nothing twice: seed %i", async (seed) => {
    const source = new Random(seed);
    const random = () => source.next();
    const model = new Model(random);
    const home = (await world.rows("SELECT home FROM homes WHERE website_id = 'brand'"))[0]?.home as number;
    await fillTables("DB", { websiteId: "brand", home, clientId: "another" }, world.now, 2);
    for (let count = 0; count < 10; count++) await model.act();
    await beginMove(world, "brand", "DB_2");
    const calm = world.deps;
    useDatabases(world, (name) => restless(strictDatabase(boundDatabase(name)), random), ["DB_2"]);
    world.deps = { ...world.deps, db: restless(calm.db, random) };
    let isOver = false;
    const moving = finishMove(world, "brand").finally(() => {
      isOver = true;
    });
    for (let count = 0; !isOver && count < 60; count++) await model.act();
    await moving;
    world.deps = calm;
    expect(await world.rows("SELECT step FROM moves")).toEqual([{ step: "kept" }]);
    for (let count = 0; count < 15; count++) await model.act();
    await check(model, "DB_2");
    const [old] = await rowsOf("DB", "SELECT state FROM moving");
    expect(old?.state).toBe(2);
    expect((await rowsOfWebsite("DB_2", "brand", home)).get("daily_counts")).toHaveLength(2);
  });
});
