// In which database a call is answered.
import { homeOf } from "../domain/databases/home.ts";
import { inDatabaseOf, inDatabaseOfHome, whereToLook } from "../flows/databases/places.ts";
import { clientOf, type Handler, toStoredId } from "./api-request.ts";

/** With the name of the handler, by which the OpenAPI document knows it. */
function named(handler: Handler, own: Handler): Handler {
  return Object.defineProperty(own, "name", { value: handler.name });
}

/** That of the client's website. @throws RequestFailure website-paused */
export const ofClient = (handler: Handler) =>
  named(handler, async (request, deps) => {
    const { database, home } = clientOf(request);
    return handler(request, await inDatabaseOfHome(deps, home, database));
  });

/** A read replica of it, if READ_REPLICAS is on: for answers that decide nothing of ours. */
export const ofClientInReplica = (handler: Handler) =>
  ofClient(
    named(handler, (request, deps) => {
      if (!deps.config.readsReplicas) return handler(request, deps);
      // A session has prepare and batch, and no store uses more.
      return handler(request, { ...deps, db: deps.db.withSession("first-unconstrained") as unknown as D1Database });
    }),
  );

/**
 * That of the website that the path names; or the client, or the message.
 * @throws RequestFailure website-paused, unless the call only reads
 */
export const ofNamed = (handler: Handler) =>
  named(handler, async (request, deps) => {
    const { websiteId, clientId, messageId } = request.params;
    if (messageId !== undefined) return handler(request, await whereToLook(deps, homeOf(toStoredId(messageId))));
    const of = websiteId === undefined ? { clientId: clientId ?? "" } : { websiteId };
    return handler(request, await inDatabaseOf(deps, of, request.method === "GET"));
  });
