import { setTimeout } from "node:timers/promises";
import type { MoveAnswers } from "../../../src/operator/moves.ts";
import { callOperator } from "../api.ts";
import { type Own, segment } from "../command.ts";

const PAUSE_MILLISECONDS = 2000;

/** The calls that begin and read a move: the command can wait for its end. */
export const MOVE: Own = {
  options: { wait: { summary: "Ask every two seconds until the move has ended." } },
  run: async (service, [websiteId], { wait }, ask) => {
    let answer = await ask();
    while (wait && !hasEnded(answer)) {
      tellProgress(answer);
      await setTimeout(PAUSE_MILLISECONDS);
      answer = await callOperator(service, "GET", `/websites/${segment(websiteId)}/move`);
    }
    if (wait && process.stderr.isTTY) process.stderr.write("\r\x1b[K");
    return answer;
  },
};

/** A move takes minutes: on a terminal, one line says how far it is. */
function tellProgress(answer: string): void {
  if (!process.stderr.isTTY) return;
  const { state, copiedRows } = JSON.parse(answer) as MoveAnswers["Move"];
  process.stderr.write(`\r\x1b[K${state}${copiedRows ? `, ${copiedRows.toLocaleString("en-US")} rows copied` : ""}`);
}

function hasEnded(answer: string): boolean {
  return ["done", "failed"].includes((JSON.parse(answer) as MoveAnswers["Move"]).state);
}
