// Fills an empty service with a month of two brands, for the console: made by calls of the service, as if they had been made then.
import { isLoopback } from "../../../src/domain/callbacks/callback-url.ts";
import type { Credentials } from "../../../src/domain/clients/client.ts";
import { DAY_MILLISECONDS } from "../../../src/domain/day.ts";
import { acceptBulk } from "../../../src/flows/messages/accept-bulk.ts";
import { countClick } from "../../../src/flows/messages/count-click.ts";
import { endWithoutReceipt } from "../../../src/flows/messages/end-messages.ts";
import { receiveInbound } from "../../../src/flows/people/receive-inbound.ts";
import { listWebsites } from "../../../src/store/clients/websites.ts";
import {
  ANSWERS,
  type Brand,
  type Campaign,
  FIRST_ARRIVING,
  HARBOR,
  NORTHWIND,
  peopleOf,
  subscribersOf,
} from "./brands.ts";
import { ENDPOINT, FAILING_ENDPOINT } from "./endpoint.ts";
import { type Caller, Past } from "./past.ts";

/** Where the links lead from: no link of the demo is followed. */
const LINK_ORIGIN = "https://txt.example";

const HOUR = 3_600_000;
const MINUTE = 60_000;
const DAYS = 30;

/** Their platforms get callbacks from then on: each is a request, and a month of them would take seconds. */
const WITH_CALLBACKS_FROM = 2 * DAY_MILLISECONDS;
const FAILING_FROM = 3 * HOUR;
const HELD_FROM = 2 * HOUR;

/** @returns false: there are websites, and nothing is done. @throws Error when a call is refused */
export async function fillDemo(env: Env, origin: string, token: string): Promise<boolean> {
  const now = Date.now();
  const past = new Past(env, origin, now - (DAYS + 1) * DAY_MILLISECONDS);
  if ((await listWebsites(past.deps.db)).length > 0) return false;
  const month = new Month(past, now);
  await month.begin({ authorization: `Bearer ${token}` });
  for (const { at, run } of month.plan(isLoopback(new URL(origin)) ? origin : undefined)) {
    await past.passTo(at);
    await run();
  }
  await past.passTo(now);
  return true;
}

interface Step {
  /** Milliseconds since 1970. */
  at: number;
  run: () => Promise<unknown>;
}

interface Sending extends Brand {
  clientId: string;
  caller: Caller;
  /** Of each send: to check the caller each time would take seconds. */
  credentials: Credentials;
}

class Month {
  readonly #past: Past;
  readonly #now: number;
  #operator: Caller = {};
  #brands: Sending[] = [];
  #seed = 7;

  constructor(past: Past, now: number) {
    this.#past = past;
    this.#now = now;
  }

