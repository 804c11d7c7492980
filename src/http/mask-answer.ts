// What is shown of people to whom: the one place through which each answer to an operator goes.
import type { Deps } from "../deps.ts";
import { RequestFailure } from "../domain/failure.ts";
import { maskAnswer, phonesIn } from "../domain/operations/mask-people.ts";
import { toPersonId } from "../platform/person-id.ts";
import { storeAudit } from "../store/operations/audit.ts";
import { type ApiRequest, authorOf, type Handler } from "./api-request.ts";
import type { Call } from "./call.ts";
import { maskPerson } from "./look-ups.ts";

/**
 * A session, and a viewer's token, get JSON with people masked. What is there to show them is shown to an operator, and audited. A bearer
 * token with the role operator gets everything as it is.
 */
export function maskFor(call: Call, run: Handler): Handler {
  if (call.access !== "operator") return run;
  return async (request, deps) => {
    const response = await run(request, deps);
    if (call.reveals) {
      if (response.ok) await auditReveal(request, deps);
      return response;
    }
    const isMasked = request.session !== undefined || request.role !== "operator";
    if (!isMasked || response.body === null) return response;
    if (response.headers.get("content-type")?.startsWith("application/json")) return masked(request, deps, response);
    if (request.role !== "operator" && call.namesNobody !== true) {
      await response.body.cancel();
      throw new RequestFailure({ kind: "viewer-denied" });
    }
    return response;
  };
}

async function masked({ role }: ApiRequest, { config }: Deps, response: Response): Promise<Response> {
  const answer = await response.json();
  const phones = [...phonesIn(answer)];
  const ids = await Promise.all(phones.map((phone) => toPersonId(phone, config.serviceKey ?? "")));
  const personIds = new Map(phones.map((phone, index) => [phone, ids[index] as string]));
  const { status, headers } = response;
  const shown = maskAnswer(answer, { hidesTexts: role !== "operator", personIds });
  return new Response(JSON.stringify(shown), { status, headers });
}

/** Before the answer: without its entry, nothing is shown. */
async function auditReveal(request: ApiRequest, deps: Deps): Promise<void> {
  const { phone, personId, websiteId } = request.params;
  const subject = maskPerson(phone ?? personId ?? "");
  const entry = { action: "reveal", subject, ...(websiteId && { websiteId }) } as const;
  await storeAudit(deps.db, authorOf(request), entry, deps.now());
}
