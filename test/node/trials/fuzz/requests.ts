// Requests to every operation of the document, right in some parts and wrong in others.

import { csv, csvFile, jsonBody, nasty } from "./bodies.ts";
import { carrierRequest, NAMED_ACCOUNTS } from "./carriers.ts";
import type { FuzzRequest } from "./client.ts";
import type { Dice } from "./dice.ts";

interface Parameter {
  name: string;
  in: string;
  example?: string;
}

interface Operation {
  parameters?: Parameter[];
  security: Record<string, unknown>[];
  requestBody?: { content: Record<string, { examples?: Record<string, { value: unknown }> }> };
}

export interface Document {
  paths: Record<string, Record<string, Operation>>;
}

export interface FuzzedClient {
  websiteId: string;
  clientId: string;
  clientSecret: string;
  /** The id of its latest message that was accepted. */
  messageId?: string;
}

/** What exists, and may be named by a request. */
export interface Known {
  operatorToken: string;
  clients: FuzzedClient[];
  /** Where clients want callbacks. */
  endpoint: string;
  /** Other clients of the same websites, which an operator's calls may suspend, or give new secrets. */
  victims: string[];
  phones: string[];
  /** The ids of messages that were accepted; the later ones push out the earlier. */
  messageIds: string[];
  /** They wait until one of the calls is a right one to cancel them. */
  scheduledIds: string[];
  codes: string[];
  deadJobs: string[];
  importIds: string[];
  /** The token of an operator who may sign in to the console. */
  token: string;
  sessionIds: string[];
  /** The ids of inbound texts that somebody is to decide. */
  texts: string[];
  /** Ids of another website's messages, which no answer may show. */
  foreign: string[];
}

/** The website with the texts to decide. */
export const WEBSITE_OF_TEXTS = "fuzzed-0";

/** What the console sends with each call. */
export const OF_THE_CONSOLE: FuzzRequest["headers"] = [
  ["sec-fetch-site", "same-origin"],
  ["x-console", "1"],
];

const METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "PROPFIND"];
const TYPES = [
  "",
  "text/plain",
  "application/json; charset=utf-8",
  "APPLICATION/JSON",
  "application/json,text/csv",
  "text/csv",
  "*/*",
];
const TURNS = [
  "//",
  "/./",
  "/../",
  "/%2e%2e/",
  "%2F",
  "%5c",
  "\\",
  ";x=1",
  "%00",
  "%",
  "%zz",
  "%E0%A4%A",
  "%0d%0aX-Injected:%20y",
];

export class Requests {
  readonly #dice: Dice;
  readonly #known: Known;
  readonly #operations: { method: string; path: string; operation: Operation }[];

  constructor(dice: Dice, document: Document, known: Known) {
    this.#dice = dice;
    this.#known = known;
    const operations = Object.entries(document.paths).flatMap(([path, item]) =>
      Object.entries(item).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
    );
    // What clients call is called three times as often.
    const ofClients = operations.filter(({ path }) => path.startsWith("/text/"));
    this.#operations = [...operations, ...ofClients, ...ofClients];
  }

