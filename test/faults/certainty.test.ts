/** "Not stored" and "not claimed" are said only when each attempt on each route says so. */
import * as fc from "fast-check";
import { beforeAll, beforeEach, describe, expect, inject, it } from "vitest";
import { isStoreRefused, RequestFailure } from "../../src/domain/failure.ts";
import { runBatch } from "../../src/store/database.ts";
import { strictEnv } from "../strict/bindings.ts";
import { platform } from "../strict/platform.ts";
import { World } from "../world.ts";
import { beginsAlike, FATES, type Fate, type Script, ScriptedBindings } from "./scripted.ts";
import { Stage } from "./stage.ts";

/** The long form of these suites has more seeds. */
const PROPERTY = { numRuns: 60 * inject("faultSeeds"), endOnFailure: true };

describe("a call of the store", () => {
  const MAY_HAVE_RUN: Fate[] = ["unheard", "lost", "late", "too heavy"];
  let world: World;

  beforeEach(async () => {
    world = await World.create();
  });

  const rows = async (id: string) =>
    (await world.rows("SELECT 1 FROM cancelled_messages WHERE message_id = ?1", id)).length;

  async function run(db: D1Database, id: string): Promise<unknown> {
    const sql = "INSERT INTO cancelled_messages (message_id, cancelled_at) VALUES (?1, 1) ON CONFLICT DO NOTHING";
    const statement = db.prepare(sql).bind(id);
    return runBatch(db, [statement]).then(
      () => "done",
      (error: unknown) => error,
    );
  }

  it("is refused only if each of its tries was refused", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.constantFrom(...FATES), { minLength: 1, maxLength: 5 }), async (fates) => {
        const id = crypto.randomUUID();
        const outcome = await run(scripted(fates).database(strictEnv.DB), id);
        // Written apart: a try ends the call when it is heard, refused or too heavy, and the fourth ends it in any case.
        const last = fates.findIndex((fate) => ["heard", "too heavy", "refused"].includes(fate));
        const tried = fates.slice(0, Math.min(last < 0 ? 4 : last + 1, 4));
        if (tried.length < 4 && last < 0) tried.push("heard");
        const isDone = tried.at(-1) === "heard";
        expect(outcome === "done").toBe(isDone);
        if (!isDone) expect(isStoreRefused(outcome)).toBe(!tried.some((fate) => MAY_HAVE_RUN.includes(fate)));
        if (!isDone && isStoreRefused(outcome)) expect(await rows(id)).toBe(0);
      }),
      PROPERTY,
    );
  });

  it.each([
    ["a fault of ours stops it", "D1_ERROR: UNIQUE constraint failed: a.b"],
    ["the platform refuses it", "Too many subrequests by single Worker invocation."],
  ])("is uncertain when a try is lost before %s", async (_what, refusal) => {
    const id = crypto.randomUUID();
    let calls = 0;
    const batch = async (statements: D1PreparedStatement[]) => {
      calls += 1;
      if (calls > 1) throw new Error(refusal);
      await strictEnv.DB.batch(statements);
      throw new Error("D1_ERROR: Network connection lost.");
    };
    const db = { prepare: (sql: string) => strictEnv.DB.prepare(sql), batch } as unknown as D1Database;
    const outcome = await run(db, id);
    expect(outcome).toBeInstanceOf(RequestFailure);
    expect(isStoreRefused(outcome)).toBe(false);
    expect(await rows(id)).toBe(1);
  });

  it("is an error of ours when it fails so at once", async () => {
    const db = scripted([]).database(strictEnv.DB);
    const statement = db
      .prepare("INSERT INTO cancelled_messages (message_id, cancelled_at) VALUES (?1, NULL)")
      .bind("x");
    const failure = await runBatch(db, [statement]).catch((error: unknown) => error);
    expect(failure).not.toBeInstanceOf(RequestFailure);
  });
});

const scripted = (database: Fate[]) => new ScriptedBindings({ database, objects: [], queue: [], kv: [] });

const few = <const T>(values: T[], maxLength: number): fc.Arbitrary<T[]> =>
  fc.array(fc.constantFrom(...values), { maxLength });

/** One fate for some calls in a row: the store tries a call up to four times. */
const spells = fc
  .array(fc.tuple(fc.constantFrom(...FATES), fc.integer({ min: 1, max: 5 })), { maxLength: 5 })
  .map((all) => all.flatMap(([fate, calls]) => new Array<Fate>(calls).fill(fate)));

const scripts: fc.Arbitrary<Script> = fc.record({
  database: spells,
  objects: few(["heard", "unheard", "lost", "refused"], 6),
  queue: few(["heard", "refused"], 6),
  kv: few(["heard", "heard", "heard", "refused"], 2),
});

/** When the text is to go; null: at once. A request with a time that is far enough is kept, and is no message yet. */
const IN_SECONDS = fc.constantFrom(null, null, null, 60, 200, 600);

/** The website's object has stored the text, its answer is lost, and only KV keeps the cancellation. */
const OBJECT_LOST: [Script, boolean, number | null][] = [
  [
    {
      database: ["unheard", "unheard", "unheard", "unheard"],
      objects: [],
      queue: ["refused", "refused", "refused", "refused", "refused", "refused"],
      kv: [],
    },
    true,
    200,
  ],
  [
    {
      database: ["unheard", "unheard", "unheard", "unheard"],
      objects: [],
      queue: ["refused", "refused", "heard", "refused", "refused", "refused"],
      kv: [],
    },
    true,
    null,
  ],
  [
    {
      database: ["heard", "unheard", "unheard", "unheard", "unheard"],
      objects: ["unheard"],
      queue: ["heard", "refused", "refused"],
      kv: [],
    },
    false,
    null,
  ],
  [
    {
      database: [
        ...["heard", "heard", "unheard", "unheard", "unheard", "late", "late", "late", "late", "late"],
        ...["too heavy", "too heavy", "too heavy"],
      ] as Fate[],
      objects: ["unheard", "refused", "refused", "unheard", "unheard"],
      queue: ["heard", "refused", "refused", "refused"],
      kv: [],
    },
    false,
    null,
  ],
];

