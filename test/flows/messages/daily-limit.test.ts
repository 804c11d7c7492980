/** A website's daily limit: never passed, whoever sends at once; what is refused leaves nothing behind. */
import fc from "fast-check";
import { beforeEach, describe, expect, it } from "vitest";
import type { Credentials } from "../../../src/domain/clients/client.ts";
import type { Send } from "../../../src/domain/messages/send.ts";
import type { SendRequest } from "../../../src/domain/messages/send-request.ts";
import { prepareSend, trySend } from "../../../src/flows/messages/accept-message.ts";
import { storeGroup } from "../../../src/flows/messages/store-sends.ts";
import { receiveInbound } from "../../../src/flows/people/receive-inbound.ts";
import { RateGate, type RateLimiterNamespace } from "../../../src/platform/rate-limiter.ts";
import { countingDatabase } from "../../counting-database.ts";
import { failingDatabase } from "../../failing-database.ts";
import { objectsOn } from "../../objects.ts";
import { SEND, type TestClient, World } from "../../world.ts";

const ADA = "+12125550100";
const BOB = "+12125550101";
const STRANGER = "+12125550199";
const OURS = "+12125550000";
const MINUTE = 60_000;
const DAY = 86_400_000;

let world: World;
let client: TestClient;

beforeEach(async () => {
  world = await World.create();
  client = await world.brand([`${ADA},ada@example.com`, BOB]);
});

const limit = (dailyLimit: number | null, websiteId = "brand") => world.website(websiteId, { dailyLimit });
const send = (fields: object = {}, headers: Record<string, string> = {}, of = world) =>
  of.post("/text/message/send", client, { ...SEND, phone: ADA, ...fields }, headers);
const bulk = (count: number, headers: Record<string, string> = {}, of = world) => {
  const messages = Array.from({ length: count }, (_, index) => ({ ...SEND, phone: ADA, text: `Text ${index}` }));
  return of.post("/text/bulk/message/send", client, { messages }, headers);
};

async function sendAll(count: number): Promise<void> {
  for (let left = count; left > 0; left--) expect((await send()).status).toBe(200);
}

interface Answer {
  status: number;
  body: { code?: number; message: string; messageId?: string; details?: { messageId: string }[] };
  retryAfter: number;
}

const read = async (answer: Response): Promise<Answer> => ({
  status: answer.status,
  body: await answer.json(),
  retryAfter: Number(answer.headers.get("retry-after")),
});

async function expectRefused(answering: Promise<Response>): Promise<Answer> {
  const answer = await read(await answering);
  expect([answer.status, answer.body.code]).toEqual([429, 42901]);
  expect(answer.retryAfter).toBeGreaterThan(0);
  return answer;
}

const count = async (table: string) => Number((await world.rows(`SELECT count(*) AS n FROM ${table}`))[0]?.n);
const counted = async () =>
  Number((await world.rows("SELECT coalesce(sum(accepted), 0) AS n FROM accepted_minutes"))[0]?.n);

