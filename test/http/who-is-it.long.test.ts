import { beforeEach, describe, expect, it } from "vitest";
import { isForOperators } from "../../src/http/call.ts";
import { newToken, OF_THE_CONSOLE, type Role, signIn } from "../console.ts";
import { dumpStores } from "../stores.ts";
import { all, begin, codesOf, expectUnchanged, OF_OPERATORS, READS, world } from "./who-is-it-stage.ts";

beforeEach(begin);

describe("every call of the operator", () => {
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
    for (const role of ["operator", "viewer"] as Role[]) await expectUnchanged(role, headers);
  });

  it.each(["cross-site", "same-site"])("answers nothing with a cookie to a page that is %s", async (site) => {
    for (const role of ["operator", "viewer"] as Role[]) {
      const browser = await signIn(world, role === "viewer" ? "vera" : "ada", role);
      const before = await dumpStores(world);
      expect(await codesOf(READS, { ...browser, "sec-fetch-site": site })).toEqual(all(READS, () => 40303));
      expect(await dumpStores(world)).toBe(before);
    }
  });
});

async function viewer(by: string): Promise<Record<string, string>> {
  if (by !== "session") return { authorization: `Bearer ${await newToken(world, "vera", "viewer")}` };
  return { ...(await signIn(world, "vera", "viewer")), ...OF_THE_CONSOLE };
}
