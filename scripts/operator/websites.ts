import type { WebsiteAnswers } from "../../src/http/operator/websites.ts";
import { callOperator, type Service } from "./api.ts";
import { showEntries } from "./audit.ts";
import { describeClient } from "./clients.ts";
import { type Command, segment, toNumber, type Values } from "./command.ts";
import { type Cell, toTable } from "./table.ts";

type Website = WebsiteAnswers["WebsiteWithClients"];

export const WEBSITE_COMMANDS: Command[] = [
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
      database: { value: "<name>", summary: "where a new one is put, such as DB_2; the least full when left out" },
      "help-text": { value: "<text>", summary: "the answer to HELP; '' for none" },
      "opt-out-words": {
        value: "<words>",
        summary: "further words that opt out, with commas between them; '' for none",
      },
      "duplicate-window-hours": { value: "<n>", summary: "suppress duplicates for so long; '' for not at all" },
    },
    notes: "What is not given stays as it is; '' takes a setting away.",
    run: putWebsite,
    show: showWebsite,
  },
];

async function putWebsite(service: Service, [id]: string[], values: Values): Promise<string> {
  const path = `/websites/${segment(id)}`;
  const given = {
    name: values.name,
    carrier: values.carrier,
    sender: values.sender,
    database: values.database,
    helpText: values["help-text"],
    optOutWords: toWords(values["opt-out-words"]),
    duplicateWindowHours: toNumber("duplicate-window-hours", values["duplicate-window-hours"]),
  };
  const set = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
  return callOperator(service, "PUT", path, set);
}

function toWords(list: Values[string]): string[] | null | undefined {
  return typeof list === "string" ? (list === "" ? null : list.split(",")) : undefined;
}

function showWebsites(answer: string): string {
  const { websites } = JSON.parse(answer) as WebsiteAnswers["WebsiteList"];
  if (websites.length === 0) return "There is no website yet: put-website makes one.";
  const rows = websites.map((it) => [it.websiteId, it.name, it.carrier, it.sender]);
  return toTable([["WEBSITE", "NAME", "CARRIER", "SENDER"], ...rows]);
}

function showWebsite(answer: string): string {
  const { clients, changes, ...website } = JSON.parse(answer) as Website;
  const hours = website.duplicateWindowHours;
  const settings = toTable([
    ["website", website.websiteId],
    ["name", website.name],
    ["carrier", website.carrier],
    ["sender", website.sender],
    ["database", website.database],
    ["help text", website.helpText],
    ["opt-out words", website.optOutWords?.join(", ") ?? null],
    ...website.holds.map((hold): Cell[] => ["HELD", describeHold(hold)]),
    ["duplicates", hours === null ? "not suppressed" : `suppressed for ${hours} h`],
  ]);
  return [
    settings,
    "",
    clients.length === 0 ? "No clients." : clients.map(describeClient).join("\n\n"),
    ...(changes.length > 0 ? ["", showEntries(changes)] : []),
  ].join("\n");
}

function describeHold({ sendPurpose, clientId, since }: Website["holds"][number]): string {
  const parts = [sendPurpose && `purpose ${sendPurpose}`, clientId && `client ${clientId}`].filter(Boolean);
  return `${parts.join(", ") || "everything"}, since ${since}`;
}