  next(): FuzzRequest {
    const dice = this.#dice;
    if (dice.chance(0.005)) return this.#otherCallbackUrl();
    if (dice.chance(0.12)) return carrierRequest(dice, this.#known.messageIds, this.#known.phones);
    const { method, path, operation } = dice.pick(this.#operations);
    const client = dice.pick(this.#known.clients);
    const chosen = dice.chance(0.93) ? method : dice.pick(METHODS);
    const body = chosen === "GET" || chosen === "HEAD" ? undefined : this.#body(path, operation);
    const headers = [...this.#credentials(operation, client), ...this.#type(operation), ...this.#others(operation)];
    if (path.startsWith("/console/") && dice.chance(0.8)) headers.push(...OF_THE_CONSOLE);
    const url = this.#path(path, operation, client.websiteId) + this.#query(operation, client);
    return { method: chosen, path: url, headers, ...(body === undefined ? {} : { body, chunked: dice.chance(0.1) }) };
  }

  /** Removes or sets the URL of a client that sends. Its callbacks may be due, and be posted, meanwhile. */
  #otherCallbackUrl(): FuzzRequest {
    const { clients, endpoint, operatorToken } = this.#known;
    const headers: FuzzRequest["headers"] = [
      ["authorization", `Bearer ${operatorToken}`],
      ["content-type", "application/json"],
    ];
    const callbackUrl = this.#dice.chance(0.5) ? "" : `${endpoint}/callbacks`;
    const path = `/operator/clients/${this.#dice.pick(clients).clientId}`;
    return { method: "PATCH", path, headers, body: JSON.stringify({ callbackUrl }) };
  }

  #path(template: string, operation: Operation, websiteId: string): string {
    const dice = this.#dice;
    const path = template.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
      dice.chance(0.85) ? this.#rightValue(name, websiteId, operation) : this.#segment(operation),
    );
    if (dice.chance(0.94)) return path;
    const at = 1 + dice.below(path.length - 1);
    return dice.chance(0.8) ? path.slice(0, at) + dice.pick(TURNS) + path.slice(at) : `/${this.#segment(operation)}`;
  }

  #rightValue(name: string, websiteId: string, { parameters = [], requestBody }: Operation): string {
    const { victims, phones, messageIds, scheduledIds, codes, deadJobs, importIds, sessionIds } = this.#known;
    const dice = this.#dice;
    const values: Record<string, () => string | undefined> = {
      websiteId: () => websiteId,
      clientId: () => dice.pick(victims),
      phone: () => dice.pick(phones).replace("+", dice.pick(["+", "%2B", "%2b"])),
      messageId: () => dice.pick(dice.chance(0.1) ? scheduledIds : messageIds),
      code: () => codes[dice.below(codes.length)],
      jobId: () => dice.pick(deadJobs),
      importId: () => dice.pick(importIds),
      sessionId: () => dice.pick(sessionIds),
      personId: () => dice.pick(phones).replace("+", "%2B"),
      carrier: () => dice.pick(["twilio", "telnyx", "kannel", "sandbox"]),
      account: () => dice.pick(NAMED_ACCOUNTS).name,
      // None of these accounts gets other keys, because carriers' calls are signed with those that it has.
      name: () => (requestBody || dice.chance(0.5) ? undefined : dice.pick(NAMED_ACCOUNTS).name),
    };
    return values[name]?.() ?? parameters.find((parameter) => parameter.name === name)?.example ?? "x";
  }

