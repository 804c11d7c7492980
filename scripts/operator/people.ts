import type { PeopleAnswers } from "../../src/http/operator/people.ts";
import { callOperator, type Service } from "./api.ts";
import { type Command, segment, UsageError, type Values } from "./command.ts";
import { textRow } from "./inbound.ts";
import { toTable } from "./table.ts";

export const PEOPLE_COMMANDS: Command[] = [
  {
    name: "person",
    parameters: ["<websiteId>", "<phone>"],
    summary: "show whether a number is subscribed, how that came about, and what it texted",
    options: {},
    run: (service, person) => callOperator(service, "GET", pathOf(person)),
    show: showPerson,
  },
  {
    name: "find-person",
    parameters: ["<phone>"],
    summary: "show the same in every website that knows the number, and the texts that it was sent",
    options: {},
    run: (service, [phone]) => callOperator(service, "GET", `/people/${segment(phone)}`),
    show: showEverywhere,
  },
  {
    name: "remove-email",
    parameters: ["<websiteId>", "<phone>"],
    summary: "remove the e-mail address of a number; its subscription stays",
    options: {},
    run: (service, person) => callOperator(service, "DELETE", `${pathOf(person)}/email`),
    show: showEmailRemoval,
  },
  {
    name: "export-person",
    parameters: ["<phone>"],
    summary: "print all that is kept about a number, in every website, as one JSON document",
    options: { website: { value: "<websiteId>", summary: "only what this website keeps" } },
    run: (service, [phone], { website }) => {
      const path = typeof website === "string" ? pathOf([website, phone ?? ""]) : `/people/${segment(phone)}`;
      return callOperator(service, "GET", `${path}/export`);
    },
    show: (answer) => JSON.stringify(JSON.parse(answer), null, 2),
  },
  {
    name: "erase-person",
    parameters: ["<websiteId or --everywhere>", "<phone>"],
    inPlace: "everywhere",
    summary: "erase all about a number, but for a mark that keeps it opted out; twice is harmless",
    options: {
      everywhere: { summary: "in every website that knows the number" },
      yes: { summary: "required: it cannot be undone" },
    },
    notes: "The exit code is 4 when a website failed: run it again.",
    run: erasePerson,
    show: showErasure,
    hasProblem: (answer) => "failed" in JSON.parse(answer) && JSON.parse(answer).failed.length > 0,
  },
];

function pathOf([websiteId, phone]: string[]): string {
  return `/websites/${segment(websiteId)}/people/${segment(phone)}`;
}

async function erasePerson(service: Service, person: string[], values: Values): Promise<string> {
  if (!values.yes) throw new UsageError("this cannot be undone: give --yes to do it");
  const path = values.everywhere ? `/people/${segment(person[0])}` : pathOf(person);
  return callOperator(service, "DELETE", path);
}

function showEverywhere(answer: string): string {
  const { websites, messages } = JSON.parse(answer) as PeopleAnswers["PersonEverywhere"];
  const people = websites.map(
    ({ websiteId, ...person }) => `${websiteId ?? "texts to no website"}\n\n${showPerson(JSON.stringify(person))}`,
  );
  const rows = messages.map((it) => [it.acceptedAt, it.status, it.websiteId, it.sendPurpose, it.messageId, it.text]);
  const sent = toTable([["SENT", "STATUS", "WEBSITE", "PURPOSE", "ID", "TEXT"], ...rows]);
  return [...people, messages.length === 0 ? "No messages." : sent].join("\n\n");
}

function showPerson(answer: string): string {
  const person = JSON.parse(answer) as PeopleAnswers["Person"];
  const state = person.subscribed ? "subscribed" : "not subscribed";
  const facts = toTable([
    ["phone", person.phone],
    ["email", person.email],
    ["state", person.optedOutByPerson ? "opted out by the person: only START brings them back" : state],
  ]);
  const changes = person.changes.map((it) => [it.at, describe(it), it.source, it.proof]);
  const texts = person.texts.length === 0 ? "No texts." : toTable(person.texts.map(textRow));
  return [facts, "", changes.length === 0 ? "No changes." : toTable(changes), "", texts].join("\n");
}

function describe({ from, to, addressChanged }: PeopleAnswers["Person"]["changes"][number]): string {
  const name = (state: boolean | null) => (state === null ? "unknown" : state ? "subscribed" : "unsubscribed");
  const state = from === to ? `${name(to)}${addressChanged ? "" : ", again"}` : `${name(from)} -> ${name(to)}`;
  return addressChanged ? `${state}, other address` : state;
}

function showEmailRemoval(answer: string): string {
  const { phone } = JSON.parse(answer) as PeopleAnswers["EmailRemoval"];
  return `${phone} has no e-mail address.`;
}

function showErasure(answer: string): string {
  const erasure = JSON.parse(answer) as PeopleAnswers["Erasure"] | PeopleAnswers["ErasureEverywhere"];
  if ("erasedMessages" in erasure) return `Erased ${erasure.phone}, ${withMessages(erasure.erasedMessages)}.`;
  const { phone, websites, failed } = erasure;
  const name = (websiteId: string | null) => websiteId ?? "texts to no website";
  if (websites.length + failed.length === 0) return `No website knows ${phone}.`;
  return [
    ...websites.map((it) => `Erased ${phone} in ${name(it.websiteId)}, ${withMessages(it.erasedMessages)}.`),
    ...failed.map((websiteId) => `FAILED in ${name(websiteId)}: nothing is erased there. Run it again.`),
  ].join("\n");
}

function withMessages(count: number): string {
  return `with ${count} ${count === 1 ? "message" : "messages"}`;
}
