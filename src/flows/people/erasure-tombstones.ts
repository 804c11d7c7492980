import type { Deps } from "../../deps.ts";
import { RequestFailure } from "../../domain/failure.ts";
import { type Author, partOf, toRequestId } from "../../domain/operations/audit.ts";
import { maskNumbers } from "../../domain/operations/mask.ts";
import { toDigits } from "../../domain/people/phone.ts";
import { describeError } from "../../platform/describe-error.ts";
import { Tombstones } from "../../platform/tombstones.ts";
import {
  countOfErasure,
  type Erased,
  erasePerson,
  findErased,
  websitesWithErased,
} from "../../store/people/erasure.ts";
import { findWebsitesOf } from "../../store/people/person-tables.ts";
import { askEach, type Missing } from "../databases/ask-each.ts";
import { inFirst } from "../databases/places.ts";
import { inTurn } from "../in-turn.ts";
import { audited } from "../operations/audit.ts";
import { inWebsitesOf } from "./find-person.ts";

export async function readTombstones(deps: Deps, websiteId: string): Promise<Tombstones> {
  return new Tombstones(websiteId, await deps.erasureKey.read(inFirst(deps).db, deps.config.serviceKey ?? ""));
}

/** The websites of this database that have erased the number. @param websiteId the one that is asked; null: all */
export async function erasedIn(deps: Deps, phone: string, websiteId: string | null): Promise<Erased[]> {
  const websiteIds = await websitesWithErased(deps.db, websiteId);
  const tombstones = await Promise.all(
    websiteIds.map(async (id) => ({ websiteId: id, mark: (await readTombstones(deps, id)).of(toDigits(phone)) })),
  );
  return tombstones.length === 0 ? [] : findErased(deps.db, tombstones);
}

/** @param websiteId `""`: of no website. @returns the number of erased messages */
export async function erase(deps: Deps, author: Author, websiteId: string, phone: string): Promise<number> {
  const entry = { action: "erase-person", subject: maskNumbers(phone), ...(websiteId && { websiteId }) } as const;
  const work = async () => {
    const tombstone = websiteId ? (await readTombstones(deps, websiteId)).of(toDigits(phone)) : null;
    return erasePerson(deps.db, websiteId, toDigits(phone), tombstone, deps.now());
  };
  const messages = await audited(deps, author, entry, work, (count) => ({ messages: count }));
  deps.log("info", "person.erased", { requestId: toRequestId(author), websiteId, messages });
  return messages;
}

/** The messages that an erasure in the website would erase. */
export const countOfPerson = (deps: Deps, websiteId: string, phone: string): Promise<number> =>
  countOfErasure(deps.db, websiteId, toDigits(phone));

/**
 * What comes in after this is erased as well.
 * @param expected null: however many
 * @throws RequestFailure count-changed
 */
export function requireCount(expected: number | null, count: number): void {
  if (expected !== null && count !== expected) throw new RequestFailure({ kind: "count-changed", count });
}

async function countInDatabase(deps: Deps, phone: string): Promise<number> {
  const counts = await inWebsitesOf(deps, phone, (websiteId) => countOfPerson(deps, websiteId, phone));
  return counts.reduce((sum, count) => sum + count, 0);
}

/**
 * Erases a person in each website that knows the number. A website that fails does not hold up the others.
 * @param expected the messages that the caller has seen; null: however many
 * @throws RequestFailure count-changed: nothing is erased; the first failure, when nothing could be erased
 */
export async function eraseEverywhere(
  deps: Deps,
  author: Author,
  phone: string,
  expected: number | null,
): Promise<{ erased: { websiteId: string; messages: number }[]; failed: string[]; missing: Missing }> {
  if (expected !== null) {
    const counted = await askEach(deps, (own) => countInDatabase(own, phone));
    requireCount(
      expected,
      counted.answers.reduce((sum, count) => sum + count, 0),
    );
  }
  const { answers, missing } = await askEach(deps, (own) => eraseInDatabase(own, author, phone));
  const erased = answers.flatMap((own) => own.erased);
  const [failure] = answers.flatMap((own) => own.failures);
  if (erased.length === 0 && failure !== undefined) throw failure;
  return { erased, failed: answers.flatMap((own) => own.failed), missing };
}

async function eraseInDatabase(deps: Deps, author: Author, phone: string) {
  const websiteIds = await findWebsitesOf(deps.db, toDigits(phone), phone);
  const erased: { websiteId: string; messages: number }[] = [];
  const failures: unknown[] = [];
  const eraseIn = async (websiteId: string) => {
    try {
      erased.push({ websiteId, messages: await erase(deps, partOf(author, websiteId), websiteId, phone) });
    } catch (error) {
      const { requestId } = author;
      deps.log("error", "person.not-erased", { requestId, websiteId, error: describeError(error) });
      throw error;
    }
  };
  await inTurn(websiteIds, eraseIn).catch((error: unknown) => failures.push(error));
  const failed = websiteIds.filter((websiteId) => erased.every((it) => it.websiteId !== websiteId));
  return { erased, failed, failures };
}
