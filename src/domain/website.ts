// Pure. A website (a tenant) and what an operator may set of it.
import * as z from "zod";

export const WEBSITE_ID = /^[a-z0-9-]{1,40}$/;

function orNull<T extends z.ZodType>(schema: T) {
  return z
    .union([schema, z.literal(""), z.null()])
    .optional()
    .transform((value) => (value === "" || value === undefined ? null : value) as z.output<T> | null);
}

/** @param carriers the names of the carriers that are set up */
export function websiteSettingsSchema(carriers: string[], defaultCarrier: string) {
  return z.object(
    {
      name: z
        .string({ error: "is required, and must be a string" })
        .trim()
        .min(1, { error: "is required" })
        .max(200, { error: "must have at most 200 characters" }),
      carrier: orNull(
        z.enum(carriers as [string, ...string[]], { error: `must be one of: ${carriers.join(", ")}` }),
      ).transform((carrier) => carrier ?? defaultCarrier),
      sender: orNull(
        z.string({ error: "must be a string" }).trim().max(100, { error: "must have at most 100 characters" }),
      ),
      helpText: orNull(
        z.string({ error: "must be a string" }).max(1600, { error: "must have at most 1600 characters" }),
      ),
      duplicateWindowHours: orNull(
        z
          .number({ error: "must be a number of hours" })
          .int({ error: "must be a whole number of hours" })
          .min(1, { error: "must be at least 1" })
          .max(168, { error: "must be at most 168" }),
      ),
    },
    { error: "must be a JSON object" },
  );
}

export interface WebsiteSettings {
  name: string;
  carrier: string;
  /** A number, a short code, or what else the carrier sends from. */
  sender: string | null;
  helpText: string | null;
  /** How long the same number, text and purpose is one message; null: never. */
  duplicateWindowHours: number | null;
}

export interface Website extends WebsiteSettings {
  websiteId: string;
  createdAt: number;
  updatedAt: number;
}
