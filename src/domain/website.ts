// Pure. A website (a tenant) and what an operator may set of it.
import * as z from "zod";
import type { FieldError } from "./failure.ts";

export const WEBSITE_ID = /^[a-z0-9-]{1,40}$/;

function orNull<T extends z.ZodType>(schema: T) {
  return z
    .union([schema, z.literal(""), z.null()])
    .optional()
    .transform((value) => (value === "" || value === undefined ? null : value) as z.output<T> | null);
}

const text = (most: number) =>
  z.string({ error: "must be a string" }).max(most, { error: `must have at most ${most} characters` });

/**
 * @param carrierFaults what is wrong with a carrier and a sender: told together with the other fields
 * @param defaultCarrier of a website that names none
 */
export function websiteSettingsSchema(
  carrierFaults: (carrier: string, sender: string | null) => FieldError[],
  defaultCarrier: string,
) {
  return z
    .object(
      {
        name: z
          .string({ error: "is required, and must be a string" })
          .trim()
          .min(1, { error: "is required" })
          .max(200, { error: "must have at most 200 characters" }),
        carrier: orNull(text(40))
          .transform((carrier) => carrier ?? defaultCarrier)
          .meta({ description: `One that is set up; \`${defaultCarrier}\` when left out.` }),
        sender: orNull(text(100)).meta({ description: "A number, a short code, or what else the carrier sends from." }),
        helpText: orNull(text(1600)).meta({ description: "What HELP and INFO are answered." }),
        duplicateWindowHours: orNull(
          z
            .number({ error: "must be a number of hours" })
            .int({ error: "must be a whole number of hours" })
            .min(1, { error: "must be at least 1" })
            .max(168, { error: "must be at most 168" }),
        ).meta({ description: "How long the same number, text and sendPurpose is one message; never when left out." }),
      },
      { error: "must be a JSON object" },
    )
    .superRefine(
      ({ carrier, sender }: { carrier?: unknown; sender?: unknown }, context) => {
        if (typeof carrier !== "string") return;
        const isSender = typeof sender === "string" || sender === null;
        for (const { field, message } of carrierFaults(carrier, isSender ? sender : null)) {
          if (field === "carrier" || isSender) context.addIssue({ code: "custom", path: [field], message });
        }
      },
      { when: ({ value }) => typeof value === "object" && value !== null },
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
