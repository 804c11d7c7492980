import { CountingReceiver, thank } from "../../harness/counting-receiver.ts";
import { accept } from "../../harness/fake-kannel.ts";
import { answer } from "../../harness/receiver.ts";
import { operate } from "../../harness/service.ts";
import { phoneAt } from "../crash/client.ts";
import { Load } from "../crash/load.ts";
import type { Night } from "./night.ts";
import { works } from "./place.ts";

const MINUTES = 60;
const TEXTS_A_MINUTE = 8;
const MINUTE_MILLISECONDS = 60_000;
/** How much of each minute is real. After that, the clock of the service is moved on. */
const REAL_MILLISECONDS = 2000;

/** A number that is wrong, now and then; and an endpoint that answers 500, now and then. */
const WRONG = 9;
const SLIPS = 5;

/** An hour of ordinary traffic, in which no minute may have a problem. */
const hourNight: Night = {
  name: "an hour of ordinary traffic",
  options: { cron: "off" },
  async play(place) {
    let asked = 0;
    let posts = 0;
    place.gateway.conduct = () =>
      ++asked % WRONG === 0
        ? { takes: false, receipts: [], answer: (response) => void response.writeHead(400).end("wrong number") }
        : { ...works(), answer: accept };
    const slip = answer(500, { connection: "close" });
    const receiver = new CountingReceiver((response) => (++posts % SLIPS === 0 ? slip : thank)(response));
    const { client, numbers } = await place.makeBrand(MINUTES * TEXTS_A_MINUTE, { receiver });
    const load = new Load({ client, ready: async () => {}, onSent: () => {} });
    const faults: string[] = [];
    for (let minute = 0; minute < MINUTES; minute++) {
      const began = performance.now();
      const mine = numbers.slice(minute * TEXTS_A_MINUTE, (minute + 1) * TEXTS_A_MINUTE);
      await load.run(mine.map((it) => ({ kind: "keyed" as const, key: phoneAt(it), messages: [it], repeats: false })));
      await place.settle(REAL_MILLISECONDS);
      const ahead = MINUTE_MILLISECONDS - (performance.now() - began);
      await place.turn({ ahead: String(Math.round(ahead)), sweep: "now" });
      const { problems } = await operate(place.url, "GET", "/health");
      if (problems.length > 0) faults.push(`minute ${minute}: ${problems}`);
    }
    const alert = place.heard(() => true);
    if (alert) faults.push(`an alert was posted: ${alert.data.problem}`);
    const { code } = await place.operator("health");
    if (code !== 0) faults.push(`health ended with ${code}`);
    const outcome = `${load.sent.size} texts, every ${WRONG}th to a wrong number, every ${SLIPS}th callback answered 500: no problem, no alert`;
    return { exitCode: code, outcome, faults };
  },
};

export const ORDINARY_NIGHTS = [hourNight];
