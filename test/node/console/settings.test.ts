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
  fallback: { carrier: "kannel", sender: "+12065550188" },
  dailyLimit: 5000,
  unreachableAfter: 3,
};

/** Each as somebody would write it, what the service is told, and what the page says first. */
const CHANGES: [Partial<SettingsForm>, object, string][] = [
  [{ name: " Harbor " }, { name: "Harbor" }, "It is called Harbor."],
  [{ carrier: "telnyx" }, { carrier: "telnyx" }, "From now on, telnyx takes the texts, those that wait as well."],
  [{ sender: "+1 (206) 555-0199" }, { sender: "+12065550199" }, "From now on, texts come from +12065550199."],
  [{ sender: "" }, { sender: null }, "It has no sender any more."],
  [
    { fallbackCarrier: "telnyx", fallbackSender: "+1 206 555-0177" },
    { fallback: { carrier: "telnyx", sender: "+12065550177" } },
    "While its own sender or carrier pauses, or after it has not taken a text, texts come from +12065550177 at telnyx.",
  ],
  [{ fallbackCarrier: "" }, { fallback: null }, "While its sender or carrier pauses, its texts wait."],
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
    { dailyLimit: "10000" },
    { dailyLimit: 10_000 },
    "From now on, it takes at most 10000 texts in 24 hours; clients are refused what is over it.",
  ],
  [{ dailyLimit: "" }, { dailyLimit: null }, "It takes any number of texts."],
  [
    { unreachableAfter: "5" },
    { unreachableAfter: 5 },
    "A number gets no more texts after 5 in a row that no text can reach.",
  ],
  [{ unreachableAfter: "" }, { unreachableAfter: null }, "Texts go on to numbers that no text can reach."],
  [{ hours: "" }, { sendingHours: null }, "Marketing goes at any time."],
  [
    { whenClosed: "refuse" },
    { sendingHours: { profile: "us-strict", whenClosed: "refuse" } },
    "Marketing goes only in these hours of the person: us-strict, what comes meanwhile is refused.",
  ],
  [
    { hours: "custom", windows: "Mon-Fri 09:00-20:00, sat 10:00–18:00, sun tue 22:00 - 24:00" },
    {
      sendingHours: {
        profile: "custom",
        windows: [
          { days: ["mon", "tue", "wed", "thu", "fri"], from: "09:00", until: "20:00" },
          { days: ["sat"], from: "10:00", until: "18:00" },
          { days: ["tue", "sun"], from: "22:00", until: "24:00" },
        ],
        whenClosed: "delay",
      },
    },
    "Marketing goes only in these hours of the person: mon tue wed thu fri 09:00-20:00, sat 10:00-18:00, sun tue 22:00-24:00, what comes meanwhile waits.",
  ],
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
    const known = Object.keys(websiteFields.shape).filter((name) => name !== "database");
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

  it.each(["", "9-5", "mon 9:00-20:00", "someday 09:00-20:00", "mon 09:00-25:00"])(
    "tell windows that are none to the service, which refuses them: %s",
    (windows) => {
      const form = { ...toForm(website), hours: "custom", windows };
      expect(websiteFields.safeParse(toBody(form)).success).toBe(false);
    },
  );

  it("write windows as they read them", () => {
    const form = toForm({
      ...website,
      sendingHours: {
        profile: "custom",
        windows: [{ days: ["mon", "sat"], from: "09:00", until: "20:00" }],
        whenClosed: "refuse",
      },
    });
    expect(form).toMatchObject({ hours: "custom", windows: "mon sat 09:00-20:00", whenClosed: "refuse" });
    expect(toForm({ ...website, ...(toBody(form) as object) })).toEqual(form);
  });

  it("tell half a cap to the service, which refuses it", () => {
    expect(websiteFields.safeParse(toBody({ ...toForm(website), capHours: "" })).success).toBe(false);
  });
});
