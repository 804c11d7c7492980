/** What libphonenumber lacks or has wrong, or what a clock change since its data has made wrong. */
export interface Override {
  /** Area codes of North America, or calling codes. */
  codes: string;
  /** Zones that are added to what libphonenumber has. */
  add?: string;
  /** Zones that are taken from it. */
  drop?: string;
  /** For area codes that libphonenumber does not have. */
  region?: string;
  reason: string;
}

export const AREA_CODE_OVERRIDES: Override[] = [
  {
    codes: "689",
    add: "America/New_York",
    drop: "America/Chicago",
    reason: "Orlando, over 407 and 321; the data have it in Central Time.",
  },
  {
    codes: "448",
    add: "America/Chicago",
    reason: "Florida's Panhandle, over 850, which is in both; the data have Eastern Time only.",
  },
  {
    codes: "364",
    add: "America/Chicago",
    reason: "Western Kentucky, over 270, which is in both; the data have Eastern Time only.",
  },
  {
    codes: "930",
    add: "America/Chicago",
    reason: "Southern Indiana, over 812, which is in both; the data have Eastern Time only.",
  },
  {
    codes: "402 531",
    add: "America/Denver",
    reason: "Eastern Nebraska, and Cody in the west of Cherry County (402 823), which is on Mountain Time.",
  },
  {
    codes: "458",
    add: "America/Boise",
    reason: "Oregon, over 541: Malheur County is on Mountain Time; the data have Pacific Time only.",
  },
  {
    codes: "236 250 257 672 778",
    add: "America/Edmonton America/Fort_Nelson",
    reason:
      "All of British Columbia: the East Kootenay keeps Mountain Time with a clock change, the Peace River and Creston without; the data have one or two of the three.",
  },
  {
    codes: "306 474 639",
    add: "America/Edmonton America/Regina America/Winnipeg",
    reason:
      "Saskatchewan: Lloydminster keeps the time of Alberta, Creighton that of Manitoba; the data have one of the three.",
  },
  {
    codes: "807",
    add: "America/Atikokan",
    reason: "Northwestern Ontario: Atikokan and Pickle Lake have no clock change.",
  },
  {
    codes: "273 367 418 581",
    add: "America/Halifax America/Puerto_Rico America/Toronto",
    region: "CA-QC",
    reason:
      "Eastern Quebec: the Magdalen Islands keep Atlantic Time, Blanc-Sablon the same without a clock change. The data lack 273.",
  },
  {
    codes: "709 879",
    add: "America/Halifax",
    drop: "America/Puerto_Rico",
    reason: "Newfoundland, and Labrador on Atlantic Time. Puerto Rico, which the data have, keeps neither clock.",
  },
  {
    codes: "867",
    add: "America/Atikokan America/Whitehorse",
    drop: "America/Fort_Nelson America/Vancouver",
    reason: "The three territories: since 2020 Yukon has no clock change, and Southampton Island in Nunavut has none.",
  },
  {
    codes: "457",
    add: "America/Chicago",
    region: "US-LA",
    reason: "Northern Louisiana, over 318 since September 2025; not in the data yet.",
  },
  {
    codes: "357",
    add: "America/Los_Angeles",
    region: "US-CA",
    reason: "Fresno, over 559 since March 2025; not in the data yet.",
  },
  {
    codes: "465",
    add: "America/New_York",
    region: "US-NY",
    reason: "New York City without Manhattan, over 718 from 2026; not in the data yet.",
  },
  {
    codes: "471",
    add: "America/Chicago",
    region: "US-MS",
    reason: "Northern Mississippi, over 662 since January 2026; not in the data yet.",
  },
  {
    codes: "483",
    add: "America/Chicago",
    region: "US-AL",
    reason: "Southeastern Alabama, over 334 since February 2026; not in the data yet.",
  },
  { codes: "436", add: "America/New_York", region: "US-OH", reason: "Over 440 since 2024; not in the data yet." },
  {
    codes: "621",
    add: "America/Chicago",
    region: "US-TX",
    reason: "Houston, over 713 since 2025; not in the data yet.",
  },
  { codes: "624", add: "America/New_York", region: "US-NY", reason: "Buffalo, over 716; not in the data yet." },
  {
    codes: "679",
    add: "America/New_York",
    region: "US-MI",
    reason: "Detroit, over 313 since November 2025; not in the data yet.",
  },
  {
    codes: "729",
    add: "America/Chicago America/New_York",
    region: "US-TN",
    reason: "Over 423, which is in both, since September 2025; not in the data yet.",
  },
  { codes: "861", add: "America/Chicago", region: "US-IL", reason: "Over 309 since 2023; not in the data yet." },
  { codes: "924", add: "America/Chicago", region: "US-MN", reason: "Over 507 since 2024; not in the data yet." },
];

export const CALLING_CODE_OVERRIDES: Override[] = [
  {
    codes: "7",
    add: "Europe/Kaliningrad",
    drop: "Europe/Bucharest",
    reason: "Kaliningrad has no clock change.",
  },
  {
    codes: "52",
    drop: "America/New_York",
    reason: "Cancun, which the data have too, has no clock change.",
  },
  { codes: "56", add: "America/Punta_Arenas", reason: "Magallanes has had no clock change since 2016." },
  { codes: "61", add: "Australia/Darwin", reason: "The data have Adelaide alone, whose clock changes." },
  { codes: "86", add: "Asia/Urumqi", reason: "Xinjiang keeps a time of its own beside Beijing's." },
  {
    codes: "211",
    add: "Africa/Juba",
    drop: "Africa/Nairobi",
    reason: "South Sudan left East Africa Time in 2021.",
  },
  {
    codes: "212",
    add: "Africa/Casablanca Africa/El_Aaiun",
    drop: "Atlantic/Canary",
    reason: "Morocco does not follow the clock of the Canaries.",
  },
  { codes: "213", add: "Africa/Algiers", drop: "Europe/Paris", reason: "Algeria has no clock change." },
  { codes: "218", add: "Africa/Tripoli", drop: "Europe/Bucharest", reason: "Libya has no clock change." },
  { codes: "299", add: "America/Danmarkshavn", reason: "The northeast of Greenland keeps UTC." },
  { codes: "380", add: "Europe/Simferopol", reason: "Crimea keeps the time of Moscow." },
  { codes: "505", add: "America/Managua", drop: "America/Chicago", reason: "Nicaragua has no clock change." },
  { codes: "675", add: "Pacific/Bougainville", reason: "Bougainville has been an hour ahead since 2014." },
  {
    codes: "970",
    add: "Asia/Gaza Asia/Hebron",
    drop: "Europe/Bucharest",
    reason: "Palestine changes its clock on other days than Europe.",
  },
];