describe("a website that has accepted as many texts as it may in 24 hours", () => {
  it("refuses the next, says when to come back, and accepts it then and not before", async () => {
    await limit(3);
    await sendAll(2);
    world.advance(3600);
    await sendAll(1);
    const { body, retryAfter } = await expectRefused(send());
    expect(body.message).toContain("the most in 24 hours that its operator has set: 3.");
    expect([await count("messages"), await count("events")]).toEqual([3, 0]);
    expect(retryAfter).toBeLessThanOrEqual((DAY - 3_600_000 + MINUTE) / 1000);
    world.advance(retryAfter - 1);
    await expectRefused(send());
    world.advance(1);
    await sendAll(2);
    await expectRefused(send());
  });

  it("takes no part in what another website accepts", async () => {
    await limit(1);
    await sendAll(1);
    const other = await world.brand([ADA], "other");
    await limit(1, "other");
    expect((await world.post("/text/message/send", other, { ...SEND, phone: ADA })).status).toBe(200);
    await expectRefused(send());
  });

  it("accepts more as soon as its operator raises the limit, and any number without one", async () => {
    await limit(1);
    await sendAll(1);
    await expectRefused(send());
    await limit(2);
    await sendAll(1);
    await expectRefused(send());
    await limit(null);
    await sendAll(3);
    await limit(4);
    // What it accepted without a limit is not counted.
    await sendAll(2);
    await expectRefused(send());
  });

  it("still replies to keywords, which do not count", async () => {
    await limit(1);
    await world.website("brand", { sender: OURS, helpText: "Brand: call us." });
    const inbound = { from: ADA, to: [OURS], text: "HELP", keyword: null, answeredByCarrier: false };
    const receive = (carrierMessageId: string) =>
      world.invoke("fetch", () => receiveInbound(world.deps, "sandbox", { carrierMessageId, ...inbound }));
    await receive("in-1");
    expect([await count("messages"), await counted()]).toEqual([1, 0]);
    await sendAll(1);
    world.advance(3600);
    await receive("in-2");
    expect([await count("messages"), await counted()]).toEqual([3, 1]);
  });

  it("still answers texts that cost nothing with their final status, and they do not count", async () => {
    await limit(2);
    for (const fields of [{ phone: STRANGER }, { phone: "", email: "nobody@example.com" }]) await send(fields);
    expect(await counted()).toBe(0);
    await sendAll(2);
    const stranger = await read(await send({ phone: STRANGER }));
    expect(await world.statusOf(String(stranger.body.messageId))).toBe("NOT_FOUND");
    await expectRefused(send({ phone: "", email: "ada@example.com" }));
  });

  it("counts none that its sending hours end at once, and each that waits for them", async () => {
    const windows = [{ days: ["mon"], from: "09:00", until: "10:00" }];
    await world.website("brand", { dailyLimit: 1, sendingHours: { profile: "custom", windows, whenClosed: "refuse" } });
    expect((await send()).status).toBe(200);
    expect((await bulk(2)).status).toBe(200);
    expect(await counted()).toBe(0);
    await world.website("brand", { sendingHours: { profile: "custom", windows, whenClosed: "delay" } });
    expect((await send()).status).toBe(200);
    await expectRefused(send());
    expect([await count("scheduled_messages"), await counted()]).toEqual([1, 1]);
  });

  it("counts a scheduled text when it accepts it, and not again when its time comes", async () => {
    await limit(2);
    const sendAt = new Date(world.now + 2 * DAY).toISOString();
    expect((await send({ sendAt })).status).toBe(200);
    expect((await send({ sendAt: new Date(world.now + 3_600_000).toISOString() })).status).toBe(200);
    await expectRefused(send({ sendAt }));
    await expectRefused(send());
    world.advance(3500);
    await world.sweep();
    expect([await count("messages"), await counted()]).toEqual([1, 2]);
  });

  it("does not write a row of its counts for another website, nor for each message", async () => {
    await sendAll(2);
    expect(await count("accepted_minutes")).toBe(0);
    await limit(100);
    await sendAll(5);
    expect(await count("accepted_minutes")).toBe(1);
    for (let day = 0; day < 3; day++) {
      world.advance(DAY / 1000);
      await sendAll(1);
    }
    // The minute of a day before still counts for a minute.
    expect(await count("accepted_minutes")).toBe(2);
  });
});

it("costs a send one row more, and no call; without a limit it costs nothing", async () => {
  const { db, take } = countingDatabase(world.deps.db);
  world.deps = { ...world.deps, db };
  const cost = async () => {
    await sendAll(1);
    take();
    await sendAll(1);
    return take();
  };
  const plain = await cost();
  await limit(1000);
  const limited = await cost();
  expect({ calls: limited.calls, rowsWritten: limited.rowsWritten }).toEqual({
    calls: plain.calls,
    rowsWritten: plain.rowsWritten + 1,
  });
  await limit(null);
  expect(await cost()).toEqual(plain);
});

