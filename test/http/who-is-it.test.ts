/** Each route of the operator, for each way to come: from the declarations, so that a new call is in the table. */
import { beforeEach, describe, expect, it } from "vitest";
import { CALLS } from "../../src/calls.ts";
import { type Call, isForOperators } from "../../src/http/call.ts";
import { newToken, OF_THE_CONSOLE, type Role, signIn } from "../console.ts";
import { dumpStores } from "../stores.ts";
import { World } from "../world.ts";

const OF_OPERATORS = CALLS.filter(({ access }) => access === "operator");
const CHANGES = OF_OPERATORS.filter(({ method }) => method !== "GET");
const READS = OF_OPERATORS.filter(({ method }) => method === "GET");

/** Exactly these change nothing though they are posted; and these show people, or give files in which people may be. */
const READ_BY_POST = ["findPersonId"];
const REVEAL = ["revealPerson", "exportPerson", "exportPersonOfWebsite"];

let world: World;

beforeEach(async () => {
  world = await World.create();
});

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
async function codesOf(calls: Call[], headers: Record<string, string>) {
  const codes: Record<string, number> = {};
  for (const call of calls) {
    const [status, code] = await ask(call, headers);
    expect([call.id, status < 500]).toEqual([call.id, true]);
    codes[call.id] = status === 401 || status === 403 ? code : 0;
  }
  return codes;
}

const all = (calls: Call[], codeOf: (call: Call) => number) =>
  Object.fromEntries(calls.map((call) => [call.id, codeOf(call)]));

/** A session in a state. */
async function sessionThat(is: "expired" | "ended" | "without its token"): Promise<Record<string, string>> {
  const browser = await signIn(world, "ada");
  if (is === "expired") world.advance(12 * 3600);
  if (is === "ended") await world.rows("DELETE FROM operator_sessions");
  if (is === "without its token") await world.operator("DELETE", "/tokens/ada");
  return { ...browser, ...OF_THE_CONSOLE };
}

describe("every call of the operator", () => {
  it("refuses whoever has neither a token nor a session", async () => {
    expect(await codesOf(OF_OPERATORS, OF_THE_CONSOLE)).toEqual(all(OF_OPERATORS, () => 40100));
  });

  it.each(["expired", "ended", "without its token"] as const)("refuses a session that is %s", async (is) => {
    expect(await codesOf(OF_OPERATORS, await sessionThat(is))).toEqual(all(OF_OPERATORS, () => 40101));
  });

  it("lets in an operator's session, with what the console sends", async () => {
    const browser = await signIn(world, "ada");
    expect(await codesOf(OF_OPERATORS, { ...browser, ...OF_THE_CONSOLE })).toEqual(all(OF_OPERATORS, () => 0));
  });

  it.each(["session", "bearer token"])("changes nothing for a viewer's %s, and reveals nobody", async (by) => {
    const headers = await viewer(by);
    const before = await dumpStores(world);
    expect(await codesOf(OF_OPERATORS, headers)).toEqual(
      all(OF_OPERATORS, (call) => (isForOperators(call) ? 40304 : 0)),
    );
    // Each look-up of a person is in the audit log.
    expect(await world.rows("DELETE FROM audit_log WHERE action = 'look-up' RETURNING operator")).not.toEqual([]);
    expect(await dumpStores(world)).toBe(before);
  });

  it.each([
    ["of another site", { "sec-fetch-site": "cross-site" }],
    ["of another host of the site", { "sec-fetch-site": "same-site" }],
    ["of no page", { "sec-fetch-site": "none" }],
    ["without Sec-Fetch-Site", { "sec-fetch-site": "" }],
    ["without X-Console", { "x-console": "" }],
    ["with another X-Console", { "x-console": "true" }],
  ])("changes nothing with a cookie for a request %s, whatever the role", async (_, headers) => {
    for (const role of ["operator", "viewer"] as Role[]) {
      const browser = await signIn(world, role === "viewer" ? "vera" : "ada", role);
      const before = await dumpStores(world);
      const codes = await codesOf(CHANGES, { ...browser, ...OF_THE_CONSOLE, ...headers });
      expect(codes).toEqual(all(CHANGES, () => 40303));
      expect(await dumpStores(world)).toBe(before);
    }
  });

  it.each(["cross-site", "same-site"])("answers nothing with a cookie to a page that is %s", async (site) => {
    for (const role of ["operator", "viewer"] as Role[]) {
      const browser = await signIn(world, role === "viewer" ? "vera" : "ada", role);
      const before = await dumpStores(world);
      expect(await codesOf(READS, { ...browser, "sec-fetch-site": site })).toEqual(all(READS, () => 40303));
      expect(await dumpStores(world)).toBe(before);
    }
  });

  it("answers an address that is typed, with the cookie", async () => {
    const browser = await signIn(world, "ada");
    expect(await codesOf(READS, { ...browser, "sec-fetch-site": "none" })).toEqual(all(READS, () => 0));
  });

  it("needs nothing but the token with a bearer token", async () => {
    const token = await newToken(world, "ada");
    expect(await codesOf(OF_OPERATORS, { authorization: `Bearer ${token}` })).toEqual(all(OF_OPERATORS, () => 0));
  });
});

async function viewer(by: string): Promise<Record<string, string>> {
  if (by !== "session") return { authorization: `Bearer ${await newToken(world, "vera", "viewer")}` };
  return { ...(await signIn(world, "vera", "viewer")), ...OF_THE_CONSOLE };
}

it("one more call that a viewer may post, or that shows people, is a decision, to be taken here", () => {
  const idsOf = (some: Call[]) => some.map(({ id }) => id).sort();
  expect(idsOf(OF_OPERATORS.filter(({ isRead }) => isRead))).toEqual(READ_BY_POST.sort());
  expect(idsOf(OF_OPERATORS.filter(({ reveals }) => reveals))).toEqual(REVEAL.sort());
});
