// Markdown tables that are made from the code, for the OpenAPI document and for docs/.

import { ALLOWED_FROM, MESSAGE_STATUSES } from "../domain/messages/message.ts";
import { REASON_STATUSES, REASONS } from "../domain/messages/reason.ts";
import { PROBLEMS } from "../domain/operations/problems.ts";
import { type Keyword, WORDS } from "../domain/people/keyword.ts";
import { ERROR_CODES, type ErrorKind, NOT_FOR_CLIENTS } from "../http/error-codes.ts";
import { ERROR_MEANINGS, REPEATS } from "./error-meanings.ts";
import { CHECK_MEANINGS, JOB_MEANINGS, REASON_MEANINGS, STATE_MEANINGS, STATUS_MEANINGS } from "./meanings.ts";
import { RUNBOOK } from "./runbook.ts";
import { SANDBOX_NUMBERS } from "./sandbox-numbers.ts";

export function toTable(head: string[], rows: string[][]): string {
  const line = (cells: string[]) => `|${cells.map((cell) => (cell === "" ? " " : ` ${cell} `)).join("|")}|`;
  return [line(head), `|${head.map(() => "---|").join("")}`, ...rows.map(line)].join("\n");
}

export const code = (text: string) => `\`${text}\``;

/** A word and its meaning in each row. */
function meaningTable(head: string[], meanings: Record<string, string>): string {
  return toTable(
    head,
    Object.entries(meanings).map(([word, meaning]) => [code(word), meaning]),
  );
}

/** @param of the calls that can get the errors: those of clients, or of the operator and of carriers alone */
export function errorSections(of: "clients" | "others"): string {
  const kinds = (Object.keys(ERROR_CODES) as ErrorKind[]).filter(
    (kind) => NOT_FOR_CLIENTS.has(kind) === (of === "others"),
  );
  return kinds.map((kind) => describeError(kind)).join("\n\n");
}

/** A heading for each code, so that a link leads to it: `#40001`. */
function describeError(kind: ErrorKind): string {
  const { meaning, advice } = ERROR_MEANINGS[kind];
  const bulk = REPEATS[kind];
  return [
    `### ${ERROR_CODES[kind]}`,
    [meaning, advice].filter(Boolean).join(" "),
    bulk && `**Send a bulk request again?** ${bulk}`,
  ]
    .filter(Boolean)
    .join("\n\n");
}

export function statusTable(): string {
  const rows = MESSAGE_STATUSES.map((status) => {
    const next = MESSAGE_STATUSES.filter((later) => (ALLOWED_FROM[later] as readonly string[]).includes(status));
    return [code(status), STATUS_MEANINGS[status], next.length === 0 ? "final" : next.map(code).join(", ")];
  });
  return toTable(["Status", "Meaning", "Next"], rows);
}

export function reasonTable(): string {
  const rows = REASONS.map((reason) => {
    const { meaning, advice } = REASON_MEANINGS[reason];
    return [code(reason), REASON_STATUSES[reason].map(code).join(", "), meaning, advice];
  });
  return toTable(["Reason", "Status", "Meaning", "What to do"], rows);
}

export function sandboxTable(): string {
  const rows = Object.entries(SANDBOX_NUMBERS).map(([ending, { outcome, reasons = [] }]) => [
    ending,
    outcome,
    reasons.map(code).join(", then "),
  ]);
  return toTable(["Number ends in", "Outcome", "Reason"], [...rows, ["any other", "SENDING, then DELIVERED", ""]]);
}

const stateTable = () => meaningTable(["State", "The message"], STATE_MEANINGS);

const checkTable = () => meaningTable(["Check", "When it fails"], CHECK_MEANINGS);

export const jobTable = () => meaningTable(["Kind", "Content"], JOB_MEANINGS);

/** A section for each problem, which `health`, an alert and the console link to. */
export function problemSections(): string {
  return PROBLEMS.map((name) => {
    const { meaning, steps, isSafe, ends } = RUNBOOK[name];
    const list = steps.map((step, index) => `${steps.length > 1 ? `${index + 1}.` : "-"} ${step}`).join("\n");
    const parts = [`### ${name}`, meaning, list, `**Safe to repeat?** ${isSafe}`, ends && `**Ends:** ${ends}`];
    return parts.filter((part) => part).join("\n\n");
  }).join("\n\n");
}

/** In the description of a call: the page of the operator has the sections. */
function problemTable(): string {
  const rows = PROBLEMS.map((name) => [
    `[${code(name)}](/docs/operator#${name})`,
    firstSentence(RUNBOOK[name].meaning),
  ]);
  return toTable(["Problem", "Meaning"], rows);
}

const firstSentence = (text: string) => /^.*?\.(?= |$)/.exec(text)?.[0] ?? text;

const KEYWORD_EFFECTS: Record<Keyword, string> = {
  stop: "opts the number out of the websites of the sender, and confirms it, at most once a day",
  start: "opts in a number that is known, or was erased: it is the person's own consent",
  help: "replies with the website's `helpText`, unless the number is opted out; at most three times an hour",
};

export function keywordTable(): string {
  const rows = Object.entries(KEYWORD_EFFECTS).map(([keyword, effect]) => {
    const words = WORDS[keyword as Keyword].join(", ");
    return [keyword === "stop" ? `${words}, and the website's \`optOutWords\`` : words, effect];
  });
  return toTable(["Text", "Effect"], [...rows, ["any other", "is kept for the operator"]]);
}

const IN_DESCRIPTIONS: Record<string, () => string> = {
  states: stateTable,
  checks: checkTable,
  problems: problemTable,
};

/** @returns the description of a call, with the tables that it names */
export function fillDescription(description: string): string {
  return description.replaceAll(/<!-- (\w+) -->/g, (mark, name: string) => IN_DESCRIPTIONS[name]?.() ?? mark);
}
