// An operator decides whether a text was meant as an opt-out. As a STOP, it is for each website of the sender that was texted.
import type { Deps } from "../../deps.ts";
import type { Website } from "../../domain/clients/website.ts";
import { type Author, partOf } from "../../domain/operations/audit.ts";
import { toDigits } from "../../domain/people/phone.ts";
import { findAcquaintances } from "../../store/clients/senders.ts";
import { decideText, findText, takeBack } from "../../store/people/decide-inbound.ts";
import type { InboundTextRow } from "../../store/people/rows.ts";
import { askTheirs } from "../databases/ask-each.ts";
import { inDatabase } from "../databases/places.ts";
import { queueCallbacks } from "../messages/queue-jobs.ts";
import { findOwnersOf, sendersAt } from "./find-owners.ts";

/**
 * Stores the decision, also in the other websites of the sender that know the person; each gets a copy of the text. Safe to repeat.
 * @param website that has the text
 * @param optOut null: takes the decision back
 * @throws RequestFailure store-unavailable: the text is as it was
 */
export async function decide(
  own: Deps,
  author: Author,
  website: Website,
  row: InboundTextRow,
  optOut: boolean | null,
): Promise<void> {
  const now = own.now();
  // The website that has the text comes last: a call that is repeated finds it undecided, and does the rest.
  for (const each of [...(await sharersOf(own, website, row)), website]) {
    const isOwn = each.websiteId === website.websiteId;
    const deps = isOwn ? own : inDatabase(own, each.database);
    const how = {
      author: isOwn ? author : partOf(author, each.websiteId),
      run: deps.newId(each.home),
      now,
      isCopied: !isOwn,
    };
    const text = { ...row, website_id: each.websiteId };
    if (optOut !== null) await queueCallbacks(deps, await decideText(deps.db, text, optOut, how));
    else {
      const { carrier, carrier_message_id: carrierMessageId } = row;
      const found = isOwn ? row : await findText(deps.db, { websiteId: each.websiteId, carrier, carrierMessageId });
      if (found?.decided_at) await queueCallbacks(deps, await takeBack(deps.db, found, how));
    }
  }
}

/** The other websites that have the sender now, and know the person. */
async function sharersOf(deps: Deps, { websiteId, sender }: Website, row: InboundTextRow): Promise<Website[]> {
  const { carrier, recipient } = row;
  const ownersOf = async (to: string[]) => {
    const { owners, failure } = await findOwnersOf(deps, carrier, to, sendersAt(deps, carrier));
    if (failure !== undefined) throw failure;
    return owners;
  };
  const texted = await ownersOf([recipient]);
  // A number of a messaging service is the sender of no website.
  const isKnown = texted.some(({ website }) => website.websiteId === websiteId);
  const owners = isKnown || sender === null ? texted : await ownersOf([sender]);
  const others = owners.flatMap(({ website, isFormer }) =>
    isFormer || website.websiteId === websiteId ? [] : [website],
  );
  return askTheirs(deps, others, async ({ db }, some) => {
    const ids = some.map((website) => website.websiteId);
    const found = await findAcquaintances(db, ids, [toDigits(row.sender)]);
    const known = new Set(found.filter(({ isKnown }) => isKnown).map((it) => it.websiteId));
    return some.filter((website) => known.has(website.websiteId));
  });
}
