// The gateway of a website fails; the operator does nothing but look.
import { setTimeout as wait } from "node:timers/promises";
import { accept, type Conduct } from "../../harness/fake-kannel.ts";
import { MOST_TEXTS, type Night, playFault } from "./night.ts";
import { conductOf, type Place, works } from "./place.ts";

/** @param problems that are to be expected of it */
function gatewayNight(name: string, problems: string[], begin: (place: Place) => Promise<void>): Night {
  return {
    name,
    async play(place) {
      const { gateway } = place;
      const repair = async () => {
        gateway.conduct = works;
        if (!gateway.isOpen) await gateway.open();
      };
      return playFault(place, await place.makeBrand(MOST_TEXTS), { problems, begin: () => begin(place), repair });
    },
  };
}

const answers = (answer: Conduct["answer"], takes: boolean) => async (place: Place) => {
  place.gateway.conduct = conductOf(answer, takes);
};

const SLOW_MILLISECONDS = 6000;

let failures = 0;
const failing: Conduct["answer"] = (response) => void response.writeHead(++failures % 2 === 0 ? 500 : 503).end("no");

export const GATEWAY_NIGHTS: Night[] = [
  gatewayNight("gateway refuses connections", ["carrier-paused"], ({ gateway }) => gateway.goAway()),
  gatewayNight(
    "gateway hangs",
    ["carrier-paused"],
    answers(() => {}, true),
  ),
  gatewayNight(
    "gateway answers after 6 s",
    ["carrier-paused"],
    answers(async (response) => accept(await wait(SLOW_MILLISECONDS, response)), true),
  ),
  gatewayNight("gateway answers 503 and 500 in turn", ["carrier-paused"], answers(failing, false)),
  gatewayNight(
    "gateway rejects the credentials",
    ["carrier-credentials"],
    answers((response) => void response.writeHead(401).end("Authorization failed"), false),
  ),
];
