/** Each route of the operator, for each way to come: from the declarations, so that a new call is in the table. */
import { beforeEach, describe, expect, it } from "vitest";
import type { Call } from "../../src/http/call.ts";
import { newToken, OF_THE_CONSOLE, signIn } from "../console.ts";
import { all, begin, codesOf, expectUnchanged, OF_OPERATORS, READS, world } from "./who-is-it-stage.ts";

/** Exactly these change nothing though they are posted; and these show people, or give files in which people may be. */
const READ_BY_POST = ["findPersonId"];
const REVEAL = ["revealPerson", "exportPerson", "exportPersonOfWebsite"];

beforeEach(begin);

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

  it("changes nothing with a cookie for a request of another site", () =>
    expectUnchanged("operator", { "sec-fetch-site": "cross-site" }));

  it("answers an address that is typed, with the cookie", async () => {
    const browser = await signIn(world, "ada");
    expect(await codesOf(READS, { ...browser, "sec-fetch-site": "none" })).toEqual(all(READS, () => 0));
  });

  it("needs nothing but the token with a bearer token", async () => {
    const token = await newToken(world, "ada");
    expect(await codesOf(OF_OPERATORS, { authorization: `Bearer ${token}` })).toEqual(all(OF_OPERATORS, () => 0));
  });
});

it("one more call that a viewer may post, or that shows people, is a decision, to be taken here", () => {
  const idsOf = (some: Call[]) => some.map(({ id }) => id).sort();
  expect(idsOf(OF_OPERATORS.filter(({ isRead }) => isRead))).toEqual(READ_BY_POST.sort());
  expect(idsOf(OF_OPERATORS.filter(({ reveals }) => reveals))).toEqual(REVEAL.sort());
});
