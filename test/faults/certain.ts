/** What a client is told of a text, whatever becomes of each call that its request makes. */
import * as fc from "fast-check";
import { expect } from "vitest";
import { strictEnv } from "../strict/bindings.ts";
import { platform } from "../strict/platform.ts";
import { beginsAlike, FATES, type Fate, type Script, ScriptedBindings } from "./scripted.ts";
import type { Stage } from "./stage.ts";

const few = <const T>(values: T[], maxLength: number): fc.Arbitrary<T[]> =>
  fc.array(fc.constantFrom(...values), { maxLength });

/** One fate for some calls in a row: the store tries a call up to four times. */
export const spells = fc
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
export const OBJECT_LOST: [Script, boolean, number | null][] = [
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

/** What the client has been told: an id, that it is safe to repeat the request, or neither. */
async function ask(stage: Stage, phone: string, sendAt?: string): Promise<"stored" | "repeat" | "fault"> {
  const body = { phone, text: "Brand: hello", callbackData: "{}", sendPurpose: "spring", ...(sendAt && { sendAt }) };
  const { status } = await stage.world.post("/text/message/send", stage.clients.brand, body);
  await stage.world.afterAnswer();
  return status === 200 ? "stored" : status === 503 || status === 429 ? "repeat" : "fault";
}

/** Ids of stored messages to the number that no cancellation names. */
async function uncancelled(stage: Stage, phone: string): Promise<unknown[]> {
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
async function isOver(stage: Stage, bindings: ScriptedBindings, phone: string): Promise<boolean> {
  const sql = `SELECT 1 FROM messages WHERE phone = ?1 AND status = 'PENDING_TO_SEND'
    UNION ALL SELECT 1 FROM scheduled_messages WHERE phone = ?1`;
  const waiting = await stage.world.rows(sql, Number(phone.slice(1)));
  return waiting.length + stage.queues.entries.length === 0 && !bindings.isLate;
}

/** Time passes: what is late takes effect, sweeps and queues run. */
async function pass(stage: Stage, bindings: ScriptedBindings, seconds: number): Promise<void> {
  await bindings.commit();
  platform.keyWrites.clear();
  await stage.pass(seconds);
}

/** A text that the client repeats as it is told goes out once, and none that was accepted is lost. */
export function goesOutOnce(stage: Stage) {
  return fc.asyncProperty(scripts, fc.boolean(), IN_SECONDS, async (script, isHasty, inSeconds) => {
    const { phone } = stage.person();
    const sendAt = inSeconds === null ? undefined : new Date(stage.world.now + inSeconds * 1000).toISOString();
    const texts = () => stage.outside.submitted.filter(({ to }) => to === phone).length;
    const bindings = new ScriptedBindings(script);
    stage.world.deps = bindings.wrap(stage.deps);
    let answer = await ask(stage, phone, sendAt);
    for (let repeated = 0; answer === "repeat" && repeated < 8; repeated++) {
      expect(await uncancelled(stage, phone)).toEqual([]);
      // Late or not, the client comes again: at once, or after a minute.
      if (!isHasty) await pass(stage, bindings, 60);
      else stage.world.advance(10);
      if (repeated === 6) bindings.end();
      answer = await ask(stage, phone, sendAt);
    }
    for (let minute = 0; minute < 40 && !(await isOver(stage, bindings, phone)); minute++)
      await pass(stage, bindings, 60);
    for (let minute = 0; minute < 3; minute++) await pass(stage, bindings, 60);
    stage.world.deps = stage.deps;
    expect(answer).not.toBe("repeat");
    if (answer === "stored") expect(texts()).toBe(1);
    else expect(texts()).toBeLessThanOrEqual(1);
  });
}

/** A 503 leaves no message, or a cancellation that is kept: each fate of each route, beside each other. */
export async function expectNothingLeft(stage: Stage, objects: Script["objects"]): Promise<void> {
  // The first transactions are of whichever route is tried first, the next of the route after it.
  const fates: Fate[] = ["heard", "unheard", "refused", "too heavy"];
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
            const answer = await ask(stage, phone);
            played.push({ script, used: bindings.used(script) });
            if (answer === "repeat") expect([script, await uncancelled(stage, phone)]).toEqual([script, []]);
            stage.world.deps = stage.deps;
            // Forgets what an isolate has learnt of failures.
            stage.world.advance(31);
            stage.queues.entries = [];
            const { keys } = await strictEnv.CREDENTIALS.list({ prefix: "job:" });
            for (const { name } of keys) await strictEnv.CREDENTIALS.delete(name);
          }
}
