// Pure. A website's settings as a form has them, and what a change of them will do, in a sentence.
import type { Website } from "../answers.ts";

export interface SettingsForm {
  name: string;
  carrier: string;
  sender: string;
  helpText: string;
  optOutWords: string;
  duplicateWindowHours: string;
  timeZone: string;
}

export const toForm = (website: Website): SettingsForm => ({
  name: website.name,
  carrier: website.carrier,
  sender: website.sender ?? "",
  helpText: website.helpText ?? "",
  optOutWords: website.optOutWords?.join(", ") ?? "",
  duplicateWindowHours: website.duplicateWindowHours?.toString() ?? "",
  timeZone: website.timeZone ?? "",
});

/** The body of PUT /operator/websites/{websiteId}: what is left empty is absent. */
export const toBody = (form: SettingsForm) => ({
  name: form.name.trim(),
  carrier: form.carrier,
  sender: form.sender.replaceAll(/[ ()-]/g, "") || null,
  helpText: form.helpText.trim() || null,
  optOutWords: form.optOutWords
    .split(/[,\n]/)
    .map((word) => word.trim())
    .filter(Boolean),
  duplicateWindowHours: form.duplicateWindowHours ? Number(form.duplicateWindowHours) : null,
  ...(form.timeZone && { timeZone: form.timeZone }),
});

type Sentence = (now: SettingsForm, before: SettingsForm) => string;

const SENTENCES: Record<keyof SettingsForm, Sentence> = {
  name: (now) => `It is called ${now.name}.`,
  carrier: (now) => `From now on, ${now.carrier} takes the texts, those that wait as well.`,
  sender: (now) => (now.sender ? `From now on, texts come from ${now.sender}.` : "It has no sender any more."),
  helpText: (now) =>
    now.helpText ? "HELP is answered with the new text." : "HELP is answered with nothing of its own.",
  optOutWords: (now) =>
    now.optOutWords ? `These opt out as well: ${now.optOutWords}.` : "Only the usual words opt out.",
  duplicateWindowHours: (now) =>
    Number(now.duplicateWindowHours) > 0
      ? `The same text to the same person goes once in ${now.duplicateWindowHours} hours.`
      : "The same text may go twice.",
  timeZone: (now) => (now.timeZone ? `Its local time is that of ${now.timeZone}.` : "It has no time of its own."),
};

/** @returns null where nothing is changed */
export function effectOf(now: SettingsForm, before: SettingsForm): { first: string; rest: string } | null {
  const changed = (Object.keys(SENTENCES) as (keyof SettingsForm)[]).filter((key) => now[key] !== before[key]);
  const [first, ...others] = changed;
  if (first === undefined) return null;
  const was = `Before: ${before[first] || "nothing"}.`;
  return {
    first: SENTENCES[first](now, before),
    rest: [was, ...others.map((key) => SENTENCES[key](now, before))].join(" "),
  };
}
