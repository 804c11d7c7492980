// Pure. The hours of the profile us-strict: one rule, and the states that are narrower. docs/sending-hours.md has the law.
import type { Day, Window } from "./weekly-windows.ts";

/** How a rule is known: its text was read, a law firm reports it, or only a vendor of messaging does. */
export type Known = "statute" | "law firm" | "vendor only";

export interface StateRule {
  /** ISO 3166-2. */
  region: string;
  state: string;
  /** What the law says, in short. */
  rule: string;
  /** What is open: what both this rule and the general one allow. */
  windows: readonly Window[];
  source: string;
  known: Known;
}

const WEEKDAYS: readonly Day[] = ["mon", "tue", "wed", "thu", "fri"];
const NOT_SUNDAY: readonly Day[] = [...WEEKDAYS, "sat"];

export const US_STRICT = {
  windows: [
    { days: NOT_SUNDAY, from: "09:00", until: "20:00" },
    { days: ["sun"], from: "12:00", until: "20:00" },
  ] as readonly Window[],
  source: "us-strict: its hours outside of the seven states (47 CFR 64.1200(c)(1) and the laws that allow more)",
};

export const STATE_RULES: readonly StateRule[] = [
  {
    region: "US-AL",
    state: "Alabama",
    rule: "8:00 to 20:00, not on Sunday or a holiday",
    windows: [{ days: NOT_SUNDAY, from: "09:00", until: "20:00" }],
    source: "vendors' tables; the text of the law was not seen",
    known: "vendor only",
  },
  {
    region: "US-KY",
    state: "Kentucky",
    rule: "10:00 to 21:00",
    windows: [
      { days: NOT_SUNDAY, from: "10:00", until: "20:00" },
      { days: ["sun"], from: "12:00", until: "20:00" },
    ],
    source: "KRS 367.46955, whose hours were not seen; what it binds: 367.46951",
    known: "vendor only",
  },
  {
    region: "US-LA",
    state: "Louisiana",
    rule: "8:00 to 20:00, not on Sunday or a holiday; not at all while the Public Service Commission declares an emergency",
    windows: [{ days: NOT_SUNDAY, from: "09:00", until: "20:00" }],
    source: "RS 45:844.11 and the Public Service Commission's order R-29617, whose hours were not seen",
    known: "vendor only",
  },
  {
    region: "US-MS",
    state: "Mississippi",
    rule: "8:00 to 20:00 Central Time, not on Sunday",
    windows: [{ days: NOT_SUNDAY, from: "09:00", until: "20:00" }],
    source: "Code § 77-3-723(1); texts: § 77-3-705(d)",
    known: "statute",
  },
  {
    region: "US-RI",
    state: "Rhode Island",
    rule: "Monday to Friday 9:00 to 18:00, Saturday 10:00 to 17:00, not on Sunday or a holiday",
    windows: [
      { days: WEEKDAYS, from: "09:00", until: "18:00" },
      { days: ["sat"], from: "10:00", until: "17:00" },
    ],
    source: "General Laws §§ 5-61-2, 5-61-3.6",
    known: "statute",
  },
  {
    region: "US-SD",
    state: "South Dakota",
    rule: "Autodialers on weekdays only, 9:00 to 21:00",
    windows: [{ days: WEEKDAYS, from: "09:00", until: "20:00" }],
    source: "Codified Laws § 37-30-28",
    known: "statute",
  },
  {
    region: "US-UT",
    state: "Utah",
    rule: "Not from 21:00 to 8:00, on Sunday or a legal holiday",
    windows: [{ days: NOT_SUNDAY, from: "09:00", until: "20:00" }],
    source: "Code § 13-25a-103(3)",
    known: "statute",
  },
];
