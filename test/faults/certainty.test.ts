/** "Not stored" and "not claimed" are said only when each attempt on each route says so. */
import * as fc from "fast-check";
import { beforeAll, beforeEach, describe, expect, inject, it } from "vitest";
import { isStoreRefused, RequestFailure } from "../../src/domain/failure.ts";
import { runBatch } from "../../src/store/database.ts";
import { strictEnv } from "../strict/bindings.ts";
import { World } from "../world.ts";
import { expectNothingLeft, goesOutOnce, OBJECT_LOST } from "./certain.ts";
import { FATES, type Fate, ScriptedBindings } from "./scripted.ts";
import { Stage } from "./stage.ts";

/** A trial has more seeds. */
const PROPERTY = { numRuns: 30 * inject("faultSeeds"), endOnFailure: true };

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

describe("whatever takes effect, is heard, is lost or is refused", () => {
  let stage: Stage;

  beforeAll(async () => {
    stage = await Stage.create(50);
  });

  it("a text that the client repeats as it is told goes out once", async () => {
    await fc.assert(goesOutOnce(stage), { numRuns: 1, examples: OBJECT_LOST.slice(0, 1) });
  });

  it("a 503 leaves no message where the object of the website refuses", async () => {
    expect.hasAssertions();
    await expectNothingLeft(stage, ["refused"]);
  });
});
