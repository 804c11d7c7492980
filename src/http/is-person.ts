import { isbot } from "isbot";
import type { ApiRequest } from "./api-request.ts";

/**
 * What the network libraries of iOS, Android and Flutter send for an app that names no agent of its own: the app looks at the link, and
 * shows no page. Browsers send none of them, and isbot does not have them.
 */
const NETWORK_LIBRARY = /\bCFNetwork\/|\bAlamofire\/|^(?:AppleCoreMedia|Dalvik|Dart|stagefright)\//;

/** What browsers and messengers send when nobody has clicked yet. */
const PREFETCH_HEADERS = ["purpose", "sec-purpose", "x-purpose", "x-moz"];

/** Whether a person has opened a link, as far as the headers tell: previews and robots open links, too. */
export function isPerson(request: ApiRequest): boolean {
  const agent = request.headers.get("user-agent") ?? "";
  if (request.method === "HEAD" || agent === "" || isbot(agent) || NETWORK_LIBRARY.test(agent)) return false;
  return !PREFETCH_HEADERS.some((name) => /prefetch|preview|prerender/i.test(request.headers.get(name) ?? ""));
}
