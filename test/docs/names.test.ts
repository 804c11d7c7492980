/** What the pages name exists: calls with their parameters, error codes, fields, settings, events of the log, jobs of the sweep. */
import { describe, expect, it } from "vitest";
import { configSchema } from "../../src/config.ts";
import { MESSAGE_STATUSES } from "../../src/domain/messages/message.ts";
import { REASONS } from "../../src/domain/messages/reason.ts";
import { ERROR_CODES } from "../../src/http/error-codes.ts";
import { REFUSED } from "../../src/http/request-log.ts";
import { SWEEP_JOBS } from "../../src/sweep.ts";
import { documentOfApi } from "./conformance.ts";

const texts = import.meta.glob(["../../{README,SECURITY}.md", "../../{client,docs,examples}/*.md"], {
  query: "?raw",
  import: "default",
  eager: true,
});
const pages = Object.entries(texts).map(([path, text]) => [path.replace("../../", ""), String(text)] as const);
const textOf = (page: string) => pages.find(([path]) => path === page)?.[1] ?? "";

/** @returns what the first group of the pattern finds in each page, with the page */
const findAll = (pattern: RegExp, except: readonly string[] = []) =>
  pages
    .filter(([path]) => !except.includes(path))
    .flatMap(([path, text]) => [...text.matchAll(pattern)].map(([, name = ""]) => `${path}: ${name}`));

const nameOf = (found: string) => found.slice(found.indexOf(": ") + 2);

interface Operation {
  parameters?: { name: string }[];
}
const paths = documentOfApi.paths as unknown as Record<string, Record<string, Operation>>;

/** Properties and parameters of the OpenAPI document. */
const fields = new Set<string>();
/** Values that a field can have. */
const values = new Set<string>();
JSON.stringify(documentOfApi, (_, value) => {
  for (const name of Object.keys(value?.properties ?? {})) fields.add(name);
  if (value?.in && value.name) fields.add(value.name);
  for (const known of value?.enum ?? [value?.const]) values.add(String(known));
  return value;
});

/** Names in these pages that are no field of a call: of the log, of the client package, and of other companies. */
const OTHER_NAMES: Record<string, string[]> = {
  "docs/monitoring.md": ["queueMessageId", "websiteIds", "clientIds", "eventIds"],
  "docs/mcp.md": ["getServiceState"],
  "docs/platforms.md": ["inArguments", "activityId", "definitionInstanceId"],
  "docs/runbook.md": ["oldPairEndsAt"],
  "client/README.md": ["longestWaitSeconds", "retryAfterSeconds", "sendBulk", "testEvent", "verifyCallback"],
};

/** Fields of an alert, and values in examples. */
const OTHER_WORDS = ["telnyx", "beganAt", "data", "timestamp", "kannel", "m1", "m1_DELIVERED", "shipped", "ok"];

const SETTINGS = Object.keys(configSchema.in.shape);
/** Variables of the shell that deploys, and of programs that call. */
const VARIABLES = ["CALLBACK_URL", "CLOUDFLARE_ACCOUNT_ID", "CLOUDFLARE_API_TOKEN", "CLOUDFLARE_ENV", "TEXTGATE_URL"];

