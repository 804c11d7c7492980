import type { MoveAnswers } from "../../src/http/operator/moves.ts";
import { callOperator, type Service } from "./api.ts";
import { type Command, segment, UsageError, type Values } from "./command.ts";
import { toTable } from "./table.ts";

type Move = MoveAnswers["Move"];

const WAIT = { wait: { summary: "ask every two seconds until it has ended" } };

export const MOVE_COMMANDS: Command[] = [
  {
    name: "move-website",
    parameters: ["<websiteId>"],
    summary: "move a website to another database while it is in use",
    options: { to: { value: "<name>", summary: "the database, such as DB_2" }, ...WAIT },
    notes: "docs/operating.md says what each step means, and that a command may be repeated.",
    run: (service, [id], { to, wait }) => {
      if (typeof to !== "string") throw new UsageError("--to names the database, such as DB_2");
      return begin(service, id, "move", wait, { database: to });
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
    name: "move-back",
    parameters: ["<websiteId>"],
    summary: "move a website back to where it was, within 24 hours",
    options: WAIT,
    run: (service, [id], { wait }) => begin(service, id, "move-back", wait),
    show: showMove,
    hasProblem,
  },
];

const pathOf = (id: string | undefined, call: string) => `/websites/${segment(id)}/${call}`;

const read = (service: Service, id: string | undefined) => callOperator(service, "GET", pathOf(id, "move"));

async function begin(
  service: Service,
  id: string | undefined,
  call: string,
  wait: Values[string],
  body?: object,
): Promise<string> {
  const answer = await callOperator(service, "POST", pathOf(id, call), body);
  return wait ? untilEnded(service, id) : answer;
}

const PAUSE_MILLISECONDS = 2000;

async function untilEnded(service: Service, id: string | undefined): Promise<string> {
  for (;;) {
    const answer = await read(service, id);
    if (["kept", "clear", "failed"].includes((JSON.parse(answer) as Move).step)) return answer;
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MILLISECONDS));
  }
}

function hasProblem(answer: string): boolean {
  return (JSON.parse(answer) as Move).step === "failed";
}

function showMove(answer: string): string {
  const move = JSON.parse(answer) as Move;
  const { rowsCopied, rowsCompared, rowsTotal } = move;
  return toTable([
    ["website", move.websiteId],
    ["from", move.from],
    ["to", move.to],
    ["step", move.step],
    ["waits for", move.waitsFor],
    ["copied", rowsCopied === null ? null : `${rowsCopied} of ${rowsTotal} rows`],
    ["compared", rowsCompared === null ? null : `${rowsCompared} of ${rowsTotal} rows`],
    ["changed rows to copy", move.logLength],
    ["writes wait", move.isFenced ? "yes" : "no"],
    ["started", move.startedAt],
    ["last worked on", move.workedAt],
    ["moved", move.movedAt],
    ["can go back until", move.canGoBackUntil],
    ["error", move.error],
  ]);
}
