/** What a rule calls a character is one, whatever it takes to store it: a surrogate pair counts once in each field. */
import { expect, it } from "vitest";
import type * as z from "zod";
import { clientSettingsSchema } from "../../src/domain/clients/client.ts";
import { websiteFields } from "../../src/domain/clients/website.ts";
import { holdSchema } from "../../src/domain/messages/hold.ts";
import { sendRequestSchema } from "../../src/domain/messages/send-request.ts";
import { subscribeSchema } from "../../src/domain/people/subscribe-request.ts";

const URL_START = "https://a.example/";

const FIELDS: [field: string, most: number, start: string, schema: z.ZodType][] = [
  ["text", 1600, "", sendRequestSchema],
  ["mediaUrl", 2048, URL_START, sendRequestSchema],
  ["clickUrl", 2048, URL_START, sendRequestSchema],
  ["evidence", 1000, "", subscribeSchema],
  ["name", 200, "", clientSettingsSchema(false)],
  ["callbackUrl", 2048, URL_START, clientSettingsSchema(false)],
  ["name", 200, "", websiteFields],
  ["helpText", 1600, "", websiteFields],
  ["reason", 200, "", holdSchema],
];

it.each(FIELDS)("%s has at most %i", (field, most, start, schema) => {
  const value = start + "😀".repeat(most - start.length);
  const faultsOf = (given: string) =>
    (schema.safeParse({ [field]: given }).error?.issues ?? []).filter(({ path }) => path[0] === field);
  expect(faultsOf(value)).toEqual([]);
  expect(JSON.stringify(faultsOf(`${value}😀`))).toContain(`must have at most ${most} characters`);
});
