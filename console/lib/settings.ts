// Pure. A website's settings as a form has them, each as text, and what a change of them will do, in a sentence.
import type { Website } from "../answers.ts";

export interface SettingsForm {
  name: string;
  carrier: string;
  sender: string;
  timeZone: string;
  helpText: string;
  optOutWords: string;
  duplicateWindowHours: string;
  allowedCountries: string;
  linkOrigin: string;
  capCount: string;
  capHours: string;
  transactionalPurposes: string;
  dailyLimit: string;
  unreachableAfter: string;
  fallbackCarrier: string;
  fallbackSender: string;
  /** The profile of its sending hours. */
  hours: string;
  /** The windows of the profile custom. */
  windows: string;
  whenClosed: string;
}

type Cap = { count: number | null; hours: number | null };
type Fallback = { carrier: string; sender: string };
type Hours = { profile: string; whenClosed: string; windows?: Windows };
type Windows = { days: string[]; from: string; until: string }[];

const DAYS = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"];

const windowsText = (windows: Windows = []) =>
  windows.map(({ days, from, until }) => `${days.join(" ")} ${from}-${until}`).join(", ");

/** `mon-fri 09:00-20:00, sat 10:00-18:00`, in upper or lower case. Text that is no window goes to the service as it is, which refuses it. */
const toWindows = (text: string): Windows =>
  text
    .toLowerCase()
    .split(",")
    .map((window) => {
      const [, from = "", until = ""] = /([\d:]+) *[-–] *([\d:]+)/.exec(window) ?? [];
      const days = [...window.matchAll(/([a-z]{3})[a-z]*(?: *[-–] *([a-z]{3}))?/g)].flatMap(([, first = "", last]) =>
        last ? DAYS.slice(DAYS.indexOf(first), DAYS.indexOf(last) + 1) : [first],
      );
      return { days, from, until };
    });

function textOf(value: string | number | string[] | Cap | Hours | Fallback | null | undefined): string {
  if (Array.isArray(value)) return value.join(", ");
  if (typeof value === "object" && value && "profile" in value)
    return `${windowsText(value.windows) || value.profile}, what comes meanwhile ${value.whenClosed === "delay" ? "waits" : "is refused"}`;
  if (typeof value === "object" && value && "carrier" in value) return `${value.sender} at ${value.carrier}`;
  return typeof value === "object" && value ? `${value.count ?? "?"} in ${value.hours ?? "?"} hours` : `${value ?? ""}`;
}

export function toForm(website: Partial<Website>): SettingsForm {
  return {
    name: textOf(website.name),
    carrier: textOf(website.carrier),
    sender: textOf(website.sender),
    timeZone: textOf(website.timeZone),
    helpText: textOf(website.helpText),
    optOutWords: textOf(website.optOutWords),
    duplicateWindowHours: textOf(website.duplicateWindowHours),
    allowedCountries: textOf(website.allowedCountries),
    linkOrigin: textOf(website.linkOrigin),
    capCount: textOf(website.frequencyCap?.count),
    capHours: textOf(website.frequencyCap?.hours),
    transactionalPurposes: textOf(website.transactionalPurposes),
    dailyLimit: textOf(website.dailyLimit),
    unreachableAfter: textOf(website.unreachableAfter),
    fallbackCarrier: textOf(website.fallback?.carrier),
    fallbackSender: textOf(website.fallback?.sender),
    hours: textOf(website.sendingHours?.profile),
    windows: windowsText(website.sendingHours?.windows),
    whenClosed: website.sendingHours?.whenClosed ?? "delay",
  };
}

