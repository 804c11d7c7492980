// The endpoint of one client fails, beside one that works.
import { CountingReceiver, thank } from "../../harness/counting-receiver.ts";
import { answer, type Behaviour, hang } from "../../harness/receiver.ts";
import { makeSelfSigned } from "../crash/certificate.ts";
import { MOST_TEXTS, type Night, type Played, playFault } from "./night.ts";
import type { Place } from "./place.ts";

const PROBLEMS = ["endpoint-failing"];

/** The problem must name the client and its host. */
function expectNamed(place: Place, clientId: string, played: Played): Played {
  const isNamed = place.watch.details("endpoint-failing").some((it) => it.clientId === clientId && it.host !== null);
  return isNamed ? played : { ...played, faults: [...played.faults, "the problem did not name the client"] };
}

function answeringNight(name: string, fault: Behaviour): Night {
  return {
    name,
    async play(place) {
      let behave = thank;
      const receiver = new CountingReceiver((response) => behave(response));
      const brand = await place.makeBrand(MOST_TEXTS, { receiver });
      const turn = (to: Behaviour) => async () => {
        behave = to;
      };
      const played = await playFault(place, brand, { problems: PROBLEMS, begin: turn(fault), repair: turn(thank) });
      return expectNamed(place, brand.client.clientId, played);
    },
  };
}

/** workerd knows no authority of a test, so the repair is another URL. */
const certificateNight: Night = {
  name: "endpoint with a broken certificate",
  async play(place) {
    const brand = await place.makeBrand(MOST_TEXTS);
    const { clientId } = brand.client;
    const broken = await new CountingReceiver(thank, makeSelfSigned("127.0.0.1")).open();
    const move = (url: string) => async () => {
      await place.operator("change-client", clientId, "--callback-url", url);
    };
    const [begin, repair] = [move(broken.url), move(brand.receiver.url)];
    const played = await playFault(place, brand, { problems: PROBLEMS, begin, repair });
    await broken.close();
    return expectNamed(place, clientId, played);
  },
};

export const ENDPOINT_NIGHTS: Night[] = [
  answeringNight("endpoint hangs", hang),
  answeringNight("endpoint answers 500", answer(500, { connection: "close" })),
  certificateNight,
];
