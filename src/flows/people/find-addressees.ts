import type { InboundText } from "../../carriers/carrier.ts";
import type { Deps } from "../../deps.ts";
import type { Website } from "../../domain/clients/website.ts";
import { type ReadText, readKeyword, readText } from "../../domain/people/keyword.ts";
import { mayQuote } from "../../domain/people/quotation.ts";
import { ALL_COUNTRIES, type CountryCode, type Reading, readNumber } from "../../domain/people/written-number.ts";
import { type Acquaintance, findAcquaintances, findTexted, type Owner } from "../../store/clients/senders.ts";
import { findLatestTexts, findTextsOf } from "../../store/messages/latest-texts.ts";
import { askTheirs } from "../databases/ask-each.ts";
import { inEach } from "../databases/places.ts";
import { byTime, chooseOwners } from "./choose-owners.ts";
import { countriesOf, type FoundOwners, findOwnersOf, inEachOf, type Senders, sendersAt } from "./find-owners.ts";

/** For whom an inbound text is, from whom it is, and what it says to them. */
export interface Addressees extends ReadText {
  /** By their latest text to the person, the latest first; then those without one. Empty: the text is for nobody. */
  websites: Website[];
  /** Those of the websites whose clients hear of it. */
  told: Website[];
  /** The websites that share one reply. For STOP, they are those that the STOP is for; for HELP, all that have the sender. */
  sharers: Website[];
  /** The number of the sender, as digits. Several where it is stored in two forms. Empty: it is no phone number, or may be several. */
  phones: number[];
  /** Websites in a database that does not answer may be meant as well: the carrier must send the text again. */
  failure?: unknown;
}

/**
 * @throws RequestFailure store-unavailable also where one of the databases that may know is away: the carrier sends it again. A STOP is
 * for the websites that are found, all the same: some carriers send it again only once.
 */
export async function findAddressees(deps: Deps, carrier: string, inbound: InboundText): Promise<Addressees> {
  const senders = sendersAt(deps, carrier);
  const found = await findOwnersOf(deps, carrier, inbound.to, senders);
  const addressees =
    found.owners.length > 0
      ? await amongOwners(deps, found, inbound, senders)
      : await amongTexted(deps, carrier, inbound, senders);
  return addressees.keyword === null && mayQuote(inbound.text)
    ? readBesideQuotations(deps, inbound, addressees)
    : addressees;
}

/** An opt-out word in a quotation of what the websites have texted the person is not the person's; in one of what the person sent, it is. */
async function readBesideQuotations(deps: Deps, { text }: InboundText, addressees: Addressees): Promise<Addressees> {
  const { websites, phones } = addressees;
  if (websites.length === 0 || phones.length === 0) return addressees;
  const latest = (find: typeof findLatestTexts) =>
    askTheirs(deps, websites, ({ db }, some) => find(db, idsOf(some), phones));
  const [ours, theirs] = await Promise.all([latest(findLatestTexts), latest(findTextsOf)]);
  const words = websites.flatMap(({ optOutWords }) => optOutWords ?? []);
  return { ...addressees, maybeOptOut: readText(text, words, { ours, theirs }).maybeOptOut };
}

const idsOf = (websites: Website[]): string[] => websites.map(({ websiteId }) => websiteId);

/** The sender of the text is read with the country of the number that was texted; that of any other country is a guess. */
async function amongOwners(
  deps: Deps,
  { owners, failure }: FoundOwners,
  inbound: InboundText,
  senders: Senders,
): Promise<Addressees> {
  const homes = countriesOf([...inbound.to, ...owners.flatMap(({ website }) => website.sender ?? [])]);
  const readings = readNumber(inbound.from, homes, isInternational(inbound.from) ? [] : await guessable(senders));
  const read = readFor(inbound, owners);
  const [only] = readings;
  if (failure !== undefined && (read.keyword !== "stop" || readings.length !== 1)) throw failure;
  const isOneNumber = readings.length < 2 && (!only || (only.forms.length === 1 && only.assumed !== null));
  const isPlain = isOneNumber && owners.length === 1 && !owners[0]?.isFormer;
  const known = isPlain ? [] : await acquaintancesOf(deps, owners, readings);
  const phones = chooseNumber(readings, known);
  const acquaintances = known.filter(({ phone }) => phones.includes(phone));
  const chosen = chooseOwners(owners, acquaintances, phones, read.keyword);
  const sharers = read.keyword === "help" ? owners.map(({ website }) => website) : chosen.websites;
  return { ...read, ...chosen, sharers, phones, ...(failure === undefined ? {} : { failure }) };
}

