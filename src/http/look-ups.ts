// Who looked up whom: each look-up of a person is in the audit log before it is answered, and a viewer has so many a minute. Whoever may ask
// for any number finds the one behind a masked one.
import type { Deps } from "../deps.ts";
import { RequestFailure } from "../domain/failure.ts";
import { maskAddress, maskNumbers } from "../domain/operations/mask.ts";
import { LOOK_UPS } from "../domain/operations/operator-token.ts";
import { storeAudit, storeLookUp } from "../store/operations/audit.ts";
import { type ApiRequest, authorOf, type Guard } from "./api-request.ts";
import { type Call, looksUpPeople } from "./call.ts";

/** Records the look-ups of a call whose path or query names a person. */
export function recordLookUps(call: Call): Guard[] {
  if (!looksUpPeople(call)) return [];
  return [
    async (request, deps) => {
      const { params, query } = request;
      const person = params.phone ?? query.phone ?? query.email;
      if (person) await recordLookUp(request, deps, String(person));
    },
  ];
}

/**
 * @param person a number or an address, as it was given
 * @throws RequestFailure look-ups-exceeded, or store-unavailable: without its entry, nothing is answered
 */
export async function recordLookUp(request: ApiRequest, deps: Deps, person: string): Promise<void> {
  const { websiteId: website = request.query.website } = request.params;
  const entry = { subject: maskPerson(person), ...(website && { after: { website } }) };
  const now = deps.now();
  if (request.role === "operator") return storeAudit(deps.db, authorOf(request), { action: "look-up", ...entry }, now);
  const since = await storeLookUp(deps.db, authorOf(request), entry, LOOK_UPS, now);
  if (since === undefined) return;
  const retryAfterSeconds = Math.max(1, Math.ceil((since + LOOK_UPS.milliseconds - now) / 1000));
  throw new RequestFailure({ kind: "look-ups-exceeded", most: LOOK_UPS.most, retryAfterSeconds });
}

/** For the audit log. Anything else than a number or an address may be a name: it is not kept. */
export function maskPerson(given: string): string {
  const person = decoded(given);
  if (person.includes("@")) return maskAddress(person);
  const masked = maskNumbers(person);
  return masked === person ? "" : masked;
}

/** A parameter of the path comes as it was written. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