/** The body of PUT /operator/websites/{websiteId}: null removes what is left empty. */
export function toBody(form: SettingsForm) {
  const listOf = (text: string) => {
    const words = text.split(/[,\n]/).flatMap((word) => word.trim() || []);
    return words.length > 0 ? words : null;
  };
  const numberOf = (text: string) => (text ? Number(text) : null);
  const [count, hours] = [numberOf(form.capCount), numberOf(form.capHours)];
  const senderOf = (text: string) => text.replaceAll(/[ ()-]/g, "");
  return {
    name: form.name.trim(),
    carrier: form.carrier,
    sender: senderOf(form.sender) || null,
    timeZone: form.timeZone || null,
    helpText: form.helpText.trim() || null,
    optOutWords: listOf(form.optOutWords),
    duplicateWindowHours: numberOf(form.duplicateWindowHours),
    allowedCountries: listOf(form.allowedCountries),
    linkOrigin: form.linkOrigin.trim() || null,
    frequencyCap: count === null && hours === null ? null : { count, hours },
    transactionalPurposes: listOf(form.transactionalPurposes),
    fallback: form.fallbackCarrier ? { carrier: form.fallbackCarrier, sender: senderOf(form.fallbackSender) } : null,
    dailyLimit: numberOf(form.dailyLimit),
    unreachableAfter: numberOf(form.unreachableAfter),
    sendingHours: form.hours
      ? {
          profile: form.hours,
          whenClosed: form.whenClosed,
          ...(form.hours === "custom" && { windows: toWindows(form.windows) }),
        }
      : null,
  };
}

type Settings = ReturnType<typeof toBody>;

const SENTENCES: { [Name in keyof Settings]: (value: NonNullable<Settings[Name]>) => string } = {
  name: (name) => `It is called ${name}.`,
  carrier: (carrier) => `From now on, ${carrier} takes the texts, those that wait as well.`,
  sender: (sender) => `From now on, texts come from ${sender}.`,
  timeZone: (zone) => `Its local time is that of ${zone}.`,
  helpText: () => "HELP is answered with the new text.",
  optOutWords: (words) => `These opt out as well: ${textOf(words)}.`,
  duplicateWindowHours: (hours) => `The same text to the same person goes once in ${hours} hours.`,
  allowedCountries: (countries) =>
    `From now on, clients are refused texts to numbers outside of ${textOf(countries).toUpperCase()}.`,
  linkOrigin: (origin) => `New tracking links begin with ${origin}. Those that were sent still work.`,
  frequencyCap: (cap) =>
    `From now on, a person gets at most ${textOf(cap)}, of marketing; what is over it is not sent.`,
  fallback: (fallback) =>
    `While its own sender or carrier pauses, or after it has not taken a text, texts come from ${textOf(fallback)}.`,
  dailyLimit: (limit) =>
    `From now on, it takes at most ${limit} texts in 24 hours; clients are refused what is over it.`,
  unreachableAfter: (texts) => `A number gets no more texts after ${texts} in a row that no text can reach.`,
  sendingHours: (hours) => `Marketing goes only in these hours of the person: ${textOf(hours)}.`,
  transactionalPurposes: (purposes) => `From now on, these are transactional, and under no cap: ${textOf(purposes)}.`,
};

/** Where one is removed. */
const REMOVED: Partial<Record<keyof Settings, string>> = {
  sender: "It has no sender any more.",
  timeZone: "It has no time of its own.",
  helpText: "HELP is answered with nothing of its own.",
  optOutWords: "Only the usual words opt out.",
  duplicateWindowHours: "The same text may go twice.",
  allowedCountries: "It sends to every country.",
  linkOrigin: "New tracking links begin with the origin of the service. Those that were sent still work.",
  frequencyCap: "A person gets any number of marketing texts.",
  fallback: "While its sender or carrier pauses, its texts wait.",
  dailyLimit: "It takes any number of texts.",
  unreachableAfter: "Texts go on to numbers that no text can reach.",
  sendingHours: "Marketing goes at any time.",
  transactionalPurposes: "All is marketing, unless its client says otherwise.",
};

/** @returns null where nothing is changed */
export function effectOf(now: SettingsForm, before: SettingsForm): { first: string; rest: string } | null {
  const [is, was] = [toBody(now), toBody(before)];
  const changed = (Object.keys(SENTENCES) as (keyof Settings)[]).filter((key) => textOf(is[key]) !== textOf(was[key]));
  const sentenceOf = <Name extends keyof Settings>(name: Name) => {
    const value = is[name];
    return value === null || value === undefined ? REMOVED[name] : SENTENCES[name](value);
  };
  const [first, ...others] = changed;
  if (!first) return null;
  const words = [`Before: ${textOf(was[first]) || "nothing"}.`, ...others.map(sentenceOf)];
  return { first: sentenceOf(first) ?? "", rest: words.join(" ") };
}
