// In which database a call is answered.
import { homeOf } from "../domain/databases/home.ts";
import { inDatabaseOf, inDatabaseOfHome, whereToLook } from "../flows/databases/places.ts";
import { clientOf, type Handler, isRead, toStoredId } from "./api-request.ts";
import type { Call } from "./call.ts";

/** What answers the call, with the database that its declaration names. */
export function inItsDatabase({ database, run }: Call): Handler {
  return database === undefined ? run : DATABASES[database](run);
}

const DATABASES: Record<NonNullable<Call["database"]>, (run: Handler) => Handler> = {
  client: ofClient,
  replica: ofClientInReplica,
  named: ofNamed,
};

/** That of the client's website. @throws RequestFailure website-paused */
function ofClient(run: Handler): Handler {
  return async (request, deps) => {
    const { database, home } = clientOf(request);
    return run(request, await inDatabaseOfHome(deps, home, database));
  };
}

/** A read replica of it, if READ_REPLICAS is on: for answers that decide nothing of ours. */
function ofClientInReplica(run: Handler): Handler {
  return ofClient((request, deps) => {
    if (!deps.config.readsReplicas) return run(request, deps);
    // A session has prepare and batch, and no store uses more.
    return run(request, { ...deps, db: deps.db.withSession("first-unconstrained") as unknown as D1Database });
  });
}

/**
 * That of the website that the path names; or the client, or the message.
 * @throws RequestFailure website-paused, unless the call only reads
 */
function ofNamed(run: Handler): Handler {
  return async (request, deps) => {
    const { websiteId, clientId, messageId } = request.params;
    if (messageId !== undefined) return run(request, await whereToLook(deps, homeOf(toStoredId(messageId))));
    const of = websiteId === undefined ? { clientId: toStoredId(clientId ?? "") } : { websiteId };
    return run(request, await inDatabaseOf(deps, of, isRead(request.method)));
  };
}
