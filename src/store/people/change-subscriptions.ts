import { chunk } from "../../domain/chunk.ts";
import type { PartOutcome } from "../../domain/people/import-figures.ts";
import type { SubscriptionChange } from "../../domain/people/subscriber-rows.ts";
import type { Tombstones } from "../../platform/tombstones.ts";
import { runQuery } from "../database.ts";
import { prepare, sql } from "../sql.ts";
import { anyErased, erasedAmong, erasedBeside, nobodyErased } from "./erased-guard.ts";
import { decision, type Target } from "./part-decision.ts";
import { isOptIn, tableOf, toParts } from "./subscription-part.ts";
import { writePart } from "./write-part.ts";

/** What each transaction needs before it. */
interface Before {
  /** Called only where the website has erased people. */
  readTombstones(): Promise<Tombstones>;
}

/**
 * Sets the state of numbers, and adds what changes to the ledger. Repeating it changes nothing. A number whose owner has
 * opted out, or that was erased, is not subscribed: only that person can undo it. Where a country writes a number in two ways, that holds
 * for both. An opt-out is stored in any case.
 * @param changes distinct numbers; of several with one address, the later counts as subscribed later
 * @returns which are not subscribed, although they were to be; and what an import has changed
 * @throws RequestFailure import-closed
 */
export async function changeSubscriptions(
  target: Target,
  changes: Iterable<SubscriptionChange>,
  { readTombstones }: Before,
): Promise<PartOutcome> {
  const outcomes: PartOutcome[] = [];
  for (const part of toParts(changes)) {
    const { erased, ...written } = await writePart(target, part, anyErased(target.websiteId));
    if (erased.length === 0) outcomes.push(written);
    // Only the opt-outs are stored.
    else
      outcomes.push(
        { ...written, refused: [] },
        await subscribeOthers(target, part.filter(isOptIn), await readTombstones()),
      );
  }
  return joinOutcomes(outcomes);
}

const joinOutcomes = (outcomes: PartOutcome[]): PartOutcome => ({
  newSubscribed: outcomes.flatMap(({ newSubscribed }) => newSubscribed),
  newOptedOut: outcomes.flatMap(({ newOptedOut }) => newOptedOut),
  becameSubscribed: outcomes.flatMap(({ becameSubscribed }) => becameSubscribed),
  becameOptedOut: outcomes.flatMap(({ becameOptedOut }) => becameOptedOut),
  newAddress: outcomes.flatMap(({ newAddress }) => newAddress),
  refused: outcomes.flatMap(({ refused }) => refused),
});

/** For fewer numbers, two more queries cost more than they save. */
const MANY = 1000;

/** A number has up to two tombstones of 64 characters, and one value in D1 holds 2,000,000 bytes. */
const MARKED_ROWS = 9_000;

/** Subscribes the numbers that were not erased. It sends the tombstones of the numbers, or reads those of the website: the fewer. */
async function subscribeOthers(
  target: Target,
  all: SubscriptionChange[],
  tombstones: Tombstones,
): Promise<PartOutcome> {
  if (all.length < MANY) return subscribeMarked(target, all, tombstones);
  const changes = await withoutUnchanged(target, all);
  const erased = await findErased(target, changes.length);
  if (erased) return subscribeExcept(target, changes, tombstones, erased);
  const outcomes: PartOutcome[] = [];
  for (const some of chunk(changes, MARKED_ROWS)) outcomes.push(await subscribeMarked(target, some, tombstones));
  return joinOutcomes(outcomes);
}

/**
 * Leaves out the numbers that are subscribed, and of which nothing would be written: nobody has erased those. A number that is erased from
 * now on is erased after it was imported.
 */
async function withoutUnchanged(target: Target, changes: SubscriptionChange[]): Promise<SubscriptionChange[]> {
  const { db, origin } = target;
  const decided = decision(target, tableOf(changes, origin.consent), nobodyErased);
  const select = sql`WITH ${decided} SELECT json_group_array(phone) AS phones FROM decided
    WHERE subscribed = 1 AND was_subscribed IS 1 AND what IS NULL`;
  const [row] = await runQuery<{ phones: string }>(prepare(db, select));
  const unchanged = new Set(JSON.parse(row?.phones ?? "[]") as number[]);
  return changes.filter(({ phone }) => !unchanged.has(phone));
}

/** @returns the tombstones of the website; undefined when it has more than `most` */
async function findErased({ db, websiteId }: Target, most: number): Promise<string[] | undefined> {
  const select = sql`SELECT mark FROM erased_people WHERE website_id = ${websiteId} LIMIT ${most + 1}`;
  const rows = await runQuery<{ mark: string }>(prepare(db, select));
  return rows.length > most ? undefined : rows.map(({ mark }) => mark);
}

/** @param erased the tombstones of the website: if it has got others since, they are looked at, too */
async function subscribeExcept(
  target: Target,
  all: SubscriptionChange[],
  tombstones: Tombstones,
  erased: string[],
): Promise<PartOutcome> {
  const found = tombstones.find(phonesOf(all), erased);
  const changes = all.filter(({ phone }) => !found.has(phone));
  const written = await writePart(target, changes, erasedBeside(target.websiteId, erased));
  if (written.erased.length === 0) return withErased(found, written);
  return withErased(found, await subscribeExcept(target, changes, tombstones, [...erased, ...written.erased]));
}

async function subscribeMarked(
  target: Target,
  all: SubscriptionChange[],
  tombstones: Tombstones,
): Promise<PartOutcome> {
  const marks = all.flatMap(({ phone }) => tombstones.ofForms(phone));
  const written = await writePart(target, all, erasedAmong(target.websiteId, marks));
  if (written.erased.length === 0) return written;
  const found = tombstones.find(phonesOf(all), written.erased);
  const changes = all.filter(({ phone }) => !found.has(phone));
  return withErased(found, await subscribeMarked(target, changes, tombstones));
}

function withErased(found: Set<number>, { refused, ...written }: PartOutcome): PartOutcome {
  const erased = [...found].map((phone) => ({ phone, byPerson: true }));
  return { ...written, refused: [...erased, ...refused] };
}

function phonesOf(changes: SubscriptionChange[]): number[] {
  return changes.map(({ phone }) => phone);
}
