import { DAY_MILLISECONDS } from "../domain/day.ts";
import { RequestFailure } from "../domain/failure.ts";
import type { Handler } from "./api-request.ts";

/** RFC 9116, 2.5.5, recommends less than a year. While the service answers, its setting holds, so each answer counts from today. */
export const VALID_DAYS = 90;

/** GET /.well-known/security.txt : RFC 9116. */
export const securityTxtHandler: Handler = (_request, { config, now }) => {
  if (config.securityContact === undefined) throw new RequestFailure({ kind: "path-unknown" });
  const lastDay = Math.floor(now() / DAY_MILLISECONDS) + VALID_DAYS;
  const expires = new Date(lastDay * DAY_MILLISECONDS).toISOString();
  const text = `Contact: ${config.securityContact}\nExpires: ${expires}\n`;
  return new Response(text, { headers: { "content-type": "text/plain; charset=utf-8" } });
};
