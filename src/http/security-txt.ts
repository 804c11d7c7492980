import * as z from "zod";
import { DAY_MILLISECONDS, dayNumber } from "../domain/day.ts";
import { RequestFailure } from "../domain/failure.ts";
import { call, type Resource } from "./call.ts";

/** RFC 9116, 2.5.5, recommends less than a year. While the service answers, its setting holds, so each answer counts from today. */
export const VALID_DAYS = 90;

const read = call({
  id: "securityTxt",
  method: "GET",
  path: "/.well-known/security.txt",
  tag: "Reference",
  summary: "Find the contact for vulnerabilities",
  description:
    "The contact for reports of vulnerabilities, and when it expires (RFC 9116). The path exists only if the operator has set `SECURITY_CONTACT`.",
  access: "open",
  answers: [
    {
      status: 200,
      description: "Where to report, and until when the contact is valid.",
      mediaType: "text/plain",
      schema: z.string(),
      example: "Contact: mailto:security@example.com\nExpires: 2027-02-19T00:00:00.000Z\n",
    },
  ],
  errors: ["path-unknown"],
  run: (_request, { config, now }) => {
    if (config.securityContact === undefined) throw new RequestFailure({ kind: "path-unknown" });
    const lastDay = dayNumber(now()) + VALID_DAYS;
    const expires = new Date(lastDay * DAY_MILLISECONDS).toISOString();
    const text = `Contact: ${config.securityContact}\nExpires: ${expires}\n`;
    return new Response(text, { headers: { "content-type": "text/plain; charset=utf-8" } });
  },
});

export const securityTxt: Resource = { calls: [read], schemas: {} };
