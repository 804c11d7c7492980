import { REQUESTS_PER_SECOND } from "../domain/clients/sliding-window.ts";
import { errorSections, reasonTable, statusTable } from "./tables.ts";

export const TAGS = [
  ["Messages", "Send messages and read their status."],
  ["Subscriptions", "Who may be texted."],
  ["Links", "The links in texts."],
  ["Websites", "For the operator: tenants."],
  ["Clients", "For the operator: credentials that act for a website."],
  ["Accounts", "For the operator: accounts at carriers, beside those of the environment's settings."],
  ["People", "For the operator: subscribers, their texts, and single messages."],
  ["Service state", "For the operator: backlogs, problems and dead jobs."],
  ["Operators", "For the operator: tokens, sessions of the console, and who changed what."],
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
  Operator: {
    type: "http",
    scheme: "bearer",
    description:
      "OPERATOR_TOKEN, or a token of POST /operator/tokens. The console has the cookie of POST /console/session in its place.",
  },
};

/** Markdown. */
export function description(): string {
  return `A text messaging service: client platforms send texts through it and read which numbers are subscribed.

Every response has an \`X-Request-Id\`. Each request of a client counts against the limit of its website: ${REQUESTS_PER_SECOND} in any one-second window, counted across all its clients and calls. Requests that get 401 or 403 do not count. Unknown fields are ignored, and named in \`ignoredFields\` and the header \`Ignored-Fields\` of the response. \`null\` and \`""\` count as absent for every optional field. HEAD is answered as GET, without the body, except at \`/carriers/…\`.

## Message statuses

A final status never changes.

${statusTable()}

## Reasons

\`reason\` explains the status of a message. It is null if the status needs no explanation. The meaning of a code never changes. If you receive a code that you do not know, treat it as null.

${reasonTable()}

## Errors

The HTTP status is the code divided by 100. The meaning of a code never changes. Checks run in the order of the codes here, and a 5xx can come at any of them. For example, a wrong path gets 404 without credentials, and an invalid body gets 429 while the website is over its limit. If a code says nothing about sending again, nothing was stored, and you can send the request again once it is correct.

${errorSections("clients")}

## Errors of operators and carriers

${errorSections("others")}
`;
}
