import type { ParseArgsOptionsConfig } from "node:util";
import { callOperator, type Service } from "./operator-api.ts";
import {
  changeClient,
  createClient,
  erasePerson,
  importSubscribers,
  listInbound,
  putBack,
  putWebsite,
  rotateClient,
  segment,
  toQuery,
  type Values,
} from "./operator-calls.ts";
import { showDeadJobs, showHealth, showPutBack } from "./operator-fault-report.ts";
import { showEmailRemoval, showErasure, showInbound, showPerson, showReport } from "./operator-people-report.ts";
import { showChange, showImport, showMessage, showSecrets, showWebsite, showWebsites } from "./operator-report.ts";

export interface Command {
  name: string;
  /** What stands after the name. */
  parameters: string[];
  /** A switch that stands in their place. */
  inPlace?: string;
  summary: string;
  options: Record<string, Option>;
  notes?: string;
  /** @returns the JSON that the service answered, as text */
  run(service: Service, parameters: string[], values: Values): Promise<string>;
  /** The same for a person to read. */
  show(answer: string): string;
}

/** Without `value` it is a switch. */
export interface Option {
  value?: string;
  summary: string;
}

const CLIENT_OPTIONS: Record<string, Option> = {
  "callback-url": { value: "<url>", summary: "where its callbacks are posted; '' for none" },
  operations: { value: "<list>", summary: "of send,status,subscription,subscribe,unsubscribe" },
};

export const COMMANDS: Command[] = [
  {
    name: "websites",
    parameters: [],
    summary: "list the websites",
    options: {},
    run: (service) => callOperator(service, "GET", "/websites"),
    show: showWebsites,
  },
  {
    name: "website",
    parameters: ["<websiteId>"],
    summary: "show a website and its clients",
    options: {},
    run: (service, [id]) => callOperator(service, "GET", `/websites/${segment(id)}`),
    show: showWebsite,
  },
  {
    name: "put-website",
    parameters: ["<websiteId>"],
    summary: "make a website, or change its settings",
    options: {
      name: { value: "<text>", summary: "required for a new one" },
      carrier: { value: "<name>", summary: "what takes its texts; a new one names it, once a carrier is set up" },
      sender: { value: "<text>", summary: "the number or name that its texts come from; '' for none" },
      "help-text": { value: "<text>", summary: "the answer to HELP; '' for none" },
      "duplicate-window-hours": { value: "<n>", summary: "suppress duplicates for so long; '' for not at all" },
    },
    notes: "What is not given stays as it is; '' takes a setting away.",
    run: putWebsite,
    show: showWebsite,
  },
  {
    name: "create-client",
    parameters: ["<websiteId>"],
    summary: "make a client; its secrets are shown this once",
    options: CLIENT_OPTIONS,
    notes: "Without --operations it may do all of them.",
    run: createClient,
    show: showSecrets,
  },
  {
    name: "change-client",
    parameters: ["<clientId>"],
    summary: "change a client; what is not given stays",
    options: {
      ...CLIENT_OPTIONS,
      suspend: { summary: "refuse its requests" },
      resume: { summary: "take them again" },
    },
    run: changeClient,
    show: showChange,
  },
  {
    name: "rotate-client",
    parameters: ["<clientId>"],
    summary: "give a client new secrets, shown this once",
    options: { "grace-seconds": { value: "<n>", summary: "how long the old ones work; a day when left out" } },
    run: rotateClient,
    show: showSecrets,
  },
  {
    name: "import-subscribers",
    parameters: ["<websiteId>", "<file.csv or ->"],
    summary: "import subscribers from a CSV file, or from standard input",
    options: {},
    notes: "Columns: phone_numbers, and if wanted email and subscribed (true when left out).",
    run: importSubscribers,
    show: showImport,
  },
  {
    name: "person",
    parameters: ["<websiteId>", "<phone>"],
    summary: "show whether a number is subscribed, how that came about, and what it texted",
    options: {},
    run: (service, [id, phone]) => callOperator(service, "GET", `/websites/${segment(id)}/people/${segment(phone)}`),
    show: showPerson,
  },
  {
    name: "remove-email",
    parameters: ["<websiteId>", "<phone>"],
    summary: "remove the e-mail address of a number; its subscription stays",
    options: {},
    run: (service, [id, phone]) =>
      callOperator(service, "DELETE", `/websites/${segment(id)}/people/${segment(phone)}/email`),
    show: showEmailRemoval,
  },
  {
    name: "erase-person",
    parameters: ["<websiteId>", "<phone>"],
    summary: "erase all about a number, but for a mark that keeps it opted out",
    options: { yes: { summary: "required: it cannot be undone" } },
    run: erasePerson,
    show: showErasure,
  },
  {
    name: "inbound",
    parameters: ["<websiteId or --without-effect>"],
    inPlace: "without-effect",
    summary: "show what people texted, the latest first, 100 at a time",
    options: {
      before: { value: "<time>", summary: "ISO 8601: only what came before" },
      "without-effect": { summary: "texts that reached no website, and keywords that had no effect" },
    },
    run: listInbound,
    show: showInbound,
  },
  {
    name: "report",
    parameters: ["<websiteId>"],
    summary: "count the messages by day or by purpose",
    options: {
      from: { value: "<day>", summary: "such as 2026-11-01 (UTC); 30 days back when left out" },
      to: { value: "<day>", summary: "the last day; today when left out" },
      by: { value: "<day|purpose>", summary: "day when left out" },
    },
    run: (service, [id], { from, to, by }) =>
      callOperator(service, "GET", `/websites/${segment(id)}/report${toQuery({ from, to, by })}`),
    show: showReport,
  },
  {
    name: "message",
    parameters: ["<messageId>"],
    summary: "show what became of a message, and what its callbacks were answered",
    options: {},
    run: (service, [id]) => callOperator(service, "GET", `/messages/${segment(id)}`),
    show: showMessage,
  },
  {
    name: "health",
    parameters: [],
    summary: "show what waits, what is stuck and what fails",
    options: {},
    notes: "docs/operating.md says what to do about each problem.",
    run: (service) => callOperator(service, "GET", "/health"),
    show: showHealth,
  },
  {
    name: "dead-jobs",
    parameters: [],
    summary: "show the jobs that failed for good, the latest first, 100 at a time",
    options: { before: { value: "<id>", summary: "only what died before this one" } },
    notes: "--json shows the jobs themselves.",
    run: (service, _, { before }) => callOperator(service, "GET", `/dead-jobs${toQuery({ before })}`),
    show: showDeadJobs,
  },
  {
    name: "put-back",
    parameters: ["<id or --all>"],
    inPlace: "all",
    summary: "queue a dead job again; twice is harmless",
    options: { all: { summary: "every one that nobody has put back" } },
    notes: "A job changes only what its claim, or its message's status, still allows.",
    run: putBack,
    show: showPutBack,
  },
];

/** As parseArgs wants them. */
export function toParseOptions(options: Record<string, Option>): ParseArgsOptionsConfig {
  const entries = Object.entries(options);
  return Object.fromEntries(entries.map(([name, { value }]) => [name, { type: value ? "string" : "boolean" }]));
}
