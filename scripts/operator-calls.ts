import { readFileSync } from "node:fs";
import { callOperator, Refusal, type Service } from "./operator-api.ts";

/** The command line was wrong. */
export class UsageError extends Error {}

/** The options of a command, as they were given. */
export type Values = Record<string, string | boolean | undefined>;

export function segment(id: string | undefined): string {
  return encodeURIComponent(id ?? "");
}

/** What is not given stays; it is read first, because a service of an earlier version replaces all settings. */
export async function putWebsite(service: Service, [id]: string[], values: Values): Promise<string> {
  const path = `/websites/${segment(id)}`;
  const given = {
    name: values.name,
    carrier: values.carrier,
    sender: values.sender,
    helpText: values["help-text"],
    duplicateWindowHours: toNumber("duplicate-window-hours", values["duplicate-window-hours"]),
  };
  const set = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
  return callOperator(service, "PUT", path, { ...(await readWebsite(service, path)), ...set });
}

async function readWebsite(service: Service, path: string): Promise<object> {
  try {
    const { name, carrier, sender, helpText, duplicateWindowHours } = JSON.parse(
      await callOperator(service, "GET", path),
    );
    return { name, carrier, sender, helpText, duplicateWindowHours };
  } catch (error) {
    if (error instanceof Refusal && error.body.code === 40401) return {};
    throw error;
  }
}

export function createClient(service: Service, [id]: string[], values: Values): Promise<string> {
  return callOperator(service, "POST", `/websites/${segment(id)}/clients`, toClient(values));
}

export async function changeClient(service: Service, [id]: string[], values: Values): Promise<string> {
  if (values.suspend && values.resume) throw new UsageError("--suspend and --resume exclude each other");
  const suspended = values.suspend ? true : values.resume ? false : undefined;
  const change = JSON.parse(JSON.stringify({ ...toClient(values), suspended }));
  if (Object.keys(change).length === 0) throw new UsageError("nothing to change is given");
  return callOperator(service, "PATCH", `/clients/${segment(id)}`, change);
}

export async function rotateClient(service: Service, [id]: string[], values: Values): Promise<string> {
  const graceSeconds = toNumber("grace-seconds", values["grace-seconds"]);
  return callOperator(service, "POST", `/clients/${segment(id)}/rotate`, { graceSeconds });
}

export async function importSubscribers(service: Service, [id, file = "-"]: string[]): Promise<string> {
  return callOperator(service, "POST", `/websites/${segment(id)}/subscribers`, readInput(file));
}

export async function erasePerson(service: Service, [id, phone]: string[], values: Values): Promise<string> {
  if (!values.yes) throw new UsageError("this cannot be undone: give --yes to do it");
  return callOperator(service, "DELETE", `/websites/${segment(id)}/people/${segment(phone)}`);
}

export async function listInbound(service: Service, [id]: string[], values: Values): Promise<string> {
  const path = values["without-effect"] ? "/inbound/without-effect" : `/websites/${segment(id)}/inbound`;
  return callOperator(service, "GET", path + toQuery({ before: values.before }));
}

/** All of them, a hundred a call: those that wait as it begins, for what dies again at once would never end. */
export async function putBack(service: Service, [id]: string[], values: Values): Promise<string> {
  if (!values.all) return callOperator(service, "POST", `/dead-jobs/${segment(id)}/put-back`);
  const step = async () => JSON.parse(await callOperator(service, "POST", "/dead-jobs/put-back"));
  const first = await step();
  let { putBack, left } = first;
  while (left > 0 && putBack < first.putBack + first.left) {
    const next = await step();
    putBack += next.putBack;
    left = next.left;
  }
  return JSON.stringify({ putBack, left });
}

/** What is given, as a query with its question mark. */
export function toQuery(values: Values): string {
  const given = Object.entries(values).filter((entry): entry is [string, string] => typeof entry[1] === "string");
  return given.length === 0 ? "" : `?${new URLSearchParams(given)}`;
}

/** What is undefined is left out of the JSON. */
function toClient(values: Values) {
  const operations = values.operations;
  return {
    callbackUrl: values["callback-url"],
    operations: typeof operations === "string" ? operations.split(/[\s,]+/).filter(Boolean) : undefined,
  };
}

/** @returns null for `''` */
function toNumber(option: string, text: Values[string]): number | null | undefined {
  if (typeof text !== "string") return undefined;
  if (text === "") return null;
  if (!/^\d+$/.test(text)) throw new UsageError(`--${option} must be a whole number, not "${text}"`);
  return Number(text);
}

function readInput(file: string): Uint8Array<ArrayBuffer> {
  try {
    return new Uint8Array(readFileSync(file === "-" ? 0 : file));
  } catch (error) {
    throw new UsageError(`cannot read ${file}: ${error instanceof Error ? error.message : error}`);
  }
}
