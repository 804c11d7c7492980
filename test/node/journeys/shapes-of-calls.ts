import type { Document } from "../../../scripts/docs-documents.ts";

interface Schema {
  type?: string;
  enum?: unknown[];
}

interface Media {
  schema?: Schema;
  examples?: Record<string, unknown>;
}

interface Call {
  operationId: string;
  summary?: string;
  description?: string;
  parameters?: { in: string; name: string; description?: string; schema?: Schema }[];
  requestBody?: { description?: string; content: Record<string, Media> };
  responses: Record<string, { description: string; content?: Record<string, Media>; headers?: object }>;
}

/** What Markdown makes an element of. */
const MARKS = { table: /^\|/m, list: /^ *[-*] /m, block: /^```/m, code: /`/, link: /\]\(/, bold: /\*\*/, html: /<\w/ };

/** What a page draws in another way than for a call that lacks it; a word that does not break makes a page wider. */
function shapeOf(method: string, { parameters = [], requestBody, responses, ...call }: Call): Set<string> {
  const answers = Object.entries(responses);
  const media = (place: string, content: Record<string, Media> = {}) =>
    Object.entries(content).map(([type, { schema, examples = {} }]) =>
      [place, type, schema?.type, Object.keys(examples).length > 1 ? "of several examples" : ""].join(" "),
    );
  const described = [call, ...parameters, ...(requestBody ? [requestBody] : []), ...Object.values(responses)];
  const words = described.map(({ description = "" }) => description).join("\n");
  const names = parameters.map(({ name }) => name);
  const longest = Math.max(...[...names, ...words.split(/[\s|]/)].map(({ length }) => length));
  return new Set([
    method,
    ...Object.keys(call),
    ...parameters.flatMap((it) => [`${it.in} ${it.schema?.type} ${it.schema?.enum ? "of a list" : ""}`]),
    ...media("body", requestBody?.content),
    ...answers.flatMap(([status, it]) => [`answer ${status[0]}`, ...Object.keys(it), ...media("answer", it.content)]),
    ...Object.entries(MARKS).flatMap(([name, mark]) => (mark.test(words) ? [name] : [])),
    `a word of ${Math.floor(longest / 10)} times ten letters`,
  ]);
}

/** @returns the ids of as few calls and events as have together what any has; of two that have as much of it, the first */
export function callsOfEachShape(documents: Document[]): string[] {
  const calls = documents
    .flatMap(({ paths, webhooks = {} }) => [...Object.values(paths), ...Object.values(webhooks)])
    .flatMap((methods) => Object.entries(methods as object as Record<string, Call>))
    .map(([method, call]) => ({ id: call.operationId, shape: shapeOf(method, call) }));
  const missing = new Set(calls.flatMap(({ shape }) => [...shape]));
  const chosen: string[] = [];
  while (missing.size > 0) {
    const newIn = ({ shape }: { shape: Set<string> }) => [...shape].filter((part) => missing.has(part)).length;
    const best = calls.reduce((one, other) => (newIn(other) > newIn(one) ? other : one));
    for (const part of best.shape) missing.delete(part);
    chosen.push(best.id);
  }
  return chosen;
}
