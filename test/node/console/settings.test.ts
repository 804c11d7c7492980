import { describe, expect, it } from "vitest";
import { effectOf, type SettingsForm, toBody, toForm } from "../../../console/lib/settings.ts";
import { websiteFields } from "../../../src/domain/clients/website.ts";
import { list } from "./fixture-websites.ts";

/** It has each setting. */
const website = {
  ...list().websites[0],
  duplicateWindowHours: 12,
  optOutWords: ["basta"],
  allowedCountries: ["MX"],
  linkOrigin: "https://old.example.com",
  transactionalPurposes: ["otp"],
};

/** Each as somebody would write it, what the service is told, and what the page says first. */
const CHANGES: [Partial<SettingsForm>, object, string][] = [
  [{ name: " Harbor " }, { name: "Harbor" }, "It is called Harbor."],
  [{ carrier: "telnyx" }, { carrier: "telnyx" }, "From now on, telnyx takes the texts, those that wait as well."],
  [{ sender: "+1 (206) 555-0199" }, { sender: "+12065550199" }, "From now on, texts come from +12065550199."],
  [{ sender: "" }, { sender: null }, "It has no sender any more."],
  [{ timeZone: "Asia/Tokyo" }, { timeZone: "Asia/Tokyo" }, "Its local time is that of Asia/Tokyo."],
  [{ timeZone: "" }, { timeZone: null }, "It has no time of its own."],
  [{ helpText: "Call us." }, { helpText: "Call us." }, "HELP is answered with the new text."],
  [{ helpText: " " }, { helpText: null }, "HELP is answered with nothing of its own."],
  [{ optOutWords: "baja, alto" }, { optOutWords: ["baja", "alto"] }, "These opt out as well: baja, alto."],
  [{ optOutWords: " , " }, { optOutWords: null }, "Only the usual words opt out."],
  [
    { duplicateWindowHours: "24" },
    { duplicateWindowHours: 24 },
    "The same text to the same person goes once in 24 hours.",
  ],
  [{ duplicateWindowHours: "" }, { duplicateWindowHours: null }, "The same text may go twice."],
  [{ allowedCountries: "" }, { allowedCountries: null }, "It sends to every country."],
  [
    { linkOrigin: "" },
    { linkOrigin: null },
    "New tracking links begin with the origin of the service. Those that were sent still work.",
  ],
  [
    { transactionalPurposes: "" },
    { transactionalPurposes: null },
    "All is marketing, unless its client says otherwise.",
  ],
  [
    { allowedCountries: "us, ca" },
    { allowedCountries: ["US", "CA"] },
    "From now on, clients are refused texts to numbers outside of US, CA.",
  ],
  [
    { linkOrigin: "https://go.example.com" },
    { linkOrigin: "https://go.example.com" },
    "New tracking links begin with https://go.example.com. Those that were sent still work.",
  ],
  [
    { capCount: "2", capHours: "48" },
    { frequencyCap: { count: 2, hours: 48 } },
    "From now on, a person gets at most 2 in 48 hours, of marketing; what is over it is not sent.",
  ],
  [{ capCount: "", capHours: "" }, { frequencyCap: null }, "A person gets any number of marketing texts."],
  [
    { transactionalPurposes: "login-code, receipt" },
    { transactionalPurposes: ["login-code", "receipt"] },
    "From now on, these are transactional, and under no cap: login-code, receipt.",
  ],
];

describe("the settings of a website", () => {
  it.each(CHANGES)("are told as the service takes them, and say what they will do: %o", (change, body, sentence) => {
    const before = toForm(website);
    const form = { ...before, ...change };
    expect(websiteFields.parse(toBody(form))).toEqual({ ...websiteFields.parse(toBody(before)), ...body });
    expect(effectOf(form, before)?.first).toBe(sentence);
  });

  it("say what was before, and what else changes", () => {
    const before = toForm(website);
    expect(effectOf({ ...before, sender: "+12065550199", capCount: "1" }, before)?.rest).toBe(
      "Before: +12065550100. From now on, a person gets at most 1 in 24 hours, of marketing; what is over it is not sent.",
    );
  });

  it("are all in the table above", () => {
    const changed = new Set(CHANGES.flatMap(([change]) => Object.keys(change)));
    expect([...changed].sort()).toEqual(Object.keys(toForm(website)).sort());
  });

  it("of the service are all on the page, but for where the website is", () => {
    // Where it is; and what the shell alone sets as yet.
    const others = ["database", "sendingHours", "dailyLimit"];
    const known = Object.keys(websiteFields.shape).filter((name) => !others.includes(name));
    expect(Object.keys(toBody(toForm(website))).sort()).toEqual(known.sort());
  });

  it("are the same when nothing is changed, or only how it is written", () => {
    const before = toForm(website);
    expect(effectOf(before, before)).toBeNull();
    expect(effectOf({ ...before, optOutWords: " basta , ", capCount: "03" }, before)).toBeNull();
    const { optOutWords, allowedCountries, linkOrigin, frequencyCap, transactionalPurposes } = website;
    expect(toBody(before)).toMatchObject({
      optOutWords,
      allowedCountries,
      linkOrigin,
      frequencyCap,
      transactionalPurposes,
    });
  });

  it("tell half a cap to the service, which refuses it", () => {
    expect(websiteFields.safeParse(toBody({ ...toForm(website), capHours: "" })).success).toBe(false);
  });
});