describe("whatever takes effect, is heard, is lost or is refused", () => {
  let stage: Stage;

  beforeAll(async () => {
    stage = await Stage.create(2000);
  });

  /** What the client has been told: an id, that it is safe to repeat the request, or neither. */
  async function ask(phone: string, sendAt?: string): Promise<"stored" | "repeat" | "fault"> {
    const body = { phone, text: "Brand: hello", callbackData: "{}", sendPurpose: "spring", ...(sendAt && { sendAt }) };
    const { status } = await stage.world.post("/text/message/send", stage.clients.brand, body);
    await stage.world.afterAnswer();
    return status === 200 ? "stored" : status === 503 || status === 429 ? "repeat" : "fault";
  }

  /** Ids of stored messages to the number that no cancellation names. */
  async function uncancelled(phone: string): Promise<unknown[]> {
    const { entries } = stage.queues;
    const { keys } = await stage.deps.kv.list({ prefix: "job:" });
    const kept = await Promise.all(keys.map(async ({ name }) => (await stage.deps.kv.get(name)) ?? ""));
    const cancellations = [...entries.map(({ body }) => JSON.stringify(body)), ...kept].filter((job) =>
      job.includes('"cancel"'),
    );
    const sql =
      "SELECT message_id FROM messages WHERE phone = ?1 UNION ALL SELECT message_id FROM scheduled_messages WHERE phone = ?1";
    const stored = await stage.world.rows(sql, Number(phone.slice(1)));
    return stored.filter(({ message_id }) => !cancellations.some((job) => job.includes(String(message_id))));
  }

  /** Whether nothing is left to do: no message is pending, no job is queued, and no call has yet to take effect. */
  async function isOver(bindings: ScriptedBindings, phone: string): Promise<boolean> {
    const sql = `SELECT 1 FROM messages WHERE phone = ?1 AND status = 'PENDING_TO_SEND'
      UNION ALL SELECT 1 FROM scheduled_messages WHERE phone = ?1`;
    const waiting = await stage.world.rows(sql, Number(phone.slice(1)));
    return waiting.length + stage.queues.entries.length === 0 && !bindings.isLate;
  }

  /** Time passes: what is late takes effect, sweeps and queues run. */
  async function pass(bindings: ScriptedBindings, seconds: number): Promise<void> {
    await bindings.commit();
    platform.keyWrites.clear();
    await stage.pass(seconds);
  }

  it("a text that the client repeats as it is told goes out once, and none that was accepted is lost", async () => {
    const runs = fc.asyncProperty(scripts, fc.boolean(), IN_SECONDS, async (script, isHasty, inSeconds) => {
      const { phone } = stage.person();
      const sendAt = inSeconds === null ? undefined : new Date(stage.world.now + inSeconds * 1000).toISOString();
      const texts = () => stage.outside.submitted.filter(({ to }) => to === phone).length;
      const bindings = new ScriptedBindings(script);
      stage.world.deps = bindings.wrap(stage.deps);
      let answer = await ask(phone, sendAt);
      for (let repeated = 0; answer === "repeat" && repeated < 8; repeated++) {
        expect(await uncancelled(phone)).toEqual([]);
        // Late or not, the client comes again: at once, or after a minute.
        if (!isHasty) await pass(bindings, 60);
        else stage.world.advance(10);
        if (repeated === 6) bindings.end();
        answer = await ask(phone, sendAt);
      }
      for (let minute = 0; minute < 40 && !(await isOver(bindings, phone)); minute++) await pass(bindings, 60);
      for (let minute = 0; minute < 3; minute++) await pass(bindings, 60);
      stage.world.deps = stage.deps;
      expect(answer).not.toBe("repeat");
      if (answer === "stored") expect(texts()).toBe(1);
      else expect(texts()).toBeLessThanOrEqual(1);
    });
    // Each run is of an hour. Each gate has other ones.
    await fc.assert(runs, { ...PROPERTY, numRuns: PROPERTY.numRuns / 2, examples: OBJECT_LOST });
  });

  it("a 503 leaves no message, or a cancellation that is kept: each fate of each route, beside each other", async () => {
    // The first transactions are of whichever route is tried first, the next of the route after it.
    const fates: Fate[] = ["heard", "unheard", "refused", "too heavy"];
    const objects: Script["objects"] = ["heard", "unheard", "lost", "refused"];
    const played: { script: Script; used: number[] }[] = [];
    for (const object of objects)
      for (const first of fates)
        for (const second of fates)
          for (const third of fates)
            for (const queue of ["heard", "refused"] satisfies Script["queue"]) {
              const script = { database: [first, second, third], objects: [object], queue: [queue], kv: [] };
              if (played.some((before) => beginsAlike(before.script, script, before.used))) continue;
              const { phone } = stage.person();
              const bindings = new ScriptedBindings(script);
              stage.world.deps = bindings.wrap(stage.deps);
              const answer = await ask(phone);
              played.push({ script, used: bindings.used(script) });
              if (answer === "repeat") expect([script, await uncancelled(phone)]).toEqual([script, []]);
              stage.world.deps = stage.deps;
              // Forgets what an isolate has learnt of failures.
              stage.world.advance(31);
              stage.queues.entries = [];
              const { keys } = await strictEnv.CREDENTIALS.list({ prefix: "job:" });
              for (const { name } of keys) await strictEnv.CREDENTIALS.delete(name);
            }
  });
});
