// What D1 has of clients is spread to where requests are checked: the object of the website, and KV.
import type { Deps } from "../../deps.ts";
import type { Credentials, Effect } from "../../domain/clients/client.ts";
import { askStore } from "../../platform/ask-store.ts";
import { describeError } from "../../platform/describe-error.ts";
import { type ClientCopy, findCopies, findUncopied, markCopied } from "../../store/clients/client-copies.ts";
import { inTurn } from "../in-turn.ts";

/**
 * Spreads a change that D1 has. A failure here does not fail the operator's call, because its answer may hold secrets that are shown
 * only once: the sweep spreads the change again. KV fails whenever a client changes twice in a second: it takes one write a second.
 */
export async function spreadChange(deps: Deps, by: { websiteId: string } | { clientId: string }): Promise<Effect> {
  const told = new Set<string>();
  let copies: ClientCopy[] = [];
  try {
    copies = await findCopies(deps.db, by);
    await spread(deps, copies, told);
  } catch (error) {
    deps.log("error", "client.not-spread", { ...by, error: describeError(error) });
  }
  const isTold = copies.length > 0 && copies.every(({ credentials }) => told.has(credentials.clientId));
  return isTold ? "at-once" : "within-minutes";
}

export const COPIES_A_SWEEP = 500;

/** Spreads the clients of which a copy may be out of date. @returns how many */
export async function spreadUncopied(deps: Deps): Promise<number> {
  const copies = await findUncopied(deps.db, COPIES_A_SWEEP, deps.now());
  await spread(deps, copies, new Set());
  return copies.length;
}

/**
 * @param told gets the clients whose present state the website's object has
 * @throws RequestFailure store-unavailable when a copy has failed; the others are made
 */
async function spread(deps: Deps, copies: ClientCopy[], told: Set<string>): Promise<void> {
  const done: Credentials[] = [];
  const websites = Map.groupBy(copies, ({ credentials }) => credentials.websiteId);
  try {
    await inTurn(websites, ([websiteId, ofWebsite]) => tell(deps, websiteId, ofWebsite, told));
  } finally {
    try {
      await inTurn(copies, async ({ credentials }) => {
        await deps.credentials.write(credentials, deps.now());
        if (told.has(credentials.clientId)) done.push(credentials);
      });
    } finally {
      if (done.length > 0) await markCopied(deps.db, done, deps.now());
    }
  }
}

const TELL_MILLISECONDS = 5000;

/** New clients are not announced, because no older copy can exist. The client's first call then decides where its object is created. */
async function tell(deps: Deps, websiteId: string, copies: ClientCopy[], told: Set<string>): Promise<void> {
  const changed = copies.filter(({ isNew }) => !isNew).map(({ credentials }) => credentials);
  if (changed.length > 0) await askStore(TELL_MILLISECONDS, () => deps.limiter.tell(websiteId, changed));
  for (const { credentials } of copies) told.add(credentials.clientId);
}