  /** Makes an operator, the brands, and most of their people. */
  async begin(first: Caller): Promise<void> {
    const { token } = await this.#past.call<{ token: string }>(first, "POST", "/operator/tokens", { name: "ada" });
    this.#operator = { authorization: `Bearer ${token}` };
    for (const brand of [HARBOR, NORTHWIND]) {
      const { websiteId, name, platform, sender, helpText } = brand;
      const path = `/operator/websites/${websiteId}`;
      await this.#operate("PUT", path, { name, carrier: "sandbox", sender, helpText });
      const { arriving, failing } = peopleOf(brand);
      await this.#operate(
        "POST",
        `${path}/subscribers`,
        subscribersOf([...failing, ...arriving.slice(0, FIRST_ARRIVING)]),
      );
      const client = await this.#operate<Issued>("POST", `${path}/clients`, { name: platform });
      const caller = { "x-client-id": client.clientId, "x-client-secret": client.clientSecret };
      const credentials = await this.#past.deps.credentials.read(client.clientId);
      if (credentials) this.#brands.push({ ...brand, clientId: client.clientId, caller, credentials });
    }
  }

  /** @param endpoints where callbacks can go; undefined: nowhere */
  plan(endpoints: string | undefined): Step[] {
    const steps = this.#brands.flatMap((brand) => [
      ...Array.from({ length: DAYS }, (_, index) => this.#day(brand, DAYS - index)).flat(),
      ...this.#lastHour(brand),
      ...(endpoints === undefined ? [] : this.#callbacks(brand, endpoints)),
    ]);
    return [...steps, ...this.#sweeps(), ...this.#answers(), ...this.#troubles()].sort((a, b) => a.at - b.at);
  }

  /** What a sweep does each minute: once a day is enough here. */
  #sweeps(): Step[] {
    return Array.from({ length: DAYS }, (_, daysAgo) => {
      const at = this.#now - daysAgo * DAY_MILLISECONDS;
      return { at, run: () => endWithoutReceipt(this.#past.deps, at) };
    });
  }

  #day(brand: Sending, daysAgo: number): Step[] {
    const at = this.#now - daysAgo * DAY_MILLISECONDS + 3 * HOUR;
    const newcomer = peopleOf(brand).arriving[FIRST_ARRIVING + Math.floor((DAYS - daysAgo) / 5)];
    const isWeekly = Math.floor(at / DAY_MILLISECONDS) % 7 === brand.weekday;
    const subscribe = { phone_numbers: [newcomer], sendPurpose: "sign-up" };
    return [
      { at: at + HOUR, run: () => this.#send(brand, brand.daily, 4) },
      ...(isWeekly ? this.#campaign(brand, at + 5 * HOUR) : []),
      ...(newcomer && daysAgo % 5 === 0
        ? [{ at: at + 2 * HOUR, run: () => this.#past.call(brand.caller, "POST", "/text/subscribe", subscribe) }]
        : []),
    ];
  }

  #campaign(brand: Sending, at: number): Step[] {
    let sent: string[] = [];
    const send = async () => {
      sent = await this.#send(brand, brand.weekly, 20);
    };
    return [
      { at, run: send },
      { at: at + 17 * MINUTE, run: () => this.#click(sent) },
    ];
  }

  /** A few texts every three minutes. */
  #lastHour(brand: Sending): Step[] {
    const minutes = Array.from({ length: 9 }, (_, index) => 57 - 6 * index - (brand === this.#brands[0] ? 0 : 3));
    return minutes.map((ago) => {
      const at = this.#now - ago * MINUTE;
      return { at, run: () => this.#send(brand, brand.daily, 2 + Math.floor(this.#random() * 4)) };
    });
  }

  /** One endpoint works, and the other does no more. */
  #callbacks({ clientId, websiteId }: Sending, origin: string): Step[] {
    const set = (ago: number, path: string): Step => ({
      at: this.#now - ago,
      run: () => this.#operate("PATCH", `/operator/clients/${clientId}`, { callbackUrl: origin + path }),
    });
    const works = set(WITH_CALLBACKS_FROM, ENDPOINT);
    return websiteId === NORTHWIND.websiteId ? [works, set(FAILING_FROM, FAILING_ENDPOINT)] : [works];
  }

  #answers(): Step[] {
    return ANSWERS.map(({ daysAgo, brand, person, text }, index) => {
      const from = peopleOf(brand).arriving[person] ?? "";
      const inbound = { carrierMessageId: `demo-${index}`, from, to: [brand.sender], text };
      const rest = { keyword: null, answeredByCarrier: false };
      return {
        at: this.#now - daysAgo * DAY_MILLISECONDS,
        run: () => receiveInbound(this.#past.deps, "sandbox", { ...inbound, ...rest }),
      };
    });
  }

  /** A purpose that is held, and a job that nobody can read. */
  #troubles(): Step[] {
    const brand = this.#brands.find(({ websiteId }) => websiteId === NORTHWIND.websiteId);
    if (!brand) return [];
    const path = `/operator/websites/${brand.websiteId}/hold`;
    const { sendPurpose } = brand.weekly;
    const at = this.#now - HELD_FROM;
    return [
      { at: this.#now - 1.2 * DAY_MILLISECONDS, run: async () => this.#past.add("messages", { kind: "deliver" }) },
      { at, run: () => this.#operate("POST", path, { sendPurpose }) },
      { at: at + 5 * MINUTE, run: () => this.#send(brand, brand.weekly, 18) },
    ];
  }

  /** @returns the ids of the messages */
  async #send(brand: Sending, { sendPurpose, text, clickUrl }: Campaign, count: number): Promise<string[]> {
    const messages = this.#choose(brand, count).map((phone, index) => {
      // Without it, a message has no callbacks, each of which takes a request.
      const callbackData = index === 0 ? JSON.stringify({ demo: true }) : "";
      return { phone, text, callbackData, sendPurpose, ...(clickUrl ? { clickUrl } : {}) };
    });
    const sender = { client: brand.credentials, linkOrigin: LINK_ORIGIN };
    const { answer } = await this.#past.work(acceptBulk(this.#past.deps, sender, toBytes({ messages }), undefined));
    return answer.successSent.map(({ messageId }) => messageId);
  }

  /** Distinct people: one in nine is somebody whose text does not arrive. */
  #choose(brand: Brand, count: number): string[] {
    const { arriving, failing } = peopleOf(brand);
    const chosen = new Set<string>();
    while (chosen.size < count) {
      const among = this.#random() < 1 / 9 ? failing : arriving;
      chosen.add(among[Math.floor(this.#random() * among.length)] ?? "");
    }
    return [...chosen];
  }

  /** One in three follows the link, and a robot some. */
  async #click(sent: string[]): Promise<void> {
    const { deps } = this.#past;
    const shares = sent.map((messageId) => ({ messageId, share: this.#random() })).filter(({ share }) => share < 0.42);
    await Promise.all(
      shares.map(({ messageId, share }) =>
        countClick(deps, { messageId, clickId: deps.newId(), clickedAt: deps.now(), isPerson: share < 0.33 }),
      ),
    );
  }

  #operate<T>(method: string, path: string, body: object | string): Promise<T> {
    return this.#past.call<T>(this.#operator, method, path, body);
  }

  /** From 0 to 1, and the same at each start. The generator of Park and Miller. */
  #random(): number {
    this.#seed = (this.#seed * 48_271) % 2_147_483_647;
    return this.#seed / 2_147_483_647;
  }
}

interface Issued {
  clientId: string;
  clientSecret: string;
}

async function* toBytes(body: object): AsyncGenerator<Uint8Array> {
  yield new TextEncoder().encode(JSON.stringify(body));
}
