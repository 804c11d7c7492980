/** What the store says of a call, whatever becomes of each of its tries. */
import { env } from "cloudflare:workers";
import * as fc from "fast-check";
import { expect } from "vitest";
import { isStoreRefused } from "../../src/domain/failure.ts";
import { runBatch } from "../../src/store/database.ts";
import { strictEnv } from "../strict/bindings.ts";
import { FATES, type Fate, ScriptedBindings } from "./scripted.ts";

const MAY_HAVE_RUN: Fate[] = ["unheard", "lost", "late", "too heavy"];

export const cancelledRows = async (id: string) =>
  (await env.DB.prepare("SELECT 1 FROM cancelled_messages WHERE message_id = ?1").bind(id).all()).results.length;

export async function runInsert(db: D1Database, id: string): Promise<unknown> {
  const sql = "INSERT INTO cancelled_messages (message_id, cancelled_at) VALUES (?1, 1) ON CONFLICT DO NOTHING";
  const statement = db.prepare(sql).bind(id);
  return runBatch(db, [statement]).then(
    () => "done",
    (error: unknown) => error,
  );
}

export const scripted = (database: Fate[]) => new ScriptedBindings({ database, objects: [], queue: [] });

/** A call of the store is refused only if each of its tries was refused. @param numRuns how many calls are drawn */
export async function expectCertainRefusals(numRuns: number): Promise<void> {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.constantFrom(...FATES), { minLength: 1, maxLength: 5 }), async (fates) => {
      const id = crypto.randomUUID();
      const outcome = await runInsert(scripted(fates).database(strictEnv.DB), id);
      // Written apart: a try ends the call when it is heard, refused or too heavy, and the fourth ends it in any case.
      const last = fates.findIndex((fate) => ["heard", "too heavy", "refused"].includes(fate));
      const tried = fates.slice(0, Math.min(last < 0 ? 4 : last + 1, 4));
      if (tried.length < 4 && last < 0) tried.push("heard");
      const isDone = tried.at(-1) === "heard";
      expect(outcome === "done").toBe(isDone);
      if (!isDone) expect(isStoreRefused(outcome)).toBe(!tried.some((fate) => MAY_HAVE_RUN.includes(fate)));
      if (!isDone && isStoreRefused(outcome)) expect(await cancelledRows(id)).toBe(0);
    }),
    { numRuns, endOnFailure: true },
  );
}
