// Pure. The session of an operator in the console: its cookie, and how long it lasts.
import * as z from "zod";
import { ROLES } from "./operator-token.ts";

export const SESSION_SECONDS = 12 * 3600;

/** How often a session notes that it is used. */
export const USE_STEP_MILLISECONDS = 600_000;

/** The prefix makes browsers refuse it from a subdomain, without Secure, or for a part of the paths. */
const NAME = "__Host-session";

/** The value of the cookie in the header Cookie; undefined: there is none. */
export function readCookie(header: string | null): string | undefined {
  const cookies = (header ?? "").split(";").map((cookie) => cookie.trim());
  return cookies.find((cookie) => cookie.startsWith(`${NAME}=`))?.slice(NAME.length + 1);
}

/** The header Set-Cookie. @param seconds 0: the browser deletes the cookie */
export function writeCookie(secret: string, seconds: number): string {
  return `${NAME}=${secret}; Path=/; Max-Age=${seconds}; HttpOnly; Secure; SameSite=Strict`;
}

/** Why Cloudflare Access has signed nobody in. */
export const ACCESS_FAULTS = ["operator-unknown", "token-refused", "keys-unavailable"] as const;

/** What GET /console/session answers: the console takes its types from it. */
export const consoleSessionSchema = z.object({
  session: z
    .object({
      operator: z.string().describe("The name of the token."),
      role: z.enum(ROLES),
      expiresAt: z.iso.datetime(),
      isDemo: z.boolean().optional().describe("Its data was made by `npm start`. Left out otherwise."),
    })
    .nullable()
    .describe("null: nobody is signed in."),
  access: z
    .object({
      email: z.string().nullable().describe("Who has signed in to Access; null: not known."),
      fault: z
        .enum(ACCESS_FAULTS)
        .describe(
          "`operator-unknown`: no operator has this address as the name of a token. `token-refused`: the token of Access is not valid for this service. `keys-unavailable`: Access does not answer.",
        ),
    })
    .optional()
    .describe("Why Cloudflare Access has signed nobody in. Left out otherwise."),
});

export type ConsoleSessionAnswer = z.output<typeof consoleSessionSchema>;
