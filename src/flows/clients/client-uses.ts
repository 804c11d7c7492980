// What an operator and the client itself read of its requests. It is stored after the answer, and no answer depends on it.
import type { Deps } from "../../deps.ts";
import type { Credentials } from "../../domain/clients/client.ts";
import {
  type ClientRefusal,
  REFUSED_AGAIN_MILLISECONDS,
  USED_AGAIN_MILLISECONDS,
} from "../../domain/clients/client-uses.ts";
import { REFUSED_ONCE_MILLISECONDS, type RefusedRequest, toKept } from "../../domain/clients/refused-request.ts";
import { storeRefusal, storeUse } from "../../store/clients/client-uses.ts";
import { toRefusals } from "../../store/clients/refusal-counts.ts";
import { storeRefusedRequest } from "../../store/clients/refused-requests.ts";
import { addCountsOnce } from "../../store/operations/counts.ts";
import { inDatabase } from "../databases/places.ts";
import { unlessItFails } from "../unless-it-fails.ts";
import { countMiss } from "./count-miss.ts";

/** @param secretHash of the secret that the request had */
export function noteUse(deps: Deps, { clientId, database }: Credentials, secretHash: string): void {
  const now = deps.now();
  if (!deps.storedUses.isDue(`${clientId} ${secretHash}`, USED_AGAIN_MILLISECONDS, now)) return;
  storeAfterwards(deps, database, (db) => storeUse(db, clientId, secretHash, now));
}

export function noteRefusal(deps: Deps, { clientId, database }: Credentials, cause: ClientRefusal): void {
  const now = deps.now();
  if (!deps.storedUses.isDue(`${clientId} ${cause}`, REFUSED_AGAIN_MILLISECONDS, now)) return;
  storeAfterwards(deps, database, (db) => storeRefusal(db, clientId, cause, now));
}

/** For the client's own eyes: GET /text/requests. It is counted in any case, for the operator. */
export function noteRefusedRequest(deps: Deps, client: Credentials, refused: RefusedRequest): void {
  const { clientId, websiteId, database } = client;
  const { refusedAt, path, code } = refused;
  deps.refusals.add(client, code, refusedAt);
  if (!deps.storedUses.isDue(`${clientId} ${path} ${code}`, REFUSED_ONCE_MILLISECONDS, refusedAt)) return;
  const counts = deps.refusals.take(websiteId);
  storeAfterwards(deps, database, (db) => storeRefusedRequest(db, client, toKept(refused), counts));
}

/** Stores what was refused within ten seconds of a refusal that is stored, once they have passed: with whichever request comes then. */
export function storeCountedRefusals(deps: Deps): void {
  for (const { websiteId, database } of deps.refusals.due(deps.now())) {
    const counts = deps.refusals.take(websiteId);
    storeAfterwards(deps, database, (db) => addCountsOnce(db, toRefusals(websiteId, counts)));
  }
}

/** The secret does not have the form of one, so the client was not looked up. Like a wrong secret, this counts as a guess. */
export function noteMalformed(deps: Deps, clientId: string, address: string): void {
  const { clients } = deps.guesses;
  if (clients.judge(clientId, address, deps.now()) !== undefined) return;
  countMiss(deps, clients, clientId, address);
  afterwards(deps, async () => {
    const client = await deps.credentials.read(clientId);
    if (client) noteRefusal(deps, client, "secret-malformed");
  });
}

function storeAfterwards(deps: Deps, database: string, store: (db: D1Database) => Promise<void>): void {
  afterwards(deps, () => store(inDatabase(deps, database).db));
}

function afterwards(deps: Deps, work: () => Promise<void>): void {
  deps.waitUntil(unlessItFails(deps, "client.use-not-stored", {}, work));
}