describe("a repetition", () => {
  const key = { "idempotency-key": "order-1" };

  it("gets its id beyond the limit, and counts once", async () => {
    await limit(1);
    const first = await read(await send({}, key));
    expect(await read(await send({}, key))).toMatchObject({ status: 200, body: first.body });
    await expectRefused(send());
    expect(await read(await send({}, key))).toMatchObject({ status: 200, body: first.body });
    expect(await counted()).toBe(1);
  });

  it("of a refused request is a new one: its key is free", async () => {
    await limit(1);
    await sendAll(1);
    const { retryAfter } = await expectRefused(send({}, key));
    await expectRefused(send({ text: "Brand: other" }, key));
    expect(await count("idempotency_keys")).toBe(0);
    world.advance(retryAfter);
    const first = await read(await send({ text: "Brand: other" }, key));
    expect(first.status).toBe(200);
    expect(await read(await send({ text: "Brand: other" }, key))).toMatchObject({ body: first.body });
    expect((await send({}, key)).status).toBe(409);
  });

  it("of the same content does not count where duplicates are suppressed, and a refused one is no first", async () => {
    await world.website("brand", { dailyLimit: 1, duplicateWindowHours: 48 });
    const first = await read(await send());
    expect(await read(await send())).toMatchObject({ status: 200, body: first.body });
    const { retryAfter } = await expectRefused(send({ text: "Brand: other" }));
    await expectRefused(send({ text: "Brand: other" }, key));
    expect([await count("duplicate_keys"), await count("idempotency_keys")]).toEqual([1, 0]);
    world.advance(retryAfter);
    expect((await send({ text: "Brand: other" }, key)).status).toBe(200);
    expect(await count("messages")).toBe(2);
  });

  it("in the group of a refused one is refused as well", async () => {
    await world.website("brand", { dailyLimit: 1, duplicateWindowHours: 1 });
    const group = ["a", "b", "b", "c"].map((content, index) => ({
      message: {
        ...SEND,
        ...{ websiteId: "brand", clientId: client.clientId, phone: 12125550100, email: null, linkCode: null },
        ...({ mediaUrl: null, clickUrl: null, encoding: "GSM-7", segments: 1, acceptedAt: world.now } as const),
        messageId: `00000000-0000-4000-8000-00000000000${index}`,
        dedupeHash: content,
      },
      key: { value: `key-${index}`, bodyHash: content, expiresAt: world.now + DAY },
      ...{ duplicatesUntil: world.now + DAY, database: "DB", isLimited: true },
    }));
    const kinds = async () => (await storeGroup(world.deps, group)).map(({ kind }) => kind);
    expect(await kinds()).toEqual(["stored", "failed", "failed", "failed"]);
    // Run again, it is what it was.
    expect(await kinds()).toEqual(["stored", "failed", "failed", "failed"]);
    const left = [await count("messages"), await count("idempotency_keys"), await count("duplicate_keys")];
    expect([...left, await counted()]).toEqual([1, 1, 1, 1]);
  });
});

describe("a bulk request", () => {
  it("is refused whole where its first part has no room, and fits exactly where it has", async () => {
    await limit(10);
    await sendAll(1);
    const { body } = await expectRefused(bulk(10));
    expect(body.details).toEqual([]);
    expect([await count("messages"), await counted()]).toEqual([1, 1]);
    expect((await bulk(9)).status).toBe(200);
    await expectRefused(bulk(1));
  });

  it("repeated as it is told stores nothing twice, however late", async () => {
    await limit(700);
    const key = { "idempotency-key": "campaign" };
    let { body, retryAfter } = await expectRefused(bulk(900, key));
    expect(body.message).toContain("it stores the remaining messages, and answers the same ids for the others");
    world.advance(23 * 3600);
    await world.sweep();
    ({ body, retryAfter } = await expectRefused(bulk(900, key)));
    world.advance(retryAfter);
    await world.sweep();
    const again = await bulk(900, key);
    expect(again.status).toBe(200);
    expect(await count("messages")).toBe(900);
  });

  it("repeated as it is told answers a duplicate of its first part with the same id, however late", async () => {
    await world.website("brand", { dailyLimit: 700, duplicateWindowHours: 1 });
    const messages = Array.from({ length: 900 }, (_, index) => {
      return { ...SEND, phone: ADA, text: `Text ${index === 1 ? 0 : index}` };
    });
    const again = () => world.post("/text/bulk/message/send", client, { messages }, { "idempotency-key": "campaign" });
    await expectRefused(again());
    world.advance(23 * 3600);
    const { retryAfter } = await expectRefused(again());
    world.advance(retryAfter);
    await world.sweep();
    const answer = await again();
    expect(answer.status).toBe(200);
    const { successSent } = (await answer.json()) as { successSent: { messageId: string }[] };
    expect(successSent[1]?.messageId).toBe(successSent[0]?.messageId);
  });

  it("that never fits is told so", async () => {
    await limit(5);
    const { body } = await expectRefused(bulk(6));
    expect(body.message).toContain("It never accepts 6 at once: send fewer texts in one request.");
  });

  it("stops where the limit is reached: with a key, its repetition stores the rest under the same ids", async () => {
    await limit(700);
    const key = { "idempotency-key": "campaign" };
    const { body, retryAfter } = await expectRefused(bulk(900, key));
    const stored = body.details?.map(({ messageId }) => messageId);
    expect(stored).toHaveLength(500);
    expect(body.message).toContain("it stores the remaining messages, and answers the same ids for the others");
    await limit(900);
    const again = await bulk(900, key);
    const { successSent } = (await again.json()) as { successSent: { messageId: string }[] };
    expect(successSent.map(({ messageId }) => messageId).slice(0, 500)).toEqual(stored);
    expect([successSent.length, await count("messages"), await counted()]).toEqual([900, 900, 900]);
    expect(retryAfter).toBeGreaterThan(DAY / 1000);
    expect((await bulk(900, key)).status).toBe(200);
    expect(await counted()).toBe(900);
  });

  it("counts no duplicate, and leaves none of a refused part behind", async () => {
    await world.website("brand", { dailyLimit: 2, duplicateWindowHours: 1 });
    const messages = (...texts: string[]) => texts.map((text) => ({ ...SEND, phone: ADA, text }));
    const post = (...texts: string[]) =>
      world.post(
        "/text/bulk/message/send",
        client,
        { messages: messages(...texts) },
        { "idempotency-key": texts.join() },
      );
    await expectRefused(post("a", "b", "c"));
    expect([await count("duplicate_keys"), await count("bulk_parts"), await count("suppressed_messages")]).toEqual([
      0, 0, 0,
    ]);
    expect((await post("a", "b", "a", "b")).status).toBe(200);
    expect([await count("messages"), await counted()]).toEqual([2, 2]);
    expect((await post("b", "a")).status).toBe(200);
    expect(await counted()).toBe(2);
  });
});

