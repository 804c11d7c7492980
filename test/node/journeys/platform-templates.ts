/** Renders what docs/platforms.md has for each platform, as the languages of their templates define it. */
import { readFileSync } from "node:fs";
import { runInNewContext } from "node:vm";

const PAGE = readFileSync("docs/platforms.md", "utf8");

export type Person = Record<"phone" | "email" | "firstName", string>;

/** What a platform sends: its headers by name, and its body. */
interface Sent {
  headers: Record<string, string>;
  body: string;
}

const escapeJson = (text: string) => JSON.stringify(text).slice(1, -1);

/** The filters of the templates, as their languages define them. Each takes its arguments as they stand. */
const FILTERS: Record<string, (text: string, ...args: string[]) => string> = {
  default: (text, other = "") => text || other,
  // Django's: https://docs.djangoproject.com/en/stable/ref/templates/builtins/#escapejs
  escapejs: (text) =>
    text.replaceAll(/[\\'"<>&=;`\u2028\u2029-]|\p{Cc}/gu, (it) => {
      const hex = it.charCodeAt(0).toString(16).toUpperCase();
      return `\\u${hex.padStart(4, "0")}`;
    }),
  json_escape: escapeJson,
  remove: (text, part = "") => text.replaceAll(part, ""),
  replace: (text, part = "", by = "") => text.replaceAll(part, by),
  strip_newlines: (text) => text.replaceAll(/\r?\n/g, ""),
};

/** `value | filter: 'a', "b" | …`, also without spaces, as Django has it. */
function applyFilters(value: string, tag: string): string {
  return [...tag.matchAll(/\|\s*(\w+)(?:\s*:\s*((?:'[^']*'|"[^"]*"|[,\s])*))?/g)].reduce(
    (text, [, name = "", args = ""]) => {
      const filter = FILTERS[name];
      if (!filter) throw new Error(`the page has a filter that the platform may not have: ${name}`);
      return filter(
        text,
        ...[...args.matchAll(/'([^']*)'|"([^"]*)"/g)].map(([, single, double]) => single ?? double ?? ""),
      );
    },
    value,
  );
}

const sectionOf = (heading: string) => PAGE.split(`\n## ${heading}\n`)[1]?.split("\n## ")[0] ?? "";

const templateOf = (section: string) => /^ {4}\{$.+?^ {4}\}$/ms.exec(sectionOf(section))?.[0] ?? "";

/** The template in a section of the page, rendered for one person. */
export function render(section: string, { phone, email, firstName }: Person): string {
  return templateOf(section).replaceAll(/\{\{(.+?)\}\}(?!\})/g, (_, tag: string) => {
    if (/phone/i.test(tag)) return applyFilters(phone, tag);
    if (/email/i.test(tag)) return applyFilters(email, tag);
    return /first_?name/i.test(tag) ? applyFilters(firstName, tag) : "of-ada";
  });
}

/** Jinja, whose expressions of the page are those of JavaScript but for `~`, `or` and the filter. */
export function renderJinja(section: string, { phone, email, firstName }: Person): string {
  const [country, number] = [phone.slice(0, 2), phone.slice(2)];
  const profile = { phone_number_country: country, phone_number: number, email, firstname: firstName };
  return templateOf(section).replaceAll(/\{\{ (.+?) \}\}/g, (_, tag: string) => {
    const [expression = "", filter] = tag.split("|");
    const value = runInNewContext(expression.replaceAll("~", "+").replaceAll(" or ", " || "), { profile });
    return filter === "tojson" ? JSON.stringify(value) : value;
  });
}

/** The functions of AMPscript that the page uses. Its strings have no escapes. */
const AMPSCRIPT: Record<string, (...args: string[]) => string> = {
  concat: (...parts) => parts.join(""),
  replace: (text = "", part = "", by = "") => text.replaceAll(part, by),
  char: (code) => String.fromCharCode(Number(code)),
};

/** @returns what `HTTPPostWithRetry` is called with in a section of the page */
export function runAmpscript(section: string, { phone, firstName }: Person, subscriber: string): Sent {
  const attributes: Record<string, string> = { Phone: phone, FirstName: firstName };
  const values: Record<string, string> = { _subscriberkey: subscriber };
  let call: string[] = [];
  const functions: typeof AMPSCRIPT = {
    ...AMPSCRIPT,
    attributevalue: (name = "") => attributes[name] ?? "",
    httppostwithretry: (...args) => {
      call = args;
      return "1";
    },
  };
  const script = /%%\[(.+?)\]%%/s.exec(sectionOf(section))?.[1] ?? "";
  const tokens = script.match(/"[^"]*"|'[^']*'|@?\w+|[(),=]/g) ?? [];
  const read = (): string => {
    const token = tokens.shift() ?? "";
    if (/^["']/.test(token)) return token.slice(1, -1);
    if (tokens[0] !== "(") return values[token] ?? token;
    const args: string[] = [];
    while (tokens.shift() !== ")") args.push(read());
    const run = functions[token.toLowerCase()];
    if (!run) throw new Error(`the page has a function that AMPscript may not have: ${token}`);
    return run(...args);
  };
  while (tokens.shift() === "SET") {
    const name = tokens.shift() ?? "";
    tokens.shift();
    values[name] = read();
  }
  const [, type = "", body = "", , , , , , ...pairs] = call;
  const headers = Object.fromEntries(pairs.flatMap((name, at) => (at % 2 === 0 ? [[name, pairs[at + 1] ?? ""]] : [])));
  return { headers: { "Content-Type": type, ...headers }, body };
}

/** @returns what the code in a section of the page posts with axios, which sends an object as JSON */
export async function runCustomCode(
  section: string,
  { phone, email, firstName }: Person,
  contact: string,
): Promise<Sent> {
  const sent: Sent[] = [];
  const post = (_url: string, body: object, { headers }: { headers: Record<string, string> }) => {
    sent.push({ headers: { "Content-Type": "application/json", ...headers }, body: JSON.stringify(body) });
    return Promise.resolve({ data: { messageId: "m1" } });
  };
  const exports: { main?: (event: object, callback: (outcome: object) => void) => Promise<void> } = {};
  const code = /^ {4}const axios.+?^ {4}\};$/ms.exec(sectionOf(section))?.[0] ?? "";
  runInNewContext(code, { exports, require: () => ({ post }), process: { env: {} } });
  const inputFields = { phone, email, firstname: firstName };
  await exports.main?.({ inputFields, object: { objectId: contact } }, () => undefined);
  return sent[0] ?? { headers: {}, body: "" };
}
