import { beforeEach, describe, expect, it } from "vitest";
import type { Deps } from "../../../src/deps.ts";
import type { Send } from "../../../src/domain/messages/send.ts";
import { SendGroups, storeGroup } from "../../../src/flows/messages/store-sends.ts";
import { memoryTexts } from "../../memory-texts.ts";
import type { TestClient, World } from "../../world.ts";
import { ADA, BOB, idOf, SendsStage, STRANGER } from "./store-sends-stage.ts";

let at: SendsStage;
let world: World;
let client: TestClient;

beforeEach(async () => {
  at = await SendsStage.begin();
  ({ world, client } = at);
});

const send: SendsStage["send"] = (...given) => at.send(...given);
const stored = { kind: "stored", isPending: true, due: [] };
const messages = async () =>
  (await world.rows("SELECT message_id FROM messages ORDER BY message_id")).map(({ message_id }) => message_id);

/** The same deps, with a database whose batches the test counts, holds and breaks. */
function watched(onBatch: (statements: D1PreparedStatement[], nth: number) => Promise<void> | void): Deps {
  let count = 0;
  const { db } = world.deps;
  const batch = async (statements: D1PreparedStatement[]) => {
    await onBatch(statements, ++count);
    return db.batch(statements);
  };
  return { ...world.deps, db: { prepare: (sql: string) => db.prepare(sql), batch } as unknown as D1Database };
}

describe("sends of one group", () => {
  it("each have the outcome that they would have alone", async () => {
    const group = [
      send(),
      send({ phone: STRANGER }),
      send({ phone: null, email: "ada@example.com" }),
      send({ phone: null, email: "nobody@example.com" }),
    ];
    expect(await storeGroup(world.deps, group)).toEqual([
      stored,
      { kind: "stored", isPending: false, due: [`${idOf(group[1] as Send)}_NOT_FOUND`] },
      stored,
      { kind: "stored", isPending: false, due: [`${idOf(group[3] as Send)}_FAILED_TO_MATCH`] },
    ]);
  });

  it("with the same Idempotency-Key are one message, and another body is a conflict", async () => {
    const group = [send({}, ["k", "a"]), send({}, ["k", "a"]), send({}, ["k", "b"]), send({}, ["other", "b"])];
    const first = idOf(group[0] as Send);
    expect(await storeGroup(world.deps, group)).toEqual([
      stored,
      { kind: "repeated", messageId: first },
      { kind: "conflict" },
      stored,
    ]);
    expect(await messages()).toEqual([first, idOf(group[3] as Send)]);
  });

  it("with the same key of two clients are two messages", async () => {
    const other = await world.client("brand");
    const group = [send({}, ["k", "a"]), send({ clientId: other.clientId }, ["k", "a"])];
    expect(await storeGroup(world.deps, group)).toEqual([stored, stored]);
  });

  it("with the same content are one message, where duplicates are suppressed", async () => {
    const group = [
      send({ dedupeHash: "x" }),
      send({ dedupeHash: "x" }, ["k", "a"]),
      send({ dedupeHash: "x", phone: BOB }),
    ];
    const first = idOf(group[0] as Send);
    expect(await storeGroup(world.deps, group)).toEqual([stored, { kind: "repeated", messageId: first }, stored]);
    // The key of the duplicate stands for the message that it repeats.
    expect(await storeGroup(world.deps, [send({ dedupeHash: "x" }, ["k", "a"])])).toEqual([
      { kind: "repeated", messageId: first },
    ]);
  });

  it("are stored once when the group runs again", async () => {
    const group = [send({ linkCode: "abcdefghij", clickUrl: "https://shop.example.com/" }), send({ phone: STRANGER })];
    await storeGroup(world.deps, group);
    const again = await storeGroup(world.deps, group);
    expect(again.map(({ kind }) => kind)).toEqual(["stored", "stored"]);
    expect(await messages()).toEqual(group.map(idOf));
    expect(await world.rows("SELECT code FROM links")).toEqual([{ code: "abcdefghij" }]);
  });

  it("are not held up by one that the store refuses", async () => {
    const group = [send(), send({ callbackData: null as unknown as string }), send()];
    const outcomes = await storeGroup(world.deps, group);
    expect(outcomes.map(({ kind }) => kind)).toEqual(["stored", "failed", "stored"]);
    expect(outcomes[1]).toMatchObject({ isUnavailable: false });
    expect(await messages()).toEqual([idOf(group[0] as Send), idOf(group[2] as Send)]);
  });

  it("find the one that the store refuses in few tries", async () => {
    let batches = 0;
    const deps = watched(() => void batches++);
    const group = Array.from({ length: 100 }, (_, index) =>
      send(index === 41 ? { callbackData: null as unknown as string } : {}),
    );
    const outcomes = await storeGroup(deps, group);
    expect(outcomes.flatMap(({ kind }, index) => (kind === "failed" ? [index] : []))).toEqual([41]);
    expect(await messages()).toHaveLength(99);
    expect(batches).toBeLessThan(20);
  });

  it("all fail when the store is away, and none is tried alone", async () => {
    let batches = 0;
    const deps = watched(() => {
      batches++;
      throw new Error("D1_ERROR: Network connection lost.");
    });
    const outcomes = await storeGroup(deps, [send(), send(), send()]);
    expect(outcomes.map((outcome) => outcome.kind === "failed" && outcome.isUnavailable)).toEqual([true, true, true]);
    expect(batches).toBe(4);
  });

  it("have the outcomes that they have one after another, whatever they are", async () => {
    await at.expectSameInGroup(15);
  });
});

