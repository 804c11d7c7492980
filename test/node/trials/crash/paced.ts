// A website whose sender has a pace, and a fallback with a pace of its own. Both fail again and again: each is an account at the gateway.
import type { CountingCarrier, Submission } from "../../harness/fake-kannel.ts";
import { WEBHOOK_KEY } from "../../harness/killable-service.ts";
import { type Client, operate } from "../../harness/service.ts";
import { makeWebsite } from "./client.ts";
import type { Figures } from "./tally.ts";

export const PACED_WEBSITE = "paced";

interface PacedSender {
  name: string;
  carrier: string;
  sender: string;
  /** Its share of the texts goes in a minute: so the run takes more than one. */
  share: number;
  /** So many submissions in a row are not taken, which opens its circuit breaker, after each such share of the texts. */
  fails: { count: number; each: number };
}

const OWN: PacedSender = {
  ...{ name: "own sender", carrier: "own-account", sender: "+12125550001" },
  ...{ share: 0.4, fails: { count: 4, each: 0.25 } },
};
const FALLBACK: PacedSender = {
  ...{ name: "fallback", carrier: "other-account", sender: "+12125550002" },
  ...{ share: 0.3, fails: { count: 3, each: 0.08 } },
};
const BOTH = [OWN, FALLBACK];

const MINUTE_MILLISECONDS = 60_000;

export class PacedSenders {
  readonly #texts: number;
  readonly #asked = new Map(BOTH.map(({ sender }) => [sender, 0]));

  /** @param texts of the run */
  constructor(texts: number) {
    this.#texts = texts;
  }

  /** Without a callback URL: its texts are told by their statuses alone. */
  async make(url: string, sendsmsUrl: string, messages: number[]): Promise<Client> {
    for (const it of BOTH) {
      const account = { carrier: "kannel", sendsmsUrl, username: it.carrier, password: "password-of-the-faults" };
      await operate(url, "PUT", `/accounts/${it.carrier}`, { ...account, webhookKey: WEBHOOK_KEY });
      const path = `/senders/${it.carrier}/${encodeURIComponent(it.sender)}`;
      await operate(url, "PUT", path, { messagesPerMinute: this.#paceOf(it) });
    }
    const { carrier, sender } = OWN;
    const fallback = { carrier: FALLBACK.carrier, sender: FALLBACK.sender };
    return makeWebsite(url, { websiteId: PACED_WEBSITE, carrier, sender, fallback, messages });
  }

  /** Whether the gateway takes this submission of one of them now. */
  takes({ from }: Submission): boolean {
    const it = BOTH.find(({ sender }) => sender === from);
    if (!it) return true;
    const before = this.#asked.get(from) ?? 0;
    this.#asked.set(from, before + 1);
    const { count, each } = it.fails;
    const between = Math.ceil(this.#texts * each);
    return before % (between + count) < between;
  }

  figures({ log, takenById }: CountingCarrier): Figures {
    const most = BOTH.map((it) => [
      `${it.name}, most a minute, of ${this.#paceOf(it)}`,
      mostInMinute(timesOf(log, it)),
    ]);
    const taken = log.filter(({ from, messageId }) => from === FALLBACK.sender && takenById.has(messageId));
    return { ...Object.fromEntries(most), "texts by the fallback": taken.length };
  }

  /** By the gateway's own log, no minute has more submissions than the pace, whenever it begins. */
  faults({ log }: CountingCarrier): string[] {
    return BOTH.flatMap((it) => {
      const [times, pace] = [timesOf(log, it), this.#paceOf(it)];
      const most = mostInMinute(times);
      if (times.length === 0) return `no text was given to the ${it.name}`;
      return most > pace ? `the ${it.name} got ${most} texts in a minute, and has a pace of ${pace}` : [];
    });
  }

  #paceOf({ share }: PacedSender): number {
    return Math.ceil(this.#texts * share);
  }
}

const timesOf = (log: CountingCarrier["log"], { sender }: PacedSender): number[] =>
  log.filter(({ from }) => from === sender).map(({ at }) => at);

/** @param times in their order */
export function mostInMinute(times: number[]): number {
  let first = 0;
  return times.reduce((most, at, index) => {
    while ((times[first] ?? at) <= at - MINUTE_MILLISECONDS) first++;
    return Math.max(most, index - first + 1);
  }, 0);
}
