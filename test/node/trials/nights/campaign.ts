import { setTimeout as wait } from "node:timers/promises";
import { accept } from "../../harness/fake-kannel.ts";
import { waitFor } from "../../harness/processes.ts";
import type { Client } from "../../harness/service.ts";
import { phoneAt } from "../crash/client.ts";
import { readRecord } from "../crash/record.ts";
import type { Night } from "./night.ts";
import { works } from "./place.ts";

const TEXTS = 1800;
/** So many must still wait when it is stopped. */
const WAITING = 1500;
const OTHERS = 20;
const STOPPED_WITHIN_MILLISECONDS = 2000;
/** How long the gateway takes for each text; it takes five at a time. */
const ANSWER_MILLISECONDS = 100;
const QUIET_MILLISECONDS = 8000;

async function sendBulk({ url, clientId, clientSecret }: Client, numbers: number[], sendPurpose: string) {
  const messages = numbers.map((it) => ({
    phone: phoneAt(it),
    text: "Brand: 05 % off",
    callbackData: "",
    sendPurpose,
  }));
  const headers = { "content-type": "application/json", "x-client-id": clientId, "x-client-secret": clientSecret };
  const body = JSON.stringify({ messages });
  const answer = await fetch(`${url}/text/bulk/message/send`, { method: "POST", headers, body });
  const { successSent } = (await answer.json()) as { successSent: { messageId: string }[] };
  return successSent.map(({ messageId }) => messageId);
}

/** The first line of the answer says how many. */
const numberIn = (output: string) => Number(/^(?:held|cancelled) +(\d+)$/m.exec(output)?.[1] ?? Number.NaN);

/** A campaign with a typo is stopped, counted, cancelled and released; other texts of the website go on. */
const campaignNight: Night = {
  name: "campaign with a typo",
  async play(place) {
    const { gateway } = place;
    const takenAt = new Map<string, number>();
    gateway.conduct = ({ messageId }) => {
      takenAt.set(messageId, performance.now());
      return { ...works(), answer: async (response) => accept(await wait(ANSWER_MILLISECONDS, response)) };
    };
    const { client, numbers } = await place.makeBrand(TEXTS + OTHERS);
    place.watch.start();
    const campaign = await sendBulk(client, numbers.slice(0, TEXTS), "spring-sale");
    await waitFor("the campaign to go", () => gateway.takenById.size > 50);
    const filter = ["brand", "--purpose", "spring-sale"];
    const held = await place.operator("hold", ...filter);
    const answered = performance.now();
    const others = await sendBulk(client, numbers.slice(TEXTS), "receipts");
    const neighbor = await place.measureNeighbor("the hold");
    await waitFor("other texts", () => others.every((id) => takenAt.has(id)), QUIET_MILLISECONDS).catch(() => {});
    await wait(Math.max(0, QUIET_MILLISECONDS - (performance.now() - answered)));
    const last = Math.max(...campaign.map((id) => takenAt.get(id) ?? 0)) - answered;
    const counted = numberIn((await place.operator("cancel", ...filter, "--dry-run")).output);
    const cancelled = numberIn((await place.operator("cancel", ...filter)).output);
    await place.operator("release", ...filter);
    await wait(QUIET_MILLISECONDS);
    await place.settle(30_000);
    await place.watch.stop();
    await place.service.kill();
    const rows = new Map(readRecord(place.service.directory).messages.map((row) => [row.messageId, row]));
    const sent = campaign.filter((id) => takenAt.has(id));
    const isEnded = (id: string) =>
      rows.get(id)?.status === "FAILED_TO_SEND" && /cancel/.test(rows.get(id)?.reason ?? "");
    const ended = campaign.filter(isEnded).length;
    const twice = [...gateway.takenById.values()].filter((count) => count > 1).length;
    const missing = others.filter((id) => !takenAt.has(id)).length;
    const faults = [
      ...neighbor,
      ...(numberIn(held.output) >= WAITING ? [] : [`only ${held.output.trim()}`]),
      ...(last <= STOPPED_WITHIN_MILLISECONDS ? [] : [`a text went ${last.toFixed(0)} ms after the answer of hold`]),
      ...(counted === cancelled && cancelled === ended
        ? []
        : [`${counted} counted, ${cancelled} cancelled, ${ended} ended`]),
      ...(sent.length + ended === TEXTS ? [] : [`${TEXTS - sent.length - ended} texts neither sent nor cancelled`]),
      ...(twice === 0 ? [] : [`${twice} texts sent twice`]),
      ...(missing === 0 ? [] : [`${missing} texts with another purpose not sent`]),
    ];
    const stop =
      last > 0 ? `the last ${(last / 1000).toFixed(2)} s after the answer of hold` : "none after the answer of hold";
    const outcome = `${sent.length} of ${TEXTS} texts sent, ${stop}; ${ended} cancelled, 0 lost, ${twice} twice; ${others.length} others sent`;
    return { outcome, faults };
  },
};

export const CAMPAIGN_NIGHTS = [campaignNight];
