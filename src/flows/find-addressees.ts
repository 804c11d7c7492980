import type { Deps } from "../deps.ts";
import { readSenderNumber } from "../domain/sender-number.ts";
import type { Website } from "../domain/website.ts";
import type { InboundText } from "../platform/carriers/carrier.ts";
import { databaseOf, findDatabasesOfSenders, findPlaces } from "../platform/store/directory.ts";
import {
  type Acquaintance,
  findAcquaintances,
  findLastToText,
  findOwners,
  type Owner,
} from "../platform/store/senders.ts";
import { CONNECTIONS } from "./connections.ts";
import { inParallel } from "./in-parallel.ts";
import { inDatabase, inEach, inFirst } from "./places.ts";

/** The recipients of an inbound text, and its sender. */
export interface Addressees {
  /** By their latest text to the person, the latest first; then those without one. Empty: no website was found. */
  websites: Website[];
  /** Websites that the person has opted out of. */
  optedOutOf: Set<string>;
  /** The sender as digits; null when it is no phone number, or may be several. */
  phone: number | null;
}

/**
 * The websites whose sender was texted. If none of them knows the person, former owners of the sender that do are added. If the
 * sender has no owner, the website that was the last to text the person through this carrier.
 * @throws RequestFailure store-unavailable also where one of the databases that may know is away: the carrier sends it again
 */
export async function findAddressees(deps: Deps, carrier: string, inbound: InboundText): Promise<Addressees> {
  const owners = await findAllOwners(deps, carrier, inbound.to.flatMap(withAndWithoutPlus));
  const senders = owners.flatMap(({ website }) => website.sender ?? []);
  const { likely, guesses } = readSenderNumber(inbound.from, [...inbound.to, ...senders]);
  if (owners.length === 0) return findByLastText(deps, carrier, likely);
  const phones = [...likely, ...guesses];
  const isPlain = owners.length === 1 && guesses.length === 0 && likely.length < 2;
  if (isPlain || phones.length === 0) {
    const present = owners.filter(({ isFormer }) => !isFormer);
    return toAddressees(present.length > 0 ? present : owners, [], likely[0] ?? null);
  }
  const databases = [...Map.groupBy(owners, ({ website }) => website.database)];
  const known = await inEachOf(databases, ([database, some]) => {
    const ids = some.map(({ website }) => website.websiteId);
    const own = inDatabase(
      deps,
      database,
      some.map(({ website }) => website.home),
    );
    return findAcquaintances(own.db, ids, phones);
  });
  const [best] = known.toSorted((a, b) => byTime(a, b) || phones.indexOf(a.phone) - phones.indexOf(b.phone));
  const phone = best?.phone ?? likely[0] ?? null;
  const acquaintances = known.filter((one) => one.phone === phone);
  return toAddressees(choose(owners, acquaintances), acquaintances, phone);
}

async function inEachOf<T, R>(databases: T[], ask: (database: T) => Promise<R[]>): Promise<R[]> {
  return (await inParallel(databases, CONNECTIONS, ask)).flat();
}

/** In the order of findOwners. */
async function findAllOwners(deps: Deps, carrier: string, senders: string[]): Promise<Owner[]> {
  const first = inFirst(deps);
  const others = first.others.size === 0 ? [] : await findDatabasesOfSenders(first.db, carrier, senders);
  const databases = [first, ...others.map((database) => inDatabase(first, database))];
  const found = await inEachOf(databases, ({ db }) => findOwners(db, carrier, senders));
  const owners = await whereTheyAre(deps, found);
  return owners.sort(
    (a, b) => Number(a.isFormer) - Number(b.isFormer) || (a.website.websiteId < b.website.websiteId ? -1 : 1),
  );
}

/** Of a website that moves, or has moved, two databases have its senders: the one counts in which it is. */
async function whereTheyAre(deps: Deps, owners: Owner[]): Promise<Owner[]> {
  const websites = Map.groupBy(owners, ({ website }) => website.websiteId);
  if (websites.size === owners.length) return owners;
  const homes = owners.map(({ website }) => website.home);
  const places = new Map(
    (await findPlaces(inFirst(deps).db, homes)).map((place) => [place.home, databaseOf(place.database)]),
  );
  const isThere = ({ website }: Owner) => places.get(website.home) === website.database;
  return [...websites.values()].flatMap((some) => (some.length === 1 ? some : some.filter(isThere)));
}

/** A short code has no plus sign, and some gateways omit it from numbers. */
function withAndWithoutPlus(name: string): string[] {
  return name.startsWith("+") ? [name, name.slice(1)] : [name, `+${name}`];
}

async function findByLastText(deps: Deps, carrier: string, likely: number[]): Promise<Addressees> {
  const databases = likely.length > 0 ? inEach(deps) : [];
  const [found] = (await inEachOf(databases, ({ db }) => findLastToText(db, carrier, likely))).sort(byTime);
  const phone = found?.phone ?? likely[0] ?? null;
  return { websites: found ? [found.website] : [], optedOutOf: new Set(), phone };
}

/** Former owners count only when no present owner knows the person. */
function choose(owners: Owner[], acquaintances: Acquaintance[]): Owner[] {
  const knows = ({ website }: Owner) => acquaintances.some(({ websiteId }) => websiteId === website.websiteId);
  const present = owners.filter(({ isFormer }) => !isFormer);
  if (present.some(knows)) return present;
  const chosen = [...present, ...owners.filter((owner) => owner.isFormer && knows(owner))];
  return chosen.length > 0 ? chosen : owners;
}

function toAddressees(owners: Owner[], acquaintances: Acquaintance[], phone: number | null): Addressees {
  const places = acquaintances.toSorted(byTime).map(({ websiteId }) => websiteId);
  const placeOf = ({ websiteId }: Website) => (places.includes(websiteId) ? places.indexOf(websiteId) : places.length);
  const optedOut = acquaintances.filter(({ isSubscribed }) => isSubscribed === false);
  return {
    websites: owners.map(({ website }) => website).sort((a, b) => placeOf(a) - placeOf(b)),
    optedOutOf: new Set(optedOut.map(({ websiteId }) => websiteId)),
    phone,
  };
}

/** The latest text first; websites without one come last. */
function byTime(a: Pick<Acquaintance, "textedAt">, b: Pick<Acquaintance, "textedAt">): number {
  return (b.textedAt ?? 0) - (a.textedAt ?? 0);
}
