import { type Call, callsOf, type Document, type Media } from "../../../scripts/reference/document.ts";

/** What Markdown makes an element of. */
const MARKS = { table: /^\|/m, list: /^ *[-*] /m, block: /^```/m, code: /`/, link: /\]\(/, bold: /\*\*/, html: /<\w/ };

/** The texts that a page draws of a call. */
function wordsOf({ parameters = [], requestBody, responses, ...call }: Call): string {
  const described = [call, ...parameters, ...(requestBody ? [requestBody] : []), ...Object.values(responses)];
  const names = parameters.map(({ name }) => name);
  return [...names, ...described.map(({ description = "" }) => description)].join("\n");
}

/** What a page draws in another way than for a call that lacks it. */
function shapeOf(method: string, call: Call): Set<string> {
  const { parameters = [], requestBody, responses, ...others } = call;
  const media = (place: string, content: Record<string, Media> = {}) =>
    Object.entries(content).map(([type, { examples = {} }]) =>
      [place, type, Object.keys(examples).length > 1 ? "of several examples" : ""].join(" "),
    );
  const answers = Object.entries(responses).flatMap(([status, it]) => [
    `answer ${status[0]}`,
    ...Object.keys(it),
    ...media("answer", it.content),
  ]);
  const words = wordsOf(call);
  return new Set([
    method,
    ...Object.keys(others),
    ...parameters.map((it) => `${it.in} ${it.schema?.type} ${it.schema?.enum ? "of a list" : ""}`),
    ...media("body", requestBody?.content),
    ...answers,
    ...Object.entries(MARKS).flatMap(([name, mark]) => (mark.test(words) ? [name] : [])),
  ]);
}

/** The length of the longest word, because a word that does not break makes a page wider. */
const longestWordOf = (call: Call) =>
  Math.max(
    ...wordsOf(call)
      .split(/[\s|]/)
      .map(({ length }) => length),
  );

/** @returns the ids of the call or event with the longest word, and of as few others as have together what any has */
export function callsOfEachShape(document: Document): string[] {
  const calls = callsOf(document).map((call) => ({
    id: call.operationId,
    shape: shapeOf(call.method, call),
    length: longestWordOf(call),
  }));
  const missing = new Set(calls.flatMap(({ shape }) => [...shape]));
  const chosen: string[] = [];
  let best = calls.reduce((one, other) => (other.length > one.length ? other : one));
  for (;;) {
    chosen.push(best.id);
    for (const part of best.shape) missing.delete(part);
    if (missing.size === 0) return chosen;
    const newIn = ({ shape }: { shape: Set<string> }) => [...shape].filter((part) => missing.has(part)).length;
    best = calls.reduce((one, other) => (newIn(other) > newIn(one) ? other : one));
  }
}
