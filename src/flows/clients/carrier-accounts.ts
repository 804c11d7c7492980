// The carriers that websites can have: those of the environment's settings, and the named accounts of the store. An isolate keeps the accounts
// for a minute at most, so a change holds everywhere without a restart.
import { type Account, splitAccount } from "../../carriers/account.ts";
import type { Carrier } from "../../carriers/carrier.ts";
import { type Carriers, makeAccount } from "../../carriers/index.ts";
import type { Deps } from "../../deps.ts";
import { failField, RequestFailure } from "../../domain/failure.ts";
import type { Author } from "../../domain/operations/audit.ts";
import { describeError } from "../../platform/describe-error.ts";
import { seal, unseal } from "../../platform/secrets.ts";
import {
  deleteAccount,
  findAccount,
  findWebsitesAt,
  listAccounts,
  putAccount,
  type StoredAccount,
} from "../../store/clients/accounts.ts";
import { askEach } from "../databases/ask-each.ts";
import { inFirst } from "../databases/places.ts";

export const KEPT_MILLISECONDS = 60_000;

/** What nobody has, or what does not verify, is looked up anew, but not more often: anyone can call a webhook. */
const LOOKED_UP_MILLISECONDS = 2000;

export const isOfEnvironment = ({ carriers: { ready, missing } }: Deps, name: string) =>
  Object.hasOwn(ready, name) || Object.hasOwn(missing, name);

/**
 * @param maxAge how old the accounts may be that this isolate has, in milliseconds
 * @throws RequestFailure store-unavailable: this isolate has none yet
 */
async function readAccounts(deps: Deps, maxAge: number): Promise<ReadonlyMap<string, NamedAccount>> {
  const kept = deps.accounts;
  if (deps.now() - kept.readAt < maxAge) return kept.byName;
  const isFirst = kept.readAt === Number.NEGATIVE_INFINITY;
  // Another request of this isolate reads them now, or has just failed to: anyone can call a webhook, as often as they like.
  if (!isFirst && deps.now() - kept.triedAt < Math.min(maxAge, LOOKED_UP_MILLISECONDS)) return kept.byName;
  kept.triedAt = deps.now();
  const first = inFirst(deps);
  try {
    const stored = await listAccounts(first.db);
    const made = await Promise.all(stored.map((account) => toNamed(first, account)));
    kept.byName = new Map(made.flatMap((account) => (account ? [[account.name, account] as const] : [])));
    kept.readAt = deps.now();
  } catch (error) {
    if (isFirst) throw error;
    deps.log("error", "accounts.unknown", { error: describeError(error) });
  }
  return kept.byName;
}

/** An account that is ready. */
interface NamedAccount {
  name: string;
  /** The name of the carrier. */
  at: string;
  carrier: Carrier;
}

/** undefined: it was encrypted with another SERVICE_KEY, or there is no PUBLIC_ORIGIN. */
async function toNamed(deps: Deps, account: StoredAccount): Promise<NamedAccount | undefined> {
  const { PUBLIC_ORIGIN } = deps.config.carriers;
  const secrets = await unsealAccount(deps, account);
  if (!secrets || PUBLIC_ORIGIN === undefined) return undefined;
  const { name, carrier: at } = account;
  const given = { carrier: at, ...account.settings, ...secrets } as Account;
  return { name, at, carrier: makeAccount(given, `${PUBLIC_ORIGIN}/carriers/${at}/${name}`) };
}

/** undefined: it was encrypted with another SERVICE_KEY. */
export async function unsealAccount(
  deps: Deps,
  { name, sealed }: Pick<StoredAccount, "name" | "sealed">,
): Promise<Record<string, string> | undefined> {
  try {
    return JSON.parse(await unseal(sealed, deps.config.serviceKey ?? ""));
  } catch (error) {
    deps.log("error", "account.unreadable", { account: name, error: describeError(error) });
    return undefined;
  }
}

/**
 * The carrier of a website. undefined: it is not set up.
 * @throws RequestFailure store-unavailable
 */
export async function findCarrier(deps: Deps, name: string): Promise<Carrier | undefined> {
  if (isOfEnvironment(deps, name)) return deps.carriers.ready[name];
  const known = (await readAccounts(deps, KEPT_MILLISECONDS)).get(name);
  return (known ?? (await readAccounts(deps, LOOKED_UP_MILLISECONDS)).get(name))?.carrier;
}

/**
 * The account whose webhook is called. undefined: there is none.
 * @param isFresh it is read anew, because what came does not prove its origin to the one that this isolate has
 */
export async function findAccountOf(
  deps: Deps,
  at: string,
  name: string,
  isFresh: boolean,
): Promise<Carrier | undefined> {
  if (!isOfEnvironment(deps, at)) return undefined;
  const known = isFresh ? undefined : (await readAccounts(deps, KEPT_MILLISECONDS)).get(name);
  const account = known ?? (await readAccounts(deps, LOOKED_UP_MILLISECONDS)).get(name);
  return account?.at === at ? account.carrier : undefined;
}

/** All carriers, as they are now. @throws RequestFailure store-unavailable */
export async function readCarriers(deps: Deps, maxAge = 0): Promise<Carriers> {
  const accounts = await readAccounts(deps, maxAge);
  const named = Object.fromEntries([...accounts].map(([name, { carrier }]) => [name, carrier]));
  return { ...deps.carriers, ready: { ...named, ...deps.carriers.ready } };
}

/**
 * @returns the account as this call has stored it: another call may have changed or removed it since
 * @throws RequestFailure fields-wrong: the name is a carrier's own, or the account is at another carrier
 */
export async function storeAccount(deps: Deps, author: Author, name: string, account: Account): Promise<StoredAccount> {
  if (isOfEnvironment(deps, name)) failField("name", `${name} is the account of the environment's settings`);
  const { db } = inFirst(deps);
  const present = await findAccount(db, name);
  if (present && present.carrier !== account.carrier)
    failField("carrier", `is ${present.carrier}: an account stays with its carrier`);
  const { shown, secrets } = splitAccount(account);
  const sealed = await seal(JSON.stringify(secrets), deps.config.serviceKey ?? "");
  const { carrier } = account;
  const stored = await putAccount(db, author, { name, carrier, settings: shown, sealed }, present, deps.now());
  if (!stored) failField("carrier", "is another one by now: an account stays with its carrier");
  Object.assign(deps.accounts, { readAt: Number.NEGATIVE_INFINITY, triedAt: Number.NEGATIVE_INFINITY });
  return stored;
}

/** @throws RequestFailure fields-wrong: a website uses it; resource-unknown */
export async function removeAccount(deps: Deps, author: Author, name: string): Promise<void> {
  const { db } = inFirst(deps);
  if (!(await findAccount(db, name))) throw new RequestFailure({ kind: "resource-unknown", what: "account" });
  const { answers, missing } = await askEach(deps, (own) => findWebsitesAt(own.db, [name]));
  if (missing.unavailableDatabases) throw new RequestFailure({ kind: "store-unavailable" });
  const websites = answers.flat().map(({ websiteId }) => websiteId);
  if (websites.length > 0) failField("name", `is the carrier of ${websites.join(", ")}: give them another one first`);
  await deleteAccount(db, author, name, deps.now());
  Object.assign(deps.accounts, { readAt: Number.NEGATIVE_INFINITY, triedAt: Number.NEGATIVE_INFINITY });
}
