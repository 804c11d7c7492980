/** A bulk request that is repeated under its key answers what is stored, whatever has changed since it first came. */
import { beforeEach, expect, it } from "vitest";
import { ADA, accept, BRITON, begin, world } from "./repeated-bulk-stage.ts";

beforeEach(begin);

const BRITISH = [
  ["by number", { phone: BRITON }],
  ["by e-mail", { email: "ada@example.com" }],
] as const;

it.each(BRITISH)("a message %s that broke a rule at first is not said to be stored", async (_, recipient) => {
  await world.website("brand", { allowedCountries: ["US"] });
  const messages = [{ phone: ADA }, recipient];
  const first = await accept(messages);
  expect([first.successSent.length, first.failedSent.length]).toEqual([1, 1]);
  await world.website("brand", { allowedCountries: null });
  const again = await accept(messages);
  expect(again.successSent).toEqual(first.successSent);
  expect(again.failedSent).toEqual([
    { ...first.failedSent[0], errorMessage: expect.stringMatching(/not stored.*when this request first came/) },
  ]);
  expect(await world.rows("SELECT count(*) AS n FROM messages")).toEqual([{ n: 1 }]);
});

it.each(BRITISH)("a message %s that is stored is said to be, also if it breaks a rule now", async (_, recipient) => {
  const messages = [{ phone: ADA }, recipient];
  const first = await accept(messages);
  expect([first.successSent.length, first.failedSent.length]).toEqual([2, 0]);
  await world.website("brand", { allowedCountries: ["US"] });
  expect(await accept(messages)).toEqual(first);
});
