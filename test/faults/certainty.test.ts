/** "Not stored" and "not claimed" are said only when each attempt on each route says so. */
import * as fc from "fast-check";
import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { isStoreRefused, RequestFailure } from "../../src/domain/failure.ts";
import { runBatch } from "../../src/store/database.ts";
import { strictEnv } from "../strict/bindings.ts";
import { World } from "../world.ts";
import { expectNothingLeft, goesOutOnce, OBJECT_LOST } from "./certain.ts";
import { cancelledRows, expectCertainRefusals, runInsert, scripted } from "./drawn-tries.ts";
import { CHANGES, expectSaid } from "./said.ts";
import { Stage } from "./stage.ts";

describe("a call of the store", () => {
  beforeEach(async () => {
    await World.create();
  });

  it("is refused only if each of its tries was refused", async () => {
    expect.hasAssertions();
    await expectCertainRefusals(30);
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
    const outcome = await runInsert(db, id);
    expect(outcome).toBeInstanceOf(RequestFailure);
    expect(isStoreRefused(outcome)).toBe(false);
    expect(await cancelledRows(id)).toBe(1);
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

describe("whatever takes effect, is heard, is lost or is refused", () => {
  let stage: Stage;

  beforeAll(async () => {
    stage = await Stage.create(50);
  });

  it("a text that the client repeats as it is told goes out once", async () => {
    await fc.assert(goesOutOnce(stage), { numRuns: 1, examples: OBJECT_LOST.slice(0, 1) });
  });

  it.each(Object.entries(CHANGES))("%s is done if that is said, and may be repeated if not", async (_, change) => {
    expect.hasAssertions();
    await expectSaid(stage, change, 4);
  });

  it("a 503 leaves no message where the object of the website refuses", async () => {
    expect.hasAssertions();
    await expectNothingLeft(stage, ["refused"]);
  });
});