describe("isolates at once", () => {
  it("never pass the limit together, and fill it", async () => {
    await limit(7);
    const other = await World.another(world);
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        index % 5 === 4 ? bulk(2, {}, other) : send({}, {}, index % 2 ? other : world),
      ),
    );
    const statuses = answers.map(({ status }) => status);
    expect(new Set(statuses)).toEqual(new Set([200, 429]));
    expect([await count("messages"), await counted()]).toEqual([7, 7]);
  });

  it("never pass it when the object of the website is away", async () => {
    await limit(4);
    const away = { getByName: () => ({ send: async () => Promise.reject(new Error("reset")) }) };
    const limiter = new RateGate(away as unknown as RateLimiterNamespace);
    const worlds = [world, await World.another(world)];
    for (const one of worlds) one.deps = { ...one.deps, limiter };
    const answers = await Promise.all(Array.from({ length: 10 }, (_, index) => send({}, {}, worlds[index % 2])));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(4);
    expect([await count("messages"), await counted()]).toEqual([4, 4]);
  });
});

it("a limit that some isolates do not know of yet holds for all sends of a group, and counts each once", async () => {
  await limit(3);
  const known = await world.deps.credentials.read(client.clientId);
  const prepare = async (isLimited: boolean, text: string) => {
    const sender = { client: { ...(known as Credentials), isLimited }, linkOrigin: "https://example.com" };
    const { data } = trySend(sender, { ...SEND, phone: ADA, text }, world.now);
    return prepareSend(world.deps, sender, data as SendRequest, new Map(), undefined);
  };
  const group = [await prepare(false, "One"), await prepare(true, "Two"), await prepare(false, "Three")];
  const more = [await prepare(false, "Four"), await prepare(true, "Five")];
  const store = async (sends: Send[]) =>
    (await world.invoke("fetch", () => storeGroup(world.deps, sends))).map((stored) => stored.kind);
  expect(await store(group)).toEqual(["stored", "stored", "stored"]);
  expect(await counted()).toBe(3);
  expect(await store(more)).toEqual(["failed", "failed"]);
  expect([await counted(), await count("messages")]).toEqual([3, 3]);
});