describe("the sends of a website", () => {
  it("go alone when nothing is under way, and share the next write when one is", async () => {
    const storedBefore: number[] = [];
    const first = Promise.withResolvers<void>();
    const deps = watched(async (_, nth) => {
      storedBefore.push((await messages()).length);
      if (nth === 1) await first.promise;
    });
    const groups = new SendGroups(memoryTexts());
    const sends = Array.from({ length: 5 }, () => send());
    const areStoring = () => sends.map((one) => groups.isStoring(idOf(one)));
    const answers = sends.map((one) => groups.store(deps, one));
    expect(await messages()).toEqual([]);
    expect(areStoring()).toEqual(new Array(5).fill(true));
    first.resolve();
    await Promise.all(answers);
    expect(areStoring()).toEqual(new Array(5).fill(false));
    expect((await messages()).length).toBe(5);
    // The first alone, the others together.
    expect(storedBefore).toEqual([0, 1]);
  });

  it("are not queued by what stores them: nobody knows yet what their clients are told", async () => {
    const groups = new SendGroups(memoryTexts());
    await Promise.all([send(), send(), send({ phone: STRANGER })].map((one) => groups.store(world.deps, one)));
    await world.afterAnswer();
    expect((await messages()).length).toBe(3);
    expect([...world.jobs, ...world.callbacks]).toEqual([]);
  });

  it("are refused, and not stored, while a second's worth waits", async () => {
    const held = Promise.withResolvers<void>();
    const groups = new SendGroups(memoryTexts());
    const deps = watched(() => held.promise);
    const answers = Array.from({ length: 1001 }, () => groups.store(deps, send()));
    expect(await groups.store(deps, send())).toMatchObject({ kind: "failed", isUnavailable: true, isRefused: true });
    held.resolve();
    const outcomes = await Promise.all(answers);
    expect(outcomes.every(({ kind }) => kind === "stored")).toBe(true);
    expect((await messages()).length).toBe(1001);
  });

  it.each([
    ["refused untried once the store has been silent for a while", 20, "refused"],
    ["tried all the same when it has failed at once", 0, "stored"],
  ])("wait for a write: they are %s", async (_, seconds, outcome) => {
    const groups = new SendGroups(memoryTexts());
    const begun = Promise.withResolvers<void>();
    const deps = watched(async (_statements, nth) => {
      if (nth > 1) return;
      await begun.promise;
      world.advance(seconds);
      throw new Error("D1_ERROR: D1 DB exceeded timeout");
    });
    const first = groups.store(deps, send());
    const waiting = [groups.store(deps, send()), groups.store(deps, send())];
    begun.resolve();
    expect(await first).toMatchObject({ kind: "failed", isUnavailable: true, isRefused: false });
    const expected = outcome === "stored" ? stored : { kind: "failed", isUnavailable: true, isRefused: true };
    expect(await Promise.all(waiting)).toMatchObject([expected, expected]);
    expect(await groups.store(deps, send())).toEqual(stored);
    expect(await messages()).toHaveLength(outcome === "stored" ? 3 : 1);
  });

  it("are stored once when their object dies after the write", async () => {
    const { send: whole } = world.deps.limiter;
    world.deps.limiter.send = async (...given) => {
      await whole.apply(world.deps.limiter, given);
      throw new Error("Durable Object reset because its code was updated.");
    };
    const messageId = await world.send(client, { phone: `+${ADA}` });
    expect(await messages()).toEqual([messageId]);
    await world.runQueues();
    expect(await world.statusOf(messageId)).not.toBe("PENDING_TO_SEND");
  });
});
