// In which database a call is answered.
import type { Deps } from "../deps.ts";
import { homeOf } from "../domain/databases/home.ts";
import { inDatabase, inDatabaseOf, inDatabaseOfHome } from "../flows/databases/places.ts";
import { type ApiRequest, clientOf, type Handler, toStoredId } from "./api-request.ts";
import type { Call } from "./call.ts";

/** What answers the call, with the database that its declaration names. */
export function inItsDatabase({ database, run }: Call): Handler {
  return database === undefined ? run : DATABASES[database](run);
}

const DATABASES: Record<NonNullable<Call["database"]>, (run: Handler) => Handler> = {
  client: ofClient,
  named: ofNamed,
};

/** That of the client's website, which its credentials name. */
export function ofClient<T>(run: (request: ApiRequest, deps: Deps) => T) {
  return (request: ApiRequest, deps: Deps): T => run(request, inDatabase(deps, clientOf(request).database));
}

/** That of the website that the path names; or the client, or the message. */
function ofNamed(run: Handler): Handler {
  return async (request, deps) => {
    const { websiteId, clientId, messageId } = request.params;
    if (messageId !== undefined) return run(request, await inDatabaseOfHome(deps, homeOf(toStoredId(messageId))));
    const of = websiteId === undefined ? { clientId: toStoredId(clientId ?? "") } : { websiteId };
    return run(request, await inDatabaseOf(deps, of));
  };
}
