import { ERROR_CODES } from "../http/error-codes.ts";

export const TAGS = [
  ["Messages", "Send messages and read their status."],
  ["Subscriptions", "Who may be texted."],
  ["Links", "The links in texts."],
  ["Websites", "For the operator: tenants."],
  ["Clients", "For the operator: credentials that act for a website."],
  ["People", "For the operator: subscribers, their texts, and single messages."],
  ["Service state", "For the operator: backlogs, problems and dead jobs."],
  ["Carriers", "Called by carriers."],
  ["Health", "The liveness check."],
  ["Reference", "This document."],
] as const;

export const SECURITY_SCHEMES = {
  ClientId: { type: "apiKey", in: "header", name: "X-Client-ID", description: "32 lower-case hex characters." },
  ClientSecret: {
    type: "apiKey",
    in: "header",
    name: "X-Client-Secret",
    description: "64 lower-case hex characters; goes with X-Client-ID.",
  },
  Operator: { type: "http", scheme: "bearer", description: "OPERATOR_TOKEN." },
};

/** Markdown. */
export function description(): string {
  const rows = Object.values(ERROR_CODES).map(
    ({ code, meaning, advice = "" }) => `| ${code} | ${meaning} | ${advice} |`,
  );
  return `${ABOUT}\n\n| Code | Means | What to do |\n|---|---|---|\n${rows.join("\n")}\n`;
}

const ABOUT = `A text messaging service: client platforms send texts through it and ask which numbers are subscribed.

Every answer has an \`X-Request-Id\`. Requests of a client are counted: 300 in any span of one second per website, whatever
endpoint and outcome. Unknown fields are ignored; \`null\` and \`""\` count as absent for every field that is not required.

## Message statuses

\`PENDING_TO_SEND\`, then \`SENDING\` (the carrier has it), then \`DELIVERED\` or \`FAILED_TO_DELIVERY\` (undelivered, or no receipt
in time). \`FAILED_TO_SEND\`: the carrier refused it, or could not take it in time. \`NOT_SUBSCRIBED\`: opted out. At once:
\`NOT_FOUND\` (a number never seen) and \`FAILED_TO_MATCH\` (no subscribed number for the e-mail address). A final status never
changes.

## Errors

The HTTP status is the code divided by 100, and codes never change meaning. The checks run in the order of this table: a
wrong path is 404 to anyone, and a bad body is 429 when the website is over its limit.`;
