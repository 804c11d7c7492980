import { readSenderNumber } from "../domain/sender-number.ts";
import type { Website } from "../domain/website.ts";
import type { InboundText } from "../platform/carriers/carrier.ts";
import {
  type Acquaintance,
  findAcquaintances,
  findLastToText,
  findOwners,
  type Owner,
} from "../platform/store/senders.ts";

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
 */
export async function findAddressees(db: D1Database, carrier: string, inbound: InboundText): Promise<Addressees> {
  const owners = await findOwners(db, carrier, inbound.to.flatMap(withAndWithoutPlus));
  const senders = owners.flatMap(({ website }) => website.sender ?? []);
  const { likely, guesses } = readSenderNumber(inbound.from, [...inbound.to, ...senders]);
  if (owners.length === 0) return findByLastText(db, carrier, likely);
  const phones = [...likely, ...guesses];
  const isPlain = owners.length === 1 && guesses.length === 0 && likely.length < 2;
  if (isPlain || phones.length === 0) {
    const present = owners.filter(({ isFormer }) => !isFormer);
    return toAddressees(present.length > 0 ? present : owners, [], likely[0] ?? null);
  }
  const ids = owners.map(({ website }) => website.websiteId);
  const known = await findAcquaintances(db, ids, phones);
  const [best] = known.toSorted((a, b) => byTime(a, b) || phones.indexOf(a.phone) - phones.indexOf(b.phone));
  const phone = best?.phone ?? likely[0] ?? null;
  const acquaintances = known.filter((one) => one.phone === phone);
  return toAddressees(choose(owners, acquaintances), acquaintances, phone);
}

/** A short code has no plus sign, and some gateways omit it from numbers. */
function withAndWithoutPlus(name: string): string[] {
  return name.startsWith("+") ? [name, name.slice(1)] : [name, `+${name}`];
}

async function findByLastText(db: D1Database, carrier: string, likely: number[]): Promise<Addressees> {
  const found = likely.length > 0 ? await findLastToText(db, carrier, likely) : undefined;
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
function byTime(a: Acquaintance, b: Acquaintance): number {
  return (b.textedAt ?? 0) - (a.textedAt ?? 0);
}
