import { setTimeout } from "node:timers/promises";
import type { MoveAnswers } from "../../../src/operator/moves.ts";
import { callOperator } from "../api.ts";
import { type Own, segment } from "../command.ts";

const PAUSE_MILLISECONDS = 2000;

/** The calls that begin and read a move: the command can wait for its end. */
export const MOVE: Own = {
  options: { wait: { summary: "Ask every two seconds until it has ended." } },
  run: async (service, [websiteId], { wait }, ask) => {
    let answer = await ask();
    while (wait && !hasEnded(answer)) {
      await setTimeout(PAUSE_MILLISECONDS);
      answer = await callOperator(service, "GET", `/websites/${segment(websiteId)}/move`);
    }
    return answer;
  },
};

function hasEnded(answer: string): boolean {
  return ["done", "failed"].includes((JSON.parse(answer) as MoveAnswers["Move"]).state);
}
