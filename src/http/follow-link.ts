import { isbot } from "isbot";
import { LINK_CODE } from "../domain/link.ts";
import { queueCallbacks } from "../flows/queue-jobs.ts";
import { describeError } from "../platform/describe-error.ts";
import { findLink, recordClick } from "../platform/store/links.ts";
import type { ApiRequest, Handler } from "./api-request.ts";

/** What browsers and messengers send when nobody has clicked yet. */
const PREFETCH_HEADERS = ["purpose", "sec-purpose", "x-purpose", "x-moz"];

/** GET and HEAD /l/:code : one look-up, and the click is counted after the answer. */
export const followLinkHandler: Handler = async (request, deps) => {
  const code = request.params.code ?? "";
  const link = LINK_CODE.test(code) ? await findLink(deps.db, code) : undefined;
  if (!link) return noSuchLink();
  const click = {
    messageId: link.messageId,
    clickId: deps.newId(),
    clickedAt: deps.now(),
    isPerson: isPerson(request),
  };
  const count = async () => queueCallbacks(deps, await recordClick(deps.db, click));
  request.logged = { messageId: link.messageId, isPerson: click.isPerson };
  deps.waitUntil(
    count().catch((error: unknown) =>
      deps.log("error", "click.not-counted", { messageId: link.messageId, error: describeError(error) }),
    ),
  );
  return new Response(null, {
    status: 302,
    headers: { location: toHeader(link.url), "referrer-policy": "no-referrer" },
  });
};

/** The very URL; where it has more than ASCII, which a header cannot carry, with that encoded. */
function toHeader(url: string): string {
  return /^[\x21-\x7e]+$/.test(url) ? url : new URL(url).href;
}

function isPerson(request: ApiRequest): boolean {
  const agent = request.headers.get("user-agent") ?? "";
  if (request.method === "HEAD" || agent === "" || isbot(agent)) return false;
  return !PREFETCH_HEADERS.some((name) => /prefetch|preview|prerender/i.test(request.headers.get(name) ?? ""));
}

function noSuchLink(): Response {
  const page = `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>Link not found</title><body style="font-family:system-ui;margin:15vh auto;max-width:24rem;padding:0 1rem">
<h1>Link not found</h1><p>This link does not exist, or is no longer kept.</p></body></html>`;
  return new Response(page, { status: 404, headers: { "content-type": "text/html; charset=utf-8" } });
}
