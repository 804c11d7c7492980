import { waitFor } from "../../harness/processes.ts";
import { operate } from "../../harness/service.ts";
import { MOST_TEXTS, missed, type Night } from "./night.ts";
import type { Place } from "./place.ts";
import { countTexts } from "./texts.ts";
import { Traffic } from "./traffic.ts";

const WAITING = 40;
const FIRST_TEXT_MILLISECONDS = 15_000;
const QUIET_MILLISECONDS = 25_000;

interface Waiting {
  messageId: string;
  waits: { until: string | null; because: string } | null;
}

/** The waiting messages, as the operator is shown them. @returns what is wrong with it, a line each */
async function readWaiting({ url }: Place): Promise<{ until: Map<string, string | null>; faults: string[] }> {
  const asked = Date.now();
  const page = await operate(url, "GET", "/messages?website=brand&status=PENDING_TO_SEND");
  const messages = page.messages as Waiting[];
  const past = messages.filter(({ waits }) => waits?.until && Date.parse(waits.until) < asked).length;
  const mute = messages.filter(({ waits }) => !waits?.because).length;
  return {
    until: new Map(messages.map(({ messageId, waits }) => [messageId, waits?.until ?? null])),
    faults: [
      ...(past > 0 ? [`${past} waiting texts were due at a time that had passed`] : []),
      ...(mute > 0 ? [`${mute} waiting texts do not say why`] : []),
    ],
  };
}

/** The gateway is down, texts wait, the service is killed; then the gateway is repaired. */
const killedNight: Night = {
  name: "service killed with texts waiting",
  async play(place) {
    const { gateway, service, watch } = place;
    const brand = await place.makeBrand(MOST_TEXTS);
    await gateway.goAway();
    const traffic = new Traffic(brand.client, "killed", brand.numbers, 500);
    watch.start();
    await waitFor("texts to wait", async () => (await readWaiting(place)).until.size >= WAITING, 60_000);
    const before = await readWaiting(place);
    const down = performance.now();
    await service.kill();
    await service.start();
    const restarted = performance.now() - down;
    const after = await readWaiting(place);
    const early = [...after.until].filter(([id, until]) => until !== null && until < (before.until.get(id) ?? ""));
    const noticed = await watch.untilShown(["carrier-paused"], down + restarted, 120_000);
    const { code } = await place.operator("health");
    const later = await readWaiting(place);
    const taken = gateway.takenById.size;
    await gateway.open();
    const repaired = performance.now();
    await place.operator("try-carrier", "kannel");
    const first = await waitFor(
      "the first text",
      () => gateway.takenById.size > taken,
      2 * FIRST_TEXT_MILLISECONDS,
    ).then(
      () => performance.now() - repaired,
      () => null,
    );
    const cleared = await watch.untilNone(repaired, QUIET_MILLISECONDS, 120_000);
    await traffic.stop();
    const faults = [before, after, later].flatMap((it) => it.faults);
    if (!(await place.settle(150_000))) faults.push("texts or callbacks still wait");
    const texts = await countTexts(place, traffic, brand);
    faults.push(...texts.faults, ...missed({ noticed, cleared }));
    if (early.length > 0) faults.push(`${early.length} texts were due earlier after the restart than before`);
    if (code !== 4) faults.push(`health ended with ${code}`);
    if (first === null || first > FIRST_TEXT_MILLISECONDS) faults.push(`the first text went after ${first} ms`);
    const seconds = (time: number | null) => ((time ?? Number.NaN) / 1000).toFixed(1);
    const outcome = `up again after ${seconds(restarted)} s; the first text ${seconds(first)} s after the repair; ${texts.outcome}`;
    return { noticed, exitCode: code, cleared, outcome, faults };
  },
};

export const KILLED_NIGHTS = [killedNight];
