import type { Deps } from "../../deps.ts";
import { type Author, partOf, toRequestId } from "../../domain/operations/audit.ts";
import { maskNumbers } from "../../domain/operations/mask.ts";
import { toDigits } from "../../domain/people/phone.ts";
import { describeError } from "../../platform/describe-error.ts";
import { Tombstones } from "../../platform/tombstones.ts";
import { erasePerson } from "../../store/people/erasure.ts";
import { findWebsitesOf } from "../../store/people/person-tables.ts";
import { askEach, type Missing } from "../databases/ask-each.ts";
import { inDatabaseOf, inEach, inFirst } from "../databases/places.ts";
import { inTurn } from "../in-turn.ts";
import { audited } from "../operations/audit.ts";

export async function readTombstones(deps: Deps, websiteId: string): Promise<Tombstones> {
  return new Tombstones(websiteId, await deps.erasureKey.read(inFirst(deps).db, deps.config.serviceKey ?? ""));
}

/** @param websiteId `""`: of no website. @returns the number of erased messages */
export async function erase(deps: Deps, author: Author, websiteId: string, phone: string): Promise<number> {
  const entry = { action: "erase-person", subject: maskNumbers(phone), ...(websiteId && { websiteId }) } as const;
  const work = async () => {
    const tombstone = websiteId ? (await readTombstones(deps, websiteId)).of(toDigits(phone)) : null;
    return erasePerson(deps.db, websiteId, toDigits(phone), tombstone);
  };
  const messages = await audited(deps, author, entry, work, (count) => ({ messages: count }));
  deps.log("info", "person.erased", { requestId: toRequestId(author), websiteId, messages });
  return messages;
}

/**
 * Erases a person in each website that knows the number. A website that fails does not hold up the others.
 * @throws the first failure, when nothing could be erased
 */
export async function eraseEverywhere(
  deps: Deps,
  author: Author,
  phone: string,
): Promise<{ erased: { websiteId: string; messages: number }[]; failed: string[]; missing: Missing }> {
  const { answers, missing } = await askEach(inEach(deps), (own) => eraseInDatabase(own, author, phone));
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
      const own = websiteId ? await inDatabaseOf(deps, { websiteId }) : deps;
      erased.push({ websiteId, messages: await erase(own, partOf(author, websiteId), websiteId, phone) });
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
