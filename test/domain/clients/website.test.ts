import { expect, it } from "vitest";
import { NEW_WEBSITE, settingsAfter } from "../../../src/domain/clients/website.ts";

const NOTHING = {
  helpText: null,
  duplicateWindowHours: null,
  optOutWords: null,
  timeZone: null,
  allowedCountries: null,
  linkOrigin: null,
  frequencyCap: null,
  transactionalPurposes: null,
  sendingHours: null,
  unreachableAfter: null,
  fallback: null,
  dailyLimit: null,
};

const HOURS = { profile: "us-strict", whenClosed: "delay" } as const;
const WINDOWS = { profile: "custom", windows: [{ days: ["mon"], from: "09:00", until: "20:00" }] };

it.each<[what: string, present: object | undefined, given: object, after: object]>([
  ["a new website without any", undefined, {}, {}],
  ["a new website", undefined, { name: "Brand", carrier: "sandbox", dailyLimit: 5 }, { dailyLimit: 5 }],
  ["a stored setting that no website has any more", undefined, { formerSetting: 1 }, {}],
  ["a change of another", { helpText: "Call us" }, { dailyLimit: 5 }, { helpText: "Call us", dailyLimit: 5 }],
  ["one that is left out", { helpText: "Call us" }, { helpText: undefined }, { helpText: "Call us" }],
  ["one that is removed", { helpText: "Call us" }, { helpText: null }, {}],
  ["a website that says nothing of unreachable numbers", NEW_WEBSITE, {}, { unreachableAfter: 3 }],
  ["a website that texts them", NEW_WEBSITE, { unreachableAfter: null }, {}],
  ["one of several fields", { sendingHours: WINDOWS }, { sendingHours: HOURS }, { sendingHours: HOURS }],
])("the optional settings after %s", (_, present, given, after) => {
  expect(settingsAfter({ ...present }, given)).toEqual({ ...NOTHING, ...after });
});