describe("a store that loses an answer", () => {
  it("counts the text once when the transaction runs again", async () => {
    await limit(2);
    world.deps = { ...world.deps, db: failingDatabase(world.deps.db, 1, "after", undefined, "batches") };
    await sendAll(1);
    expect(await counted()).toBe(1);
  });

  it("leaves the text counted where it was stored, and taken back because its client was told that it was not", async () => {
    await limit(2);
    const whole = world.deps;
    world.deps = { ...whole, db: failingDatabase(whole.db, 5, "after") };
    expect((await send()).status).toBe(503);
    world.deps = whole;
    await world.runQueues();
    expect([await count("messages"), await counted()]).toEqual([0, 1]);
  });

  it("is not asked to cancel what the limit has refused, unless the object may have stored it", async () => {
    await limit(1);
    await sendAll(1);
    world.jobs.length = 0;
    await expectRefused(send());
    expect(world.jobs).toEqual([]);
    const objects = objectsOn(() => world.deps);
    const getByName = (name: string) => {
      const object = objects.getByName(name);
      return {
        admit: () => object.admit(),
        send: async () => Promise.reject(new Error("reset")),
        isStoring: async () => false,
      };
    };
    world.deps = { ...world.deps, limiter: new RateGate({ getByName } as unknown as RateLimiterNamespace) };
    expect((await send()).status).toBe(503);
    expect(world.jobs.map(({ body }) => body.kind)).toEqual(["cancel"]);
  });
});

describe("a transaction that runs late, after the next try was over the limit", () => {
  it.each<[string, () => Promise<Response>]>([
    ["a send", () => send({ text: "once" })],
    ["a bulk request", () => bulk(1)],
  ])("stores nothing of %s that its client sends again", async (_, ask) => {
    await limit(1);
    await sendAll(1);
    await world.runQueues();
    const whole = world.deps;
    let late: D1PreparedStatement[] | undefined;
    const batch = async (statements: D1PreparedStatement[]) => {
      if (late) return whole.db.batch(statements);
      late = statements;
      throw new Error("D1_ERROR: Network connection lost.");
    };
    world.deps = {
      ...whole,
      db: { prepare: (sql: string) => whole.db.prepare(sql), batch } as unknown as D1Database,
    };
    expect((await ask()).status).toBe(503);
    world.deps = whole;
    // There is room before the first try runs.
    await limit(5);
    await whole.db.batch(late ?? []);
    expect((await ask()).status).toBe(200);
    await world.runQueues();
    await world.pass(10);
    expect(await world.rows("SELECT status, count(*) AS count FROM messages GROUP BY 1")).toEqual([
      { status: "DELIVERED", count: 2 },
    ]);
  });
});

describe("whatever is sent, whenever", () => {
  /** By the second. `keyed`: with one of two keys, whose first request may be long ago. */
  const step = fc.record({
    pause: fc.oneof(fc.nat(120), fc.constantFrom(0, 59, 60, 61, 3600, 43_200, 86_340, 86_400, 86_460)),
    kind: fc.constantFrom("single", "single", "stranger", "bulk", "retry") as fc.Arbitrary<
      "single" | "stranger" | "bulk" | "retry"
    >,
    size: fc.integer({ min: 1, max: 4 }),
  });

  it("no 24 hours have more than the limit, and nothing is refused that has room by the minute", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 5 }),
        fc.array(step, { minLength: 4, maxLength: 14 }),
        async (most, steps) => {
          for (const table of ["messages", "events", "accepted_minutes"]) await world.rows(`DELETE FROM ${table}`);
          await limit(most);
          const accepted: number[] = [];
          let retry = 0;
          for (const { pause, kind, size } of steps) {
            world.advance(kind === "retry" ? retry : pause);
            const wanted = kind === "bulk" ? size : 1;
            const answer =
              kind === "stranger" ? await send({ phone: STRANGER }) : kind === "bulk" ? await bulk(size) : await send();
            if (kind === "stranger") {
              expect(answer.status).toBe(200);
              continue;
            }
            const minute = (time: number) => Math.floor(time / MINUTE);
            const near = accepted.filter((at) => minute(world.now) - minute(at) <= 1440).length;
            expect(answer.status).toBe(near + wanted <= most ? 200 : 429);
            if (kind === "retry" && retry > 0) expect(answer.status).toBe(200);
            if (answer.status === 200) accepted.push(...Array.from({ length: wanted }, () => world.now));
            retry = answer.status === 429 && wanted === 1 ? Number(answer.headers.get("retry-after")) : 0;
            const inADay = accepted.filter((at) => world.now - at <= DAY).length;
            expect(inADay).toBeLessThanOrEqual(most);
          }
        },
      ),
      { numRuns: 25 },
    );
  });
});
