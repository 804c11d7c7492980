import * as z from "zod";
import type { Deps } from "../deps.ts";
import { endsUrl, hasCheck, homeOfCode, LINK_CODE } from "../domain/messages/link.ts";
import { countMiss } from "../flows/clients/count-miss.ts";
import { inDatabaseOfHome } from "../flows/databases/places.ts";
import { countClick } from "../flows/messages/count-click.ts";
import { describeError } from "../platform/describe-error.ts";
import { REFUSED_MILLISECONDS } from "../platform/guesses.ts";
import { findLink } from "../store/messages/links.ts";
import { type ApiRequest, addressOf, networkOf } from "./api-request.ts";
import { type Answer, type Call, call, inPath, type Resource } from "./call.ts";
import { isPerson } from "./is-person.ts";

const PAGE: Partial<Answer> = { mediaType: "text/html", schema: z.string() };

/** @param page what a link that cannot be followed is answered: HEAD has no body */
const answersWith = (page: Partial<Answer>): [Answer, ...Answer[]] => [
  {
    status: 302,
    description: "Redirects to the exact `clickUrl`, with non-ASCII characters percent-encoded.",
    headers: ["Location"],
  },
  { status: 404, description: "An unknown or purged link: a page for a person.", ...page },
  {
    status: 429,
    description: "Too many unknown links came from this address: a page for a person.",
    headers: ["Retry-After"],
    ...page,
  },
];

const COMMON: Pick<Call, "path" | "tag" | "description" | "access" | "parameters" | "errors"> = {
  path: "/l/:code",
  tag: "Links",
  description:
    "The link that replaces `clickUrl` in a text. A person's clicks are counted, and the first three on a message are posted as callbacks; robots, previews and prefetches are counted separately. Punctuation after the code is ignored, because phones take it for a part of the link.",
  // Open: the code cannot be guessed.
  access: "open",
  parameters: [inPath("code", "10 to 14 letters and digits.", "aB3dE5fG7h")],
  errors: ["store-unavailable"],
};

const follow = call({
  ...COMMON,
  id: "followLink",
  method: "GET",
  summary: "Follow a tracking link",
  answers: answersWith(PAGE),
  run: followLink,
});

const probe = call({
  ...COMMON,
  id: "probeLink",
  method: "HEAD",
  summary: "Follow a tracking link without being counted",
  answers: answersWith({}),
  run: async (request, deps) => new Response(null, await followLink(request, deps)),
});

export const links: Resource = { calls: [follow, probe], schemas: {} };

/** One look-up, and the click is counted after the answer. */
async function followLink(request: ApiRequest, deps: Deps): Promise<Response> {
  const code = readCode(request.params.code ?? "");
  if (!LINK_CODE.test(code)) return noSuchLink();
  const { links, uncheckedLinks } = deps.guesses;
  // Without the check it is most likely a guess, and who floods the service may have a whole network of addresses.
  const isChecked = hasCheck(code, deps.signLink);
  const [guesses, caller] = isChecked ? [links, addressOf(request)] : [uncheckedLinks, networkOf(request)];
  const judged = guesses.judge(code, caller, deps.now());
  if (judged === "missing") return noSuchLink();
  if (judged === "refused") return tooManyGuesses();
  const own = await inDatabaseOfHome(deps, homeOfCode(code));
  const link = await findLink(own.db, code);
  if (!link) {
    countMiss(deps, guesses, code, caller);
    return noSuchLink();
  }
  const click = {
    messageId: link.messageId,
    clickId: deps.newId(),
    clickedAt: deps.now(),
    isPerson: isPerson(request),
  };
  request.logged = { messageId: link.messageId, isPerson: click.isPerson };
  deps.waitUntil(
    countClick(own, click).catch((error: unknown) =>
      deps.log("error", "click.not-counted", { messageId: link.messageId, error: describeError(error) }),
    ),
  );
  return new Response(null, {
    status: 302,
    headers: { location: toHeader(link.url), "referrer-policy": "no-referrer" },
  });
}

/**
 * The code, without punctuation that followed the link in the text. Phones take a full stop, a bracket or a quotation mark for a part of the
 * link. Characters that could continue the URL are not removed.
 */
function readCode(given: string): string {
  const [code] = /^[A-Za-z0-9]*/.exec(given) ?? [""];
  return endsUrl(decode(given.slice(code.length))) ? code : given;
}

/** What is not percent-encoded as it should be stays as it is. */
function decode(encoded: string): string {
  try {
    return decodeURIComponent(encoded);
  } catch {
    return encoded;
  }
}

/** The very URL; where it has more than ASCII, which a header cannot carry, with that encoded. */
function toHeader(url: string): string {
  return /^[\x21-\x7e]+$/.test(url) ? url : new URL(url).href;
}

function noSuchLink(): Response {
  return page(404, "Link not found", "This link does not exist, or is no longer kept.");
}

/** Somebody with this address tries codes: a person whose link was not looked up for that comes again. */
function tooManyGuesses(): Response {
  return page(429, "One moment", "This link cannot be opened right now. Open it again in a moment.", {
    "retry-after": String(REFUSED_MILLISECONDS / 1000),
  });
}

function page(status: number, title: string, text: string, headers: Record<string, string> = {}): Response {
  const html = `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark">
<title>${title}</title><body style="font-family:system-ui;margin:15vh auto;max-width:24rem;padding:0 1rem">
<h1>${title}</h1><p>${text}</p></body></html>`;
  return new Response(html, { status, headers: { "content-type": "text/html; charset=utf-8", ...headers } });
}