  /** Anything that may stand in one segment of a path. */
  #segment({ parameters = [] }: Operation): string {
    const dice = this.#dice;
    const ways: (() => string)[] = [
      () => encodeURIComponent(dice.text(30).toWellFormed()),
      () => encodeURIComponent(String(nasty(dice)).toWellFormed()),
      () => dice.pick(TURNS),
      () => "x".repeat(dice.below(3000)),
      () => [...dice.bytes(12)].map((byte) => `%${byte.toString(16).padStart(2, "0")}`).join(""),
      () => encodeURIComponent(parameters[0]?.example ?? "..").toUpperCase(),
    ];
    return dice.pick(ways)().replaceAll(/[ ?#]/g, "");
  }

  #query({ parameters = [] }: Operation, { messageId }: FuzzedClient): string {
    const dice = this.#dice;
    const days = () => `2026-${dice.pick(["11", "02", "13"])}-${dice.pick(["21", "30", "1"])}`;
    const instant = () => new Date(1.8e12 * dice.next()).toISOString();
    const rights: Record<string, () => string> = {
      from: () => dice.pick([days, instant])(),
      to: days,
      until: instant,
      by: () => dice.pick(["day", "purpose"]),
      phone: () => dice.pick(this.#known.phones),
      format: () => dice.pick(["csv", "json"]),
      before: instant,
      messageId: () => {
        if (dice.chance(0.1)) return dice.pick(this.#known.foreign);
        return dice.chance(0.7) && messageId ? messageId : this.#rightValue("messageId", "", { security: [] });
      },
    };
    const pairs = parameters
      .filter((parameter) => parameter.in === "query" && dice.chance(parameter.name in rights ? 0.6 : 0.2))
      .map(({ name, example = "" }) => [
        name,
        dice.chance(0.8) ? (rights[name]?.() ?? example) : String(nasty(dice)).toWellFormed(),
      ]);
    if (dice.chance(0.05)) pairs.push([dice.text(5).toWellFormed(), dice.text(20).toWellFormed()]);
    if (dice.chance(0.05)) pairs.push(...pairs);
    const query = pairs
      .map(([name = "", value = ""]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`)
      .join("&");
    return query === "" ? "" : `?${query}${dice.chance(0.02) ? "&%=%zz&&=&a" : ""}`;
  }

  /** Right, most often, and wrong in one way or another. */
  #credentials({ security }: Operation, client: FuzzedClient): FuzzRequest["headers"] {
    const dice = this.#dice;
    const { operatorToken, clients } = this.#known;
    const own: FuzzRequest["headers"] = [
      ["x-client-id", client.clientId],
      ["x-client-secret", client.clientSecret],
    ];
    const operator: FuzzRequest["headers"] = [["authorization", `Bearer ${operatorToken}`]];
    const right = security.some((scheme) => "Operator" in scheme) ? operator : own;
    if (dice.chance(0.72)) return right;
    const hex = (length: number) => Array.from({ length }, () => dice.below(16).toString(16)).join("");
    const ways: (() => FuzzRequest["headers"])[] = [
      () => [],
      () => [...own, ...operator],
      () => (right === own ? operator : own),
      () => [
        ["x-client-id", client.clientId],
        ["x-client-secret", hex(64)],
      ],
      () => [
        ["x-client-id", hex(32)],
        ["x-client-secret", hex(64)],
      ],
      () => [
        ["x-client-id", client.clientId],
        ["x-client-secret", dice.pick(clients).clientSecret],
      ],
      () => [
        ["x-client-id", headerText(dice)],
        ["x-client-secret", headerText(dice)],
      ],
      () => [...own, ...own],
      () => [
        ["authorization", dice.pick(["Bearer", "Bearer ", "Basic eA==", `bearer ${operatorToken}x`, headerText(dice)])],
      ],
    ];
    return dice.pick(ways)();
  }

  #type({ requestBody }: Operation): FuzzRequest["headers"] {
    const [type] = Object.keys(requestBody?.content ?? {});
    if (type === undefined || this.#dice.chance(0.92)) return type === undefined ? [] : [["content-type", type]];
    return [["content-type", this.#dice.pick(TYPES)]];
  }

  #others({ parameters = [] }: Operation): FuzzRequest["headers"] {
    const dice = this.#dice;
    // Few keys, so that they come again: with the same body, with another, and with those of other websites.
    const takesKey = parameters.some(({ name }) => name === "Idempotency-Key");
    if (takesKey && dice.chance(0.3)) return [["idempotency-key", `key-${dice.below(3)}`]];
    const ways: (() => [string, string])[] = [
      () => ["idempotency-key", headerText(dice)],
      () => ["content-encoding", dice.pick(["gzip", "identity", "br", "x"])],
      () => ["accept-encoding", dice.pick(["gzip", "br", "identity", "*;q=0"])],
      () => ["user-agent", headerText(dice)],
      () => ["x-forwarded-for", "127.0.0.1"],
      () => ["x-http-method-override", "DELETE"],
      () => ["range", "bytes=0-1"],
      () => ["if-none-match", "*"],
      () => [`x-${dice.below(9)}`, "a".repeat(dice.below(4000))],
      () => ["cookie", headerText(dice)],
    ];
    return Array.from({ length: dice.chance(0.3) ? dice.below(4) : 0 }, () => dice.pick(ways)());
  }

  #body(path: string, { requestBody }: Operation): string | Buffer | undefined {
    const dice = this.#dice;
    const content = Object.values(requestBody?.content ?? {});
    if (content.length === 0) return dice.chance(0.9) ? undefined : jsonBody(dice, {});
    if (path.endsWith("/subscribers")) return csv(dice);
    const examples = content.flatMap(({ examples = {} }) => Object.values(examples).map(({ value }) => value));
    return jsonBody(dice, this.#fill(examples.length > 0 ? dice.pick(examples) : {}));
  }

  /** An example of the document with numbers of people who are subscribed, and files of other contents. */
  #fill(value: unknown): unknown {
    if (Array.isArray(value)) return value.map((item) => this.#fill(item));
    if (typeof value === "string") return value.startsWith("+1") ? this.#dice.pick(this.#known.phones) : value;
    if (typeof value !== "object" || value === null) return value;
    const fields = Object.entries(value).map(([name, inner]) => {
      // A callback goes to loopback or nowhere: the document's own example is somebody's.
      if (name === "callbackUrl") return [name, this.#dice.chance(0.9) ? null : nasty(this.#dice)];
      return [name, name === "csv_file" ? csvFile(this.#dice) : this.#fill(inner)];
    });
    return { ...Object.fromEntries(fields), ...this.#link(value), ...this.#existing(value) };
  }

  /** A text to decide, or a token that signs in, in place of the document's own examples. */
  #existing(value: object): object {
    const { texts, token } = this.#known;
    if ("carrierMessageId" in value)
      return { websiteId: WEBSITE_OF_TEXTS, carrier: "sandbox", carrierMessageId: this.#dice.pick(texts) };
    return "token" in value ? { token } : {};
  }

  /** Some send requests have a link and some do not. There are few keys, so that bodies under one key differ in that too. */
  #link(value: object): object {
    if (!("sendPurpose" in value && "text" in value) || this.#dice.chance(0.5)) return {};
    return { clickUrl: this.#dice.pick(["", "https://example.com/sale", "https://example.com/other"]) };
  }
}

/** What a header may carry, bytes beyond ASCII included. */
function headerText(dice: Dice): string {
  return Array.from({ length: dice.below(60) }, () => String.fromCharCode(0x20 + dice.below(0xdf)))
    .join("")
    .replaceAll("\x7f", "");
}
