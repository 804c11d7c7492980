// What happens in the month of the demo, and when.
import { DAY_MILLISECONDS } from "../../../src/domain/day.ts";
import { endWithoutReceipt } from "../../../src/flows/messages/end-messages.ts";
import { keepDeadJobs } from "../../../src/flows/operations/dead-jobs.ts";
import { receiveInbound } from "../../../src/flows/people/receive-inbound.ts";
import { sweep } from "../../../src/sweep.ts";
import { ANSWERS, FIRST_ARRIVING, NORTHWIND, noReceiptOf, peopleOf } from "./brands.ts";
import { ENDPOINT, FAILING_ENDPOINT } from "./endpoint.ts";
import type { Past } from "./past.ts";
import type { Platforms, Sending } from "./platforms.ts";
import { storeSale } from "./sale.ts";

const HOUR = 3_600_000;
const MINUTE = 60_000;
export const DAYS = 30;

/** Their platforms get callbacks from then on: each is a request, and a month of them would take seconds. */
const WITH_CALLBACKS_FROM = 2 * DAY_MILLISECONDS;
const FAILING_FROM = 3 * HOUR;
const HELD_FROM = 2 * HOUR;
const SALE_FROM = 26 * HOUR;

interface Step {
  /** Milliseconds since 1970. */
  at: number;
  run: () => Promise<unknown>;
}

export class Month {
  readonly #platforms: Platforms;
  readonly #past: Past;
  readonly #now: number;

  constructor(platforms: Platforms, now: number) {
    this.#platforms = platforms;
    this.#past = platforms.past;
    this.#now = now;
  }

  /** @param endpoints where callbacks can go; undefined: nowhere */
  plan(endpoints: string | undefined): Step[] {
    const steps = this.#platforms.brands.flatMap((brand) => [
      ...Array.from({ length: DAYS }, (_, index) => this.#day(brand, DAYS - index)).flat(),
      ...this.#lastHour(brand),
      ...(endpoints === undefined ? [] : this.#callbacks(brand, endpoints)),
    ]);
    const incident = endpoints === undefined ? [] : this.#incident(endpoints + ENDPOINT);
    return [...steps, ...this.#sweeps(), ...this.#answers(), ...incident, ...this.#troubles()].sort(
      (a, b) => a.at - b.at,
    );
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
      { at: at + HOUR, run: () => this.#platforms.send(brand, brand.daily, 6) },
      ...(isWeekly ? this.#campaign(brand, at + 5 * HOUR) : []),
      ...(newcomer && daysAgo % 5 === 0
        ? [{ at: at + 2 * HOUR, run: () => this.#past.call(brand.caller, "POST", "/text/subscribe", subscribe) }]
        : []),
    ];
  }

  #campaign(brand: Sending, at: number): Step[] {
    let sent: string[] = [];
    const send = async () => {
      sent = await this.#platforms.send(brand, brand.weekly, 20);
    };
    return [
      { at, run: send },
      { at: at + 17 * MINUTE, run: () => this.#platforms.click(sent) },
    ];
  }

  /** A few texts every three minutes. */
  #lastHour(brand: Sending): Step[] {
    const minutes = Array.from(
      { length: 9 },
      (_, index) => 57 - 6 * index - (brand === this.#platforms.brands[0] ? 0 : 3),
    );
    const known = { phone_numbers: peopleOf(brand).arriving };
    const ask = () => this.#past.call(brand.caller, "POST", "/text/subscription/status", known);
    const sends = minutes.map((ago) => {
      const at = this.#now - ago * MINUTE;
      return { at, run: () => this.#platforms.send(brand, brand.daily, 1 + Math.floor(this.#platforms.random() * 3)) };
    });
    // Whatever chance has chosen, one text is on its way.
    const isSending = () => this.#platforms.sendTo(brand, brand.daily, [noReceiptOf(brand)]);
    return [...sends, { at: this.#now - 5 * MINUTE, run: isSending }, { at: this.#now - 2 * MINUTE, run: ask }];
  }

  /** One endpoint works, and the other does no more. */
  #callbacks({ clientId, websiteId }: Sending, origin: string): Step[] {
    const set = (ago: number, path: string): Step => ({
      at: this.#now - ago,
      run: () => this.#platforms.operate("PATCH", `/operator/clients/${clientId}`, { callbackUrl: origin + path }),
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

  /**
   * A problem that is over: jobs that died, and were put back.
   * @param alertUrl a problem is kept once somebody was told of it
   */
  #incident(alertUrl: string): Step[] {
    const { deps } = this.#past;
    const told = { ...deps, config: { ...deps.config, alertUrl } };
    const job = { id: "demo-incident", body: { kind: "deliver", messageIds: [] } };
    const at = this.#now - 4 * DAY_MILLISECONDS;
    return [
      { at, run: () => keepDeadJobs(deps, "textgate-messages", [job], new Error("D1_ERROR: storage was reset")) },
      { at: at + MINUTE, run: () => sweep(told) },
      { at: at + 48 * MINUTE, run: () => this.#platforms.operate("POST", "/operator/dead-jobs/put-back", {}) },
      { at: at + 49 * MINUTE, run: () => sweep(told) },
    ];
  }

  /** A large day, a purpose that is held, and a job that nobody can read. */
  #troubles(): Step[] {
    const brand = this.#platforms.brands.find(({ websiteId }) => websiteId === NORTHWIND.websiteId);
    if (!brand) return [];
    const saleAt = this.#now - SALE_FROM;
    const path = `/operator/websites/${brand.websiteId}/hold`;
    const { sendPurpose } = brand.weekly;
    const at = this.#now - HELD_FROM;
    return [
      { at: saleAt, run: () => storeSale(this.#past.deps, brand, saleAt) },
      { at: this.#now - 1.2 * DAY_MILLISECONDS, run: async () => this.#past.add("messages", { kind: "deliver" }) },
      {
        at,
        run: () => this.#platforms.operate("POST", path, { sendPurpose, reason: "the link leads to last year’s sale" }),
      },
      { at: at + 5 * MINUTE, run: () => this.#platforms.send(brand, brand.weekly, 18) },
    ];
  }
}
