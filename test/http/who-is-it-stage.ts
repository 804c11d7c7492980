// Each call of the operator, asked in one way.
import { expect } from "vitest";
import { CALLS } from "../../src/calls.ts";
import type { Call } from "../../src/http/call.ts";
import { OF_THE_CONSOLE, type Role, signIn } from "../console.ts";
import { dumpStores } from "../stores.ts";
import { World } from "../world.ts";

export const OF_OPERATORS = CALLS.filter(({ access }) => access === "operator");

export const READS = OF_OPERATORS.filter(({ method }) => method === "GET");

export let world: World;

export async function begin(): Promise<void> {
  world = await World.create();
}

/** Values that name nothing. A caller who is let in gets 404 or 400, so no call changes anything. */
const UNKNOWN: Record<string, string> = {
  websiteId: "nobody",
  clientId: "0".repeat(32),
  phone: "+12125550100",
  messageId: "00000000-0000-7000-8000-000000000000",
};

async function ask(
  { method, path, body }: Call,
  headers: Record<string, string>,
  query = "",
): Promise<[number, number]> {
  const filled = path.replaceAll(/:(\w+)/g, (_, name: string) => UNKNOWN[name] ?? "nobody");
  const answer = await world.fetch(filled + query, {
    method,
    headers: { ...headers, ...(body ? { "content-type": "application/json" } : {}) },
    ...(body ? { body: "{}" } : {}),
  });
  const text = await answer.text();
  return [answer.status, answer.ok || text === "" ? 0 : (JSON.parse(text) as { code: number }).code];
}

/** What each is answered: a code, or 0 for whoever is let in. */
export async function codesOf(calls: Call[], headers: Record<string, string>) {
  const codes: Record<string, number> = {};
  for (const call of calls) {
    const [status, code] = await ask(call, headers);
    expect([call.id, status < 500]).toEqual([call.id, true]);
    codes[call.id] = status === 401 || status === 403 ? code : 0;
  }
  return codes;
}

export const all = (calls: Call[], codeOf: (call: Call) => number) =>
  Object.fromEntries(calls.map((call) => [call.id, codeOf(call)]));

const CHANGES = OF_OPERATORS.filter(({ method }) => method !== "GET");

/** A request with the cookie of a session that is not from the console. */
export async function expectUnchanged(role: Role, headers: Record<string, string>): Promise<void> {
  const browser = await signIn(world, role === "viewer" ? "vera" : "ada", role);
  const before = await dumpStores(world);
  const codes = await codesOf(CHANGES, { ...browser, ...OF_THE_CONSOLE, ...headers });
  expect(codes).toEqual(all(CHANGES, () => 40303));
  expect(await dumpStores(world)).toBe(before);
}
