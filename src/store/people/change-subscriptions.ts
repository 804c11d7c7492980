import type { DueEvent } from "../../domain/callbacks/callback.ts";
import { chunk } from "../../domain/chunk.ts";
import type { SubscriptionChange } from "../../domain/people/subscriber-rows.ts";
import type { Tombstones } from "../../platform/tombstones.ts";
import { runQuery } from "../database.ts";
import {
  ANY_ERASED,
  erasedAmong,
  erasedBeside,
  GIVEN,
  type ImportCounts,
  IS_SAID_AGAIN,
  type Refused,
  SubscriptionPart,
  type Target,
  writePart,
} from "./subscription-part.ts";
import type { ChangeOrigin } from "./subscriptions.ts";

export interface SubscriptionsSet extends ImportCounts {
  /** How many numbers are now as they were to be. */
  count: number;
  /** How many are not subscribed, although they were to be, and which, as digits. */
  refused: { count: number; byPerson: number[]; byOthers: number[] };
  due: DueEvent[];
}

/** What a part needs before it is stored. */
interface Before {
  /** @throws RequestFailure website-paused */
  requireOpen(): Promise<void>;
  /** Called only where the website has erased people. */
  readTombstones(): Promise<Tombstones>;
}

/** So many of an import are named: it may refuse millions. */
export const MOST_NAMED = 1000;

/**
 * Sets the state of numbers, and adds what changes to the ledger. Repeating it changes nothing. A number whose owner has
 * opted out, or that was erased, is not subscribed: only that person can undo it. An opt-out is stored in any case.
 * @param changes distinct numbers; of several with one address, the later counts as subscribed later
 * @param how see Target
 */
export async function changeSubscriptions(
  db: D1Database,
  websiteId: string,
  changes: Iterable<SubscriptionChange>,
  origin: ChangeOrigin,
  how: Pick<Target, "newRun" | "isDry" | "keepsUnsubscribed">,
  { requireOpen, readTombstones }: Before,
): Promise<SubscriptionsSet> {
  const target: Target = { db, websiteId, origin, ...how, due: [], counts: { added: 0, changed: 0 } };
  const refused: SubscriptionsSet["refused"] = { count: 0, byPerson: [], byOthers: [] };
  const most = origin.source === "import" ? MOST_NAMED : Number.POSITIVE_INFINITY;
  let count = 0;
  for (const part of toParts(changes)) {
    count += part.size;
    await requireOpen();
    const written = await writePart(target, part, ANY_ERASED);
    const some =
      written.erased.length === 0
        ? written.refused
        : await subscribeOthers(target, part.optIns(), await readTombstones());
    refused.count += some.length;
    for (const { phone, byPerson } of some) {
      const named = byPerson ? refused.byPerson : refused.byOthers;
      if (named.length < most) named.push(phone);
    }
  }
  return { count: count - refused.count, refused, due: target.due, ...target.counts };
}

function* toParts(changes: Iterable<SubscriptionChange>): Generator<SubscriptionPart, void> {
  let part = new SubscriptionPart();
  for (const change of changes) {
    part.add(change);
    if (!part.isFull) continue;
    yield part;
    part = new SubscriptionPart();
  }
  if (part.size > 0) yield part;
}

/** For fewer numbers, two more queries cost more than they save. */
const MANY = 1000;

/** A number has up to three tombstones of 64 characters, and one value in D1 holds 2,000,000 bytes. */
const MARKED_ROWS = 9_000;

/**
 * Subscribes the numbers that were not erased. Of the tombstones of the numbers and those of the website, the fewer travel.
 * @returns the numbers that it refused
 */
async function subscribeOthers(target: Target, all: SubscriptionChange[], tombstones: Tombstones): Promise<Refused[]> {
  if (all.length < MANY) return subscribeMarked(target, all, tombstones);
  const changes = await withoutUnchanged(target, all);
  const erased = await findErased(target, changes.length);
  if (erased) return subscribeExcept(target, changes, tombstones, erased);
  const refused: Refused[] = [];
  for (const some of chunk(changes, MARKED_ROWS)) refused.push(...(await subscribeMarked(target, some, tombstones)));
  return refused;
}

/**
 * Leaves out the numbers that are subscribed with this address: nobody has erased those, and there is nothing to write. A number
 * that is erased from now on is erased after it was imported.
 */
async function withoutUnchanged(
  { db, websiteId, origin }: Target,
  changes: SubscriptionChange[],
): Promise<SubscriptionChange[]> {
  const [row] = await runQuery<{ phones: string }>(
    db
      .prepare(
        `SELECT json_group_array(g.phone) AS phones FROM ${GIVEN} CROSS JOIN subscriptions s
           ON s.website_id = ?1 AND s.phone = g.phone
         WHERE g.subscribed = 1 AND s.subscribed = 1 AND (g.email IS NULL OR g.email = s.email)
           AND NOT ${IS_SAID_AGAIN}`,
      )
      .bind(websiteId, SubscriptionPart.of(changes).json(), origin.now, origin.source, origin.proof),
  );
  const unchanged = new Set(JSON.parse(row?.phones ?? "[]") as number[]);
  return changes.filter(({ phone }) => !unchanged.has(phone));
}

/** @returns the tombstones of the website; undefined when it has more than `most` */
async function findErased({ db, websiteId }: Target, most: number): Promise<string[] | undefined> {
  const select = db.prepare("SELECT mark FROM erased_people WHERE website_id = ?1 LIMIT ?2");
  const rows = await runQuery<{ mark: string }>(select.bind(websiteId, most + 1));
  return rows.length > most ? undefined : rows.map(({ mark }) => mark);
}

/** @param erased the tombstones of the website: if it has got others since, they are looked at, too */
async function subscribeExcept(
  target: Target,
  all: SubscriptionChange[],
  tombstones: Tombstones,
  erased: string[],
): Promise<Refused[]> {
  const found = tombstones.find(phonesOf(all), erased);
  const changes = all.filter(({ phone }) => !found.has(phone));
  const written = await writePart(target, SubscriptionPart.of(changes), erasedBeside(erased));
  if (written.erased.length === 0) return [...refusedAs(found), ...written.refused];
  return [...refusedAs(found), ...(await subscribeExcept(target, changes, tombstones, [...erased, ...written.erased]))];
}

async function subscribeMarked(target: Target, all: SubscriptionChange[], tombstones: Tombstones): Promise<Refused[]> {
  const guard = erasedAmong(all.flatMap(({ phone }) => tombstones.of(phone)));
  const written = await writePart(target, SubscriptionPart.of(all), guard);
  if (written.erased.length === 0) return written.refused;
  const found = tombstones.find(phonesOf(all), written.erased);
  const changes = all.filter(({ phone }) => !found.has(phone));
  return [...refusedAs(found), ...(await subscribeMarked(target, changes, tombstones))];
}

function refusedAs(erased: Set<number>): Refused[] {
  return [...erased].map((phone) => ({ phone, byPerson: true }));
}

function phonesOf(changes: SubscriptionChange[]): number[] {
  return changes.map(({ phone }) => phone);
}
