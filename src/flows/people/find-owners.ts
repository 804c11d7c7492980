// Which websites have a sender, in whatever form it is written, and in whichever database they are.
import type { Deps } from "../../deps.ts";
import { isStoreUnavailable } from "../../domain/failure.ts";
import { type CountryCode, findCountries, readNumber } from "../../domain/people/written-number.ts";
import { findOwners, listSenders, type Owner } from "../../store/clients/senders.ts";
import { findDatabasesOfSenders } from "../../store/databases/directory.ts";
import { inDatabase, inFirst } from "../databases/places.ts";
import { inParallel } from "../in-parallel.ts";
import { CONNECTIONS } from "../messages/connections.ts";

/** Every sender at the carrier. They are asked for once, and only where a number is in an uncertain form. */
export type Senders = () => Promise<string[]>;

export function sendersAt(deps: Deps, carrier: string): Senders {
  let answer: Promise<string[]> | undefined;
  return () => (answer ??= listSenders(inFirst(deps).db, carrier));
}

/** `failure`: of the first database that does not answer. Websites in it may have the sender as well. */
export interface FoundOwners {
  owners: Owner[];
  failure?: unknown;
}

/**
 * Finds the websites with the texted sender. If none has it as it is written, it is read as a number of each country that a sender is
 * in.
 * @throws RequestFailure store-unavailable where no owner is found, and one may be in a database that does not answer
 */
export async function findOwnersOf(deps: Deps, carrier: string, to: string[], senders: Senders): Promise<FoundOwners> {
  const written = to.flatMap(withAndWithoutPlus);
  const found = await findAllOwners(deps, carrier, written);
  const { owners, failure } = found;
  if (owners.some(({ isFormer }) => !isFormer)) return found;
  if (failure !== undefined) throw failure;
  const known = await senders();
  const countries = countriesOf([...known, ...to]);
  const toForms = (number: string) =>
    readNumber(number, countries).flatMap(({ forms, assumed }) => (assumed === null ? [] : forms));
  const texted = new Set(to.flatMap(toForms));
  const matching = known.filter((sender) => toForms(sender).some((form) => texted.has(form)));
  return matching.length > 0 ? findAllOwners(deps, carrier, [...written, ...matching]) : { owners };
}

export const countriesOf = (numbers: string[]): CountryCode[] => [...new Set(numbers.flatMap(findCountries))];

/** A short code has no plus sign, and some gateways omit it from numbers. */
function withAndWithoutPlus(name: string): string[] {
  return name.startsWith("+") ? [name, name.slice(1)] : [name, `+${name}`];
}

/** In the order of findOwners. If the directory does not answer, each database is asked. */
async function findAllOwners(deps: Deps, carrier: string, senders: string[]): Promise<FoundOwners> {
  const first = inFirst(deps);
  const failures: unknown[] = [];
  const unlessAway = <T>(asking: Promise<T>, instead: T): Promise<T> =>
    asking.catch((error) => {
      if (!isStoreUnavailable(error)) throw error;
      failures.push(error);
      return instead;
    });
  const all = [...first.others.keys()];
  const others = all.length === 0 ? [] : await unlessAway(findDatabasesOfSenders(first.db, carrier, senders), all);
  const databases = [first, ...others.map((database) => inDatabase(first, database))];
  const owners = await inEachOf(databases, ({ db }) => unlessAway(findOwners(db, carrier, senders), []));
  owners.sort(
    (a, b) => Number(a.isFormer) - Number(b.isFormer) || (a.website.websiteId < b.website.websiteId ? -1 : 1),
  );
  return { owners, ...(failures.length > 0 ? { failure: failures[0] } : {}) };
}

export async function inEachOf<T, R>(databases: T[], ask: (database: T) => Promise<R[]>): Promise<R[]> {
  return (await inParallel(databases, CONNECTIONS, ask)).flat();
}