const isInternational = (written: string) => /^\s*(\+|00)[1-9]/.test(written);

async function guessable(senders: Senders): Promise<CountryCode[]> {
  const countries = countriesOf(await senders());
  return countries.length > 0 ? countries : ALL_COUNTRIES;
}

/** What the carrier has recognized counts; otherwise the words of the websites that may be meant. An opt-out counts wherever it stands. */
function readFor(inbound: InboundText, found: { website: Website }[]): ReadText {
  const words = found.flatMap(({ website }) => website.optOutWords ?? []);
  if (inbound.besides?.some((one) => readKeyword(one, words) === "stop"))
    return { keyword: "stop", maybeOptOut: false };
  const { keyword } = inbound;
  const read = keyword === null ? readText(inbound.text, words) : { keyword, maybeOptOut: false };
  return inbound.isByWhatsApp && read.keyword !== "stop" ? { ...read, keyword: null } : read;
}

const allForms = (readings: Reading[]): number[] => [...new Set(readings.flatMap(({ forms }) => forms))];

function acquaintancesOf(deps: Deps, owners: Owner[], readings: Reading[]): Promise<Acquaintance[]> {
  const phones = allForms(readings);
  if (phones.length === 0) return Promise.resolve([]);
  const websites = owners.map(({ website }) => website);
  return askTheirs(deps, websites, ({ db }, some) => findAcquaintances(db, idsOf(some), phones));
}

/**
 * Chooses the number that was texted last, in each form that is stored, a subscribed form first. If no form is stored, the likeliest
 * counts.
 */
function chooseNumber(readings: Reading[], known: Acquaintance[]): number[] {
  const placeOf = (phone: number) => readings.findIndex(({ forms }) => forms.includes(phone));
  const [best] = known.toSorted((a, b) => byTime(a, b) || placeOf(a.phone) - placeOf(b.phone));
  if (!best) return readings.flatMap(({ assumed }) => assumed ?? []).slice(0, 1);
  const stored = known.filter(({ phone }) => readings[placeOf(best.phone)]?.forms.includes(phone));
  const bySubscription = stored.toSorted(
    (a, b) => Number(b.isSubscribed ?? false) - Number(a.isSubscribed ?? false) || byTime(a, b),
  );
  return [...new Set(bySubscription.map(({ phone }) => phone))];
}

/**
 * Nobody has the sender that was texted. A STOP is for every website that has texted the person through this carrier, and for none
 * where two numbers may be meant: nothing here chooses one of several. Any other text is for nobody.
 */
async function amongTexted(deps: Deps, carrier: string, inbound: InboundText, senders: Senders): Promise<Addressees> {
  const homes = countriesOf([...inbound.to, ...(await senders())]);
  const readings = readNumber(inbound.from, homes, homes.length === 0 ? ALL_COUNTRIES : []);
  const candidates = allForms(readings);
  const texted =
    candidates.length === 0 ? [] : await inEachOf(inEach(deps), ({ db }) => findTexted(db, carrier, candidates));
  texted.sort(byTime);
  const read = readFor(inbound, texted);
  const meant = readings.filter(({ forms }) => texted.some(({ phone }) => forms.includes(phone)));
  const isClear = read.keyword === "stop" && meant.length === 1;
  const websites = isClear ? [...new Map(texted.map(({ website }) => [website.websiteId, website])).values()] : [];
  const phones = isClear ? texted.map(({ phone }) => phone) : onlyNumber(readings);
  return { ...read, websites, told: websites, sharers: websites, phones: [...new Set(phones)] };
}

function onlyNumber(readings: Reading[]): number[] {
  const assumed = readings.flatMap((reading) => reading.assumed ?? []);
  return assumed.length === 1 ? assumed : [];
}
