// However the rows of an import are cut into requests and parts, the same comes of them as of a plain rule.
import fc from "fast-check";
import { expect } from "vitest";
import { Subscribers } from "../../../src/domain/people/subscribers.ts";
import { importSubscribers } from "../../../src/flows/people/import-subscribers.ts";
import { undoImport } from "../../../src/flows/people/undo-import.ts";
import { readImport, type StoredImport } from "../../../src/store/people/imports.ts";
import { World } from "../../world.ts";

type State = { subscribed: number; email: string | null; byPerson: number } | null;

interface Row {
  number: number;
  email: string;
  subscribed: boolean;
}

const BEFORE: (State | "erased")[] = [
  null,
  { subscribed: 1, email: null, byPerson: 0 },
  { subscribed: 1, email: "old@example.com", byPerson: 0 },
  { subscribed: 0, email: "old@example.com", byPerson: 0 },
  { subscribed: 0, email: null, byPerson: 1 },
  "erased",
];
const NUMBERS = BEFORE.length;

/** A run has numbers of its own. */
const phoneOf = (run: number, number: number) => 12_125_600_000 + run * 10 + number;

/** The plain rule. */
function expected(before: State | "erased", rows: Row[], resubscribes: boolean): State {
  const state = before === "erased" ? null : before;
  if (rows.length === 0) return state;
  const email = rows.findLast((row) => row.email !== "")?.email ?? state?.email ?? null;
  const byPerson = state?.byPerson ?? 0;
  if (rows.some((row) => !row.subscribed)) return { subscribed: 0, email, byPerson };
  if (before === "erased") return null;
  if (state?.byPerson) return { subscribed: 0, email, byPerson };
  if (state?.subscribed === 0 && !resubscribes) return state;
  return { subscribed: 1, email, byPerson: 0 };
}

/** Whether a refused row comes before an opt-out: then its address may be stored with the opt-out, or not. */
const isOpen = (before: State | "erased", rows: Row[]) =>
  (before === "erased" || before?.subscribed === 0) && rows.some((row) => row.subscribed && row.email !== "");

async function prepare(world: World, run: number, hasErased: boolean): Promise<(State | "erased")[]> {
  const before = hasErased ? BEFORE : BEFORE.map((state) => (state === "erased" ? null : state));
  for (const [number, state] of before.entries()) {
    const phone = phoneOf(run, number);
    if (state === "erased") await world.operator("DELETE", `/websites/brand/people/+${phone}`);
    else if (state) {
      const { subscribed, email, byPerson } = state;
      await world.rows(
        `INSERT INTO subscription_changes (website_id, phone, subscribed, changed_at, source, proof)
         VALUES ('brand', ?1, ?2, 0, 'api', 'before')`,
        phone,
        subscribed,
      );
      await world.rows(
        `INSERT INTO subscriptions (website_id, phone, subscribed, email, change_id, opted_out_by_person)
         SELECT 'brand', ?1, ?2, ?3, max(change_id), ?4 FROM subscription_changes`,
        phone,
        subscribed,
        email,
        byPerson,
      );
    }
  }
  return before;
}

async function stored(world: World, run: number): Promise<State[]> {
  const rows = await world.rows(
    "SELECT phone, subscribed, email, opted_out_by_person FROM subscriptions WHERE phone BETWEEN ?1 AND ?2",
    phoneOf(run, 0),
    phoneOf(run, NUMBERS),
  );
  return Array.from({ length: NUMBERS }, (_, number) => {
    const row = rows.find(({ phone }) => phone === phoneOf(run, number));
    if (!row) return null;
    return {
      subscribed: Number(row.subscribed),
      email: row.email as string | null,
      byPerson: Number(row.opted_out_by_person),
    };
  });
}

/** Cuts a list where it is told to. */
function cut<T>(list: T[], places: number[]): T[][] {
  const bounds = [0, ...places.map((place) => place % (list.length + 1)).sort((a, b) => a - b), list.length];
  return bounds.slice(1).map((end, index) => list.slice(bounds[index], end));
}

async function* partsOf(run: number, rows: Row[], places: number[]) {
  const subscribers = new Subscribers();
  for (const part of cut(rows, places)) {
    for (const { number, email, subscribed } of part) subscribers.add(`+${phoneOf(run, number)}`, email, subscribed);
    yield subscribers.takePart();
  }
}

const row = fc.record({
  number: fc.nat(NUMBERS - 1),
  email: fc.constantFrom("", "", "a@example.com", "b@example.com"),
  subscribed: fc.boolean(),
});
const places = fc.array(fc.nat(1000), { maxLength: 3 });
const cases = fc.record({
  rows: fc.array(row, { maxLength: 25 }),
  requests: places,
  parts: places,
  resubscribes: fc.boolean(),
  hasErased: fc.boolean(),
});

/** A joined request changes the address of somebody who has opted out, and names the number again: it is refused both times. */
const ADDRESS_OF_OPTED_OUT = {
  rows: [
    { number: 4, email: "a@example.com", subscribed: true },
    { number: 4, email: "", subscribed: true },
  ],
  ...{ requests: [0], parts: [1], resubscribes: false, hasErased: false },
};

/** An opt-out wins, else the last row; a dry run counts the same; and an undo takes all of it back. @param runs imports that are made by chance */
export async function expectPlainRule(runs: number): Promise<void> {
  const world = await World.create();
  await world.website("brand");
  let run = 0;
  await fc.assert(
    fc.asyncProperty(cases, async ({ rows, requests, parts, resubscribes, hasErased }) => {
      run += 1;
      const before = await prepare(world, run, hasErased);
      const importId = crypto.randomUUID();
      for (const [index, some] of cut(rows, requests).entries()) {
        const load = (isDry: boolean) => {
          const author = { operator: "test", requestId: crypto.randomUUID() };
          const request = {
            websiteId: "brand",
            importId,
            isJoined: index > 0,
            isDry,
            resubscribes,
            file: null,
            operator: "test",
          };
          return importSubscribers(world.deps, author, request, partsOf(run, some, parts), () => ({}));
        };
        expect(await load(true)).toEqual(await load(false));
      }
      const after = await stored(world, run);
      for (const [number, state] of before.entries()) {
        const own = rows.filter((it) => it.number === number);
        const wanted = expected(state, own, resubscribes);
        const optsOut = own.some(({ subscribed }) => !subscribed);
        const isEither = optsOut && isOpen(state, own);
        expect(after[number]).toEqual(isEither ? { ...wanted, email: after[number]?.email } : wanted);
      }
      const author = { operator: "test", requestId: crypto.randomUUID() };
      await undoImport(world.deps, author, (await readImport(world.deps.db, importId)) as StoredImport);
      expect(await stored(world, run)).toEqual(before.map((state) => (state === "erased" ? null : state)));
    }),
    { numRuns: runs, examples: [[ADDRESS_OF_OPTED_OUT]] },
  );
}
