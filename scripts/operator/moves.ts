import type { MoveAnswers } from "../../src/http/operator/moves.ts";
import { callOperator, type Service } from "./api.ts";
import { type Command, segment, UsageError } from "./command.ts";
import { toTable } from "./table.ts";

type Move = MoveAnswers["Move"];

const WAIT = { wait: { summary: "ask every two seconds until it has ended" } };

export const MOVE_COMMANDS: Command[] = [
  {
    name: "move-website",
    parameters: ["<websiteId>"],
    summary: "move a website to another database; its calls answer 503 meanwhile",
    options: { to: { value: "<name>", summary: "the database, such as DB_2" }, ...WAIT },
    notes:
      "It takes three minutes, and longer for very many messages. To move it back, name the database that it was in.",
    run: async (service, [id], { to, wait }) => {
      if (typeof to !== "string") throw new UsageError("--to names the database, such as DB_2");
      const answer = await callOperator(service, "POST", pathOf(id, "move"), { database: to });
      return wait ? untilEnded(service, id) : answer;
    },
    show: showMove,
    hasProblem,
  },
  {
    name: "move-status",
    parameters: ["<websiteId>"],
    summary: "show how far the move of a website is",
    options: WAIT,
    run: async (service, [id], { wait }) => (wait ? untilEnded(service, id) : read(service, id)),
    show: showMove,
    hasProblem,
  },
  {
    name: "abort-move",
    parameters: ["<websiteId>"],
    summary: "end the move of a website: it stays where it is",
    options: {},
    run: (service, [id]) => callOperator(service, "POST", pathOf(id, "move/abort")),
    show: showMove,
  },
];

const pathOf = (id: string | undefined, call: string) => `/websites/${segment(id)}/${call}`;

const read = (service: Service, id: string | undefined) => callOperator(service, "GET", pathOf(id, "move"));

const PAUSE_MILLISECONDS = 2000;

async function untilEnded(service: Service, id: string | undefined): Promise<string> {
  for (;;) {
    const answer = await read(service, id);
    if (["done", "failed"].includes((JSON.parse(answer) as Move).state)) return answer;
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MILLISECONDS));
  }
}

function hasProblem(answer: string): boolean {
  return (JSON.parse(answer) as Move).state === "failed";
}

/** What was done, and what is next. */
const NEXT: Record<Move["state"], (move: Move) => string> = {
  paused: ({ websiteId }) =>
    `Its calls answer 503 until it is done, and what comes for it waits. After some three minutes, when nothing is written any more, its rows are copied. To end it: abort-move ${websiteId}`,
  copying: ({ websiteId }) =>
    `Its calls answer 503 until it is done. Next, its rows are compared. To end it: abort-move ${websiteId}`,
  comparing: ({ websiteId }) =>
    `Its calls answer 503 until it is done. Next, its requests lead to the new database. To end it: abort-move ${websiteId}`,
  done: ({ websiteId, from }) =>
    `It is open again. ${from} keeps its old rows for 24 hours. To move it back, with all that was stored since: move-website ${websiteId} --to ${from}`,
  failed: ({ from }) => `It is open again, in ${from}, with all of its rows. What was copied is deleted.`,
};

function showMove(answer: string): string {
  const move = JSON.parse(answer) as Move;
  const { copiedRows, comparedRows, totalRows } = move;
  const share = (rows: number) => (totalRows === null ? null : `${rows} of ${totalRows} rows`);
  const table = toTable([
    ["website", move.websiteId],
    ["from", move.from],
    ["to", move.to],
    ["state", move.state],
    ["copied", share(copiedRows)],
    ["compared", share(comparedRows)],
    ["started", move.startedAt],
    ["ended", move.endedAt],
    ["problem", move.problem],
  ]);
  return `${table}\n\n${NEXT[move.state](move)}`;
}
