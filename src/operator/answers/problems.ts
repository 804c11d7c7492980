// A problem of the service, and how the overview shows it: with the names of what it concerns, and how much.
import * as z from "zod";
import { PROBLEMS } from "../../domain/operations/problems.ts";

export const problemSchema = z.object({
  problem: z.enum(PROBLEMS),
  carrier: z.string().nullable(),
  sender: z.string().nullable().describe("The sender of the websites whose texts it concerns."),
  websiteId: z.string().nullable(),
  clientId: z.string().nullable(),
  host: z.string().nullable(),
  since: z.iso.datetime().nullable(),
  cause: z.string().nullable(),
  nextTryAt: z.iso.datetime().nullable(),
  database: z.string().nullable(),
});

export const nowProblemSchema = problemSchema.extend({
  websiteNames: z
    .array(z.string())
    .describe(
      "The name of the website that the problem concerns. For a carrier, the names of those `websites` whose texts wait for it. Empty: none is known.",
    ),
  clientName: z.string().nullable(),
  timeZone: z.string().nullable().describe("The time zone of the first of these websites."),
  affected: z
    .int()
    .nullable()
    .describe("The texts, callbacks or jobs that it holds up. null: not counted, or more than a look reads."),
});

export const pastProblemSchema = z.object({
  problem: z.string(),
  carrier: z.string().nullable(),
  websiteId: z.string().nullable(),
  websiteName: z.string().nullable(),
  clientId: z.string().nullable(),
  clientName: z.string().nullable(),
  host: z.string().nullable(),
  database: z.string().nullable(),
  cause: z.string().nullable().describe("In words, when it began."),
  began: z.iso.datetime(),
  ended: z.iso.datetime().nullable().describe("null: it lasts."),
});