describe("each page", () => {
  it("names calls that exist, with parameters that they have", () => {
    const isCall = (found: string) => {
      const [, method = "", path = "", query = ""] = /^(\w+) ([^?]*)\??(.*)$/.exec(nameOf(found)) ?? [];
      const { parameters = [] } = paths[path]?.[method.toLowerCase()] ?? {};
      const given = query.split("&").flatMap((part) => (part === "" ? [] : (part.split("=")[0] ?? "")));
      const known = parameters.map(({ name }) => name);
      return paths[path]?.[method.toLowerCase()] !== undefined && given.every((name) => known.includes(name));
    };
    const calls = findAll(/`((?:GET|POST|PUT|PATCH|DELETE) \/[^\s`]*)`/g);
    expect(calls.length).toBeGreaterThan(30);
    expect(calls.filter((found) => !isCall(found))).toEqual([]);
  });

  /** The codes of carriers are in the other pages. */
  it("names error codes that exist", () => {
    const codes = findAll(/(?<![\w.,+-])([45]\d{4})(?![\w-])/g, ["docs/carriers.md", "docs/deploying.md"]);
    const known = Object.values(ERROR_CODES).map(String);
    const ofCarriers = ["docs/runbook.md: 30034"];
    expect(codes.length).toBeGreaterThan(40);
    expect(codes.filter((found) => !known.includes(nameOf(found)) && !ofCarriers.includes(found))).toEqual([]);
  });

  it("names fields that exist", () => {
    const isField = (found: string) => {
      const [page = ""] = found.split(": ");
      return fields.has(nameOf(found)) || (OTHER_NAMES[page]?.includes(nameOf(found)) ?? false);
    };
    const named = findAll(/`([a-z]+[A-Z]\w*)`/g);
    expect(named.length).toBeGreaterThan(150);
    expect(named.filter((found) => !isField(found))).toEqual([]);
  });

  it("shows objects with fields that exist", () => {
    const known = new Set([...fields, ...values, ...OTHER_WORDS]);
    const shown = findAll(/"([a-z]\w*)"(?=\s*[:,}\]?])/g, [
      "README.md",
      "docs/mcp.md",
      "docs/carriers.md",
      "docs/platforms.md",
    ]);
    expect(shown.length).toBeGreaterThan(100);
    expect(shown.filter((found) => !known.has(nameOf(found)))).toEqual([]);
  });

  it("names settings, statuses and reasons that exist", () => {
    const known: readonly string[] = [...SETTINGS, ...VARIABLES, ...MESSAGE_STATUSES, ...REASONS];
    const named = findAll(/`([A-Z]+_[A-Z_]+)`/g);
    expect(named.length).toBeGreaterThan(100);
    expect(named.filter((found) => !known.includes(nameOf(found)))).toEqual([]);
  });

  it("names events of the log that docs/monitoring.md lists", () => {
    const [, table = ""] = textOf("docs/monitoring.md").split("| `event` | Fields |");
    const rows = table.slice(0, table.indexOf("\n\n")).split("\n");
    const events = rows.flatMap((row) =>
      [...(row.split("|")[1] ?? "").matchAll(/`([^`]+)`/g)].map(([, event]) => event),
    );
    const others =
      /^(?:wrangler|execute|message|subscription|number|problem|error|sweep)\.|\.(?:md|ts|conf|mjs|py|sh|yml|json|toml|dev|js|txt)$/;
    const named = findAll(/`([a-z][a-z-]*\.[a-z][a-z-]*)`/g).filter((found) => !others.test(nameOf(found)));
    expect(named.length).toBeGreaterThan(40);
    expect(named.filter((found) => !events.includes(nameOf(found)))).toEqual([]);
  });
});

describe("docs/monitoring.md", () => {
  const page = textOf("docs/monitoring.md");

  it("names every code of which one request in a hundred has a line", () => {
    const [, sentence = ""] = /requests that are\s+refused with ([\d,\sor]+)\./.exec(page) ?? [];
    const codes = REFUSED.map((kind) => ERROR_CODES[kind]);
    expect((sentence.match(/\d{5}/g) ?? []).map(Number).sort()).toEqual(codes.sort());
  });

  it("has every job of the sweep in its table, and no other", () => {
    const [, table = ""] = page.split("| Job | Does |\n|---|---|\n");
    const rows = table.slice(0, table.indexOf("\n\n")).split("\n");
    const jobs = rows.flatMap((row) => [...(row.split("|")[1] ?? "").matchAll(/`([^`]+)`/g)].map(([, job]) => job));
    expect(jobs.sort()).toEqual([...SWEEP_JOBS].sort());
  });
});
