// Pure. What each problem of the service is to an operator: a sentence, whom it hurts and whether anything is lost, and what to do.
import type { PastProblem, Problem } from "../answers.ts";
import { capitalized, countOf, listOf } from "./numbers.ts";
import { PROBLEM_TABLE, type Words } from "./problem-table.ts";

/** `go`: a page of the console. `try`: the carrier is tried. `note`: words for the client's developers are copied. */
export type Act = { label: string; go: string } | { label: string; try: string } | { label: string; note: string };

export interface ProblemWords {
  sentence: string;
  /** How many, as a link to them: the effect goes on after it. */
  count: { words: string; href: string } | null;
  effect: string;
  steps: readonly string[];
  acts: Act[];
  tone: "bad" | "wait";
  /** Three words, for a chart; only of what texts show. */
  short: string | null;
}

type Named = Partial<Omit<Problem, "problem">> & { problem: string };

export function wordsOf(problem: Named): ProblemWords {
  const words: Words = PROBLEM_TABLE[problem.problem as keyof typeof PROBLEM_TABLE] ?? {
    sentence: problem.problem.replaceAll("-", " "),
    effect: "",
    steps: [],
  };
  const fill = (template: string) => template.replaceAll(/\{(\w+)\}/g, (_, name: string) => nameFor(name, problem));
  const { counts, tone = "bad", short } = words;
  const [one, many = `${one}s`, href = "#/waiting"] = counts ?? [""];
  const count = counts && problem.affected ? { words: countOf(problem.affected, one, many), href: fill(href) } : null;
  const unknown = counts && !count ? capitalized(many) : "";
  return {
    sentence: fill(words.sentence),
    count,
    effect: unknown + fill(words.effect),
    steps: words.steps.map(fill),
    acts: actsOf(words, problem, fill),
    tone,
    short: short ? fill(short) : null,
  };
}

function nameFor(
  name: string,
  { database, carrier, sender, clientName, host, websiteNames, websiteId }: Named,
): string {
  const values: Record<string, string | null | undefined> = {
    database: database ?? "DB",
    carrier: carrier ?? "The carrier",
    sender: sender ?? "a sender",
    client: clientName ?? host ?? "a client",
    brands: websiteNames?.length ? listOf(websiteNames) : "the websites",
    websiteId,
  };
  return values[name] ?? "";
}

/** What needs a carrier or a website is left out where the problem names none. */
function actsOf({ acts = [] }: Words, problem: Named, fill: (template: string) => string): Act[] {
  return acts.flatMap((act): Act[] => {
    if (act === "try") return problem.carrier ? [{ label: `Try ${problem.carrier} now`, try: problem.carrier }] : [];
    if (act === "note") return [{ label: "Copy a note", note: noteOf(problem) }];
    const [label, go] = act;
    return go.includes("{websiteId}") && !problem.websiteId ? [] : [{ label, go: fill(go) }];
  });
}

const noteOf = ({ host, since, cause }: Named) =>
  [
    `Textgate posts its callbacks to ${host ?? "your endpoint"}, and they fail${since ? ` since ${since}` : ""}.`,
    `The answer: ${cause ?? "none"}. Each callback is posted once; GET /text/events has all of them.`,
    "Answer 2xx within 10 seconds; then we send a test event.",
  ].join(" ");

/** The sentence of one that may have ended. */
export const pastSentence = (past: PastProblem): string =>
  `${wordsOf(past).sentence}${past.websiteName ? `, ${past.websiteName}` : ""}`;
