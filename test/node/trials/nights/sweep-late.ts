import { MOST_TEXTS, type Night, playFault } from "./night.ts";

/** The problem shows after five minutes without a sweep; alerts are the sweep's own, so the monitor of HEARTBEAT_URL rings. */
export const SWEEP_NIGHTS: Night[] = [
  {
    name: "sweep is late",
    async play(place) {
      let beats = 0;
      const played = await playFault(place, await place.makeBrand(MOST_TEXTS), {
        problems: ["sweep-late"],
        begin: async () => {
          await place.turn({ cron: "off" });
          beats = place.countBeats();
        },
        repair: async () => {
          if (place.countBeats() > beats) throw new Error("HEARTBEAT_URL was fetched though no sweep ran");
          await place.turn({ cron: "on" });
        },
        noticedWithin: 310_000,
        isTold: false,
      });
      const isBeating = place.countBeats() > beats;
      const outcome = `${played.outcome}; HEARTBEAT_URL silent meanwhile`;
      const faults = isBeating ? played.faults : [...played.faults, "HEARTBEAT_URL stays silent after the repair"];
      return { ...played, outcome, faults };
    },
  },
];
