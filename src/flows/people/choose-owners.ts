import type { Website } from "../../domain/clients/website.ts";
import type { Keyword } from "../../domain/people/keyword.ts";
import type { Acquaintance, Owner } from "../../store/clients/senders.ts";

interface Chosen {
  websites: Website[];
  told: Website[];
}

/** The latest text first; those without one come last. */
export function byTime(a: Pick<Acquaintance, "textedAt">, b: Pick<Acquaintance, "textedAt">): number {
  return (b.textedAt ?? 0) - (a.textedAt ?? 0);
}

/**
 * Chooses the websites that a text is for among those that have its sender. STOP and START are for all of them. HELP is for the one
 * that answers it. Any other text is for the one that knows the person. Where several websites have the sender, a client hears only
 * of people whom its website knows.
 * @param acquaintances what the websites know of the number
 */
export function chooseOwners(
  owners: Owner[],
  acquaintances: Acquaintance[],
  phones: number[],
  keyword: Keyword | null,
): Chosen {
  const knowers = acquaintances.filter(({ isKnown }) => isKnown).toSorted(byTime);
  const knows = ({ websiteId }: Website) => knowers.some((one) => one.websiteId === websiteId);
  const all = inOrder(withFormer(owners, knowers), knowers);
  const willing = all.filter(isWilling(acquaintances, phones));
  const websites = {
    stop: () => all,
    start: () => all,
    help: () => [...willing, ...all].slice(0, 1),
    none: () => meant(owners, all, knowers),
  }[keyword ?? "none"]();
  return { websites, told: owners.length === 1 ? websites : websites.filter((it) => keyword === null || knows(it)) };
}

/**
 * The present owners; if none of them knows the person, former owners that do as well. So too if only a former owner has texted the person:
 * the text may answer that.
 */
function withFormer(owners: Owner[], knowers: Acquaintance[]): Website[] {
  const knows = ({ websiteId }: Website) => knowers.some((one) => one.websiteId === websiteId);
  const hasTexted = ({ websiteId }: Website) =>
    knowers.some((one) => one.websiteId === websiteId && one.textedAt !== null);
  const present = owners.filter(({ isFormer }) => !isFormer).map(({ website }) => website);
  const former = owners.filter(({ isFormer }) => isFormer).map(({ website }) => website);
  if (present.some(knows) && (present.some(hasTexted) || !former.some(hasTexted))) return present;
  const chosen = [...present, ...former.filter(knows)];
  return chosen.length > 0 ? chosen : former;
}

function inOrder(websites: Website[], knowers: Acquaintance[]): Website[] {
  const placeOf = ({ websiteId }: Website) => {
    const place = knowers.findIndex((one) => one.websiteId === websiteId);
    return place === -1 ? knowers.length : place;
  };
  return websites.toSorted((a, b) => placeOf(a) - placeOf(b));
}

const isWilling =
  (acquaintances: Acquaintance[], [phone]: number[]) =>
  ({ websiteId }: Website) =>
    !acquaintances.some((one) => one.websiteId === websiteId && one.phone === phone && one.isSubscribed === false);

/** The only one that knows the person, or the one that texted last. Where none knows, the present owner if it is the only one. */
function meant(owners: Owner[], all: Website[], knowers: Acquaintance[]): Website[] {
  const some = knowers.filter(({ websiteId }) => all.some((website) => website.websiteId === websiteId));
  const [first] = some;
  const present = owners.filter(({ isFormer }) => !isFormer);
  if (!first) return present.length === 1 ? present.map(({ website }) => website) : [];
  const isUndecided = first.textedAt === null && some.some(({ websiteId }) => websiteId !== first.websiteId);
  return isUndecided ? [] : all.filter(({ websiteId }) => websiteId === first.websiteId);
}
