/** What a client is told of a text, whatever becomes of each call that its request makes. */
import * as fc from "fast-check";
import { expect } from "vitest";
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
  queue: few(["heard", "unheard", "refused"], 6),
});

/** When the text is to go; null: at once. A request with a time that is far enough is kept, and is no message yet. */
const IN_SECONDS = fc.constantFrom(null, null, null, 60, 200, 600);

/** The website's object has stored the text, its answer is lost, and the queue takes no cancellation. */
export const OBJECT_LOST: [Script, boolean, number | null][] = [
  [
    {
      database: ["unheard", "unheard", "unheard", "unheard"],
      objects: [],
      queue: ["refused", "refused", "refused", "refused", "refused", "refused"],
    },
    true,
    200,
  ],
  [
    {
      database: ["unheard", "unheard", "unheard", "unheard"],
      objects: [],
      queue: ["refused", "refused", "heard", "refused", "refused", "refused"],
    },
    true,
    null,
  ],
  [
    {
      database: ["heard", "unheard", "unheard", "unheard", "unheard"],
      objects: ["unheard"],
      queue: ["heard", "refused", "refused"],
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
    },
    false,
    null,
  ],
];

interface Told {
  /** An id, that it is safe to repeat the request, or that messages may be stored. */
  answer: "stored" | "repeat" | "unknown";
  /** Ids of messages that may be stored. */
  messageIds: string[];
}

const ANSWERS: Record<number, Told["answer"]> = { 200: "stored", 429: "repeat", 500: "unknown", 503: "repeat" };

async function ask(stage: Stage, phone: string, sendAt?: string): Promise<Told> {
  const body = { phone, text: "Brand: hello", callbackData: "{}", sendPurpose: "spring", ...(sendAt && { sendAt }) };
  const response = await stage.world.post("/text/message/send", stage.clients.brand, body);
  await stage.world.afterAnswer();
  const { details = [] } = await response.json<{ details?: { messageId: string }[] }>();
  const answer = ANSWERS[response.status] as Told["answer"];
  return { answer, messageIds: details.map(({ messageId }) => messageId) };
}

/** What the client learns of a message that may be stored, if it asks as it is told: after a minute, and two minutes after it was found. */
async function askAgain(stage: Stage, messageId: string, later: (seconds: number) => Promise<void>): Promise<Told> {
  const { clientId, clientSecret } = stage.clients.brand;
  const headers = { "x-client-id": clientId, "x-client-secret": clientSecret };
  for (let seconds = 60, found = 0; found < 2; ) {
    await later(seconds);
    const { status } = await stage.world.fetch(`/text/message/status?messageId=${messageId}`, { headers });
    if (status === 404) return { answer: "repeat", messageIds: [] };
    if (status === 200) found += 1;
    if (found === 1) seconds = 120;
  }
  return { answer: "stored", messageIds: [] };
}

/** Ids of stored messages to the number that no cancellation names. */
async function uncancelled(stage: Stage, phone: string): Promise<unknown[]> {
  const jobs = stage.queues.entries.map(({ body }) => JSON.stringify(body));
  const cancellations = jobs.filter((job) => job.includes('"cancel"'));
  const sql = "SELECT message_id FROM messages WHERE phone = ?1";
  const stored = (await stage.world.rows(sql, Number(phone.slice(1)))).map(({ message_id: id }) => String(id));
  return stored.filter((id) => !cancellations.some((job) => job.includes(id)));
}

/** Whether nothing is left to do: no message is pending, no job is queued, and no call has yet to take effect. */
async function isOver(stage: Stage, bindings: ScriptedBindings, phone: string): Promise<boolean> {
  const sql = "SELECT 1 FROM messages WHERE phone = ?1 AND status = 'PENDING_TO_SEND'";
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
    const later = (seconds: number) => pass(stage, bindings, seconds);
    let told = await ask(stage, phone, sendAt);
    for (let repeated = 0; told.answer !== "stored" && repeated < 8; repeated++) {
      if (told.answer === "unknown") told = await askAgain(stage, String(told.messageIds[0]), later);
      if (told.answer === "stored") break;
      expect(await uncancelled(stage, phone)).toEqual([]);
      // Late or not, the client comes again: at once, or after a minute.
      if (!isHasty) await later(60);
      else stage.world.advance(10);
      if (repeated === 6) bindings.end();
      told = await ask(stage, phone, sendAt);
    }
    for (let minute = 0; minute < 40 && !(await isOver(stage, bindings, phone)); minute++)
      await pass(stage, bindings, 60);
    for (let minute = 0; minute < 3; minute++) await pass(stage, bindings, 60);
    stage.world.deps = stage.deps;
    expect([told.answer, texts()]).toEqual(["stored", 1]);
  });
}

/** A 503 leaves no message, or a cancellation that is queued, and a 500 names each: each fate of each route, beside each other. */
export async function expectNothingLeft(stage: Stage, objects: Script["objects"]): Promise<void> {
  // The first transactions are of whichever route is tried first, the next of the route after it.
  const fates: Fate[] = ["heard", "unheard", "refused", "too heavy"];
  const played: { script: Script; used: number[] }[] = [];
  for (const object of objects)
    for (const first of fates)
      for (const second of fates)
        for (const third of fates)
          for (const queue of ["heard", "unheard", "refused"] satisfies Script["queue"]) {
            const script = { database: [first, second, third], objects: [object], queue: [queue] };
            if (played.some((before) => beginsAlike(before.script, script, before.used))) continue;
            const { phone } = stage.person();
            const bindings = new ScriptedBindings(script);
            stage.world.deps = bindings.wrap(stage.deps);
            const { answer, messageIds } = await ask(stage, phone);
            played.push({ script, used: bindings.used(script) });
            if (answer === "unknown") expect(messageIds).toHaveLength(1);
            const left = answer === "stored" ? [] : await uncancelled(stage, phone);
            expect([script, left.filter((id) => !messageIds.includes(String(id)))]).toEqual([script, []]);
            stage.world.deps = stage.deps;
            // Forgets what an isolate has learnt of failures.
            stage.world.advance(31);
            stage.queues.entries = [];
          }
}
