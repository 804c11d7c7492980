// Pure. Two invented brands, and what they text. Numbers of 555-01xx belong to nobody; a text to 555-00xx comes to what the sandbox
// makes of it.

export interface Campaign {
  sendPurpose: string;
  text: string;
  /** Its link. */
  clickUrl?: string;
}

export interface Brand {
  websiteId: string;
  name: string;
  /** The name of the client that sends for it. */
  platform: string;
  sender: string;
  /** The area codes of its people: most have the first. */
  areaCodes: [string, ...string[]];
  helpText: string;
  /** Sent each day, to a few. */
  daily: Campaign;
  /** Sent each week, to many. */
  weekly: Campaign;
  /** On which day of the week: days since 1970, modulo 7. */
  weekday: number;
}

export const HARBOR: Brand = {
  websiteId: "harbor-coffee",
  name: "Harbor Coffee (demo)",
  platform: "Braze (demo)",
  sender: "+12065550199",
  areaCodes: ["206", "253", "360", "425"],
  helpText: "Harbor Coffee: order and loyalty texts. help@harbor.example. Reply STOP to opt out.",
  daily: { sendPurpose: "pickup-ready", text: "Harbor Coffee: Your order is ready at Pier 14." },
  weekly: {
    sendPurpose: "weekend-roast",
    text: "Harbor Coffee: This weekend's roast is from Huila. Two bags for one: https://harbor.example/roast",
    clickUrl: "https://harbor.example/roast",
  },
  weekday: 1,
};

export const NORTHWIND: Brand = {
  websiteId: "northwind",
  name: "Northwind Outfitters (demo)",
  platform: "Klaviyo (demo)",
  sender: "+15035550199",
  areaCodes: ["503", "458", "541", "971"],
  helpText: "Northwind: order and sale texts. help@northwind.example. Reply STOP to opt out.",
  daily: { sendPurpose: "order-shipped", text: "Northwind: Your order is on its way. It comes in two days." },
  weekly: {
    sendPurpose: "winter-sale",
    text: "Northwind: The winter sale is on, 30% off all boots until Sunday: https://northwind.example/sale",
    clickUrl: "https://northwind.example/sale",
  },
  weekday: 4,
};

/** People whose texts arrive: 555-0101 and on. The last of them subscribe one by one, and somebody never does. */
const ARRIVING = 40;
export const FIRST_ARRIVING = 34;

/** A number of the sandbox: a text to it is undelivered. */
const UNDELIVERED = "0002";

/** A text to it gets no receipt. */
const NO_RECEIPT = "0003";

/** More numbers of the sandbox: refused, taken at the second try, no receipt, opted out at the carrier. */
const FAILING = ["0001", "0004", NO_RECEIPT, "0008"];

const phoneOf = (areaCode: string, ending: string) => `+1${areaCode}555${ending}`;

/** @returns E.164: somebody whose texts stay SENDING */
export const noReceiptOf = ({ areaCodes: [areaCode] }: Brand): string => phoneOf(areaCode, NO_RECEIPT);

/** @returns E.164, those whose texts arrive first */
export function peopleOf({ areaCodes }: Brand): { arriving: string[]; failing: string[] } {
  const [areaCode] = areaCodes;
  const arriving = Array.from({ length: ARRIVING }, (_, index) =>
    phoneOf(areaCode, String(101 + index).padStart(4, "0")),
  );
  const undelivered = areaCodes.map((other) => phoneOf(other, UNDELIVERED));
  return { arriving, failing: [...undelivered, ...FAILING.map((ending) => phoneOf(areaCode, ending))] };
}

/** A file of subscribers: some have an address. */
export function subscribersOf(phones: string[]): string {
  const rows = phones.map(
    (phone, index) => `${phone},${index % 3 === 0 ? `person-${phone.slice(-4)}@example.com` : ""}`,
  );
  return ["phone_numbers,email", ...rows].join("\n");
}

/** What people answer, with the person's place among those whose texts arrive. */
export const ANSWERS: { daysAgo: number; brand: Brand; person: number; text: string }[] = [
  { daysAgo: 27.2, brand: HARBOR, person: 3, text: "Do you have oat milk at the pier?" },
  { daysAgo: 25.9, brand: NORTHWIND, person: 5, text: "STOP" },
  { daysAgo: 22.4, brand: HARBOR, person: 8, text: "Stop" },
  { daysAgo: 19.6, brand: NORTHWIND, person: 9, text: "It came today, thank you!" },
  { daysAgo: 18.8, brand: NORTHWIND, person: 11, text: "STOP" },
  { daysAgo: 15.3, brand: HARBOR, person: 14, text: "HELP" },
  { daysAgo: 13.1, brand: HARBOR, person: 8, text: "START" },
  { daysAgo: 11.7, brand: NORTHWIND, person: 20, text: "unsubscribe" },
  { daysAgo: 8.5, brand: HARBOR, person: 17, text: "Wrong order, I had the flat white" },
  { daysAgo: 5.2, brand: NORTHWIND, person: 21, text: "Stop all" },
  { daysAgo: 3.4, brand: HARBOR, person: 22, text: "Can I come at 5 instead?" },
  { daysAgo: 1.6, brand: NORTHWIND, person: 24, text: "STOP" },
  { daysAgo: 0.3, brand: NORTHWIND, person: 26, text: "please stop texting me at night" },
  { daysAgo: 0.1, brand: HARBOR, person: 27, text: "On my way" },
];
