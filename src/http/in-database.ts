// In which database a call is answered.
import { homeOf } from "../domain/home.ts";
import { inDatabase, inDatabaseOf, inDatabaseOfHome } from "../flows/places.ts";
import { clientOf, type Handler, toStoredId } from "./api-request.ts";

/** With the name of the handler, by which the OpenAPI document knows it. */
function named(handler: Handler, own: Handler): Handler {
  return Object.defineProperty(own, "name", { value: handler.name });
}

/** That of the client's website. */
export const ofClient = (handler: Handler) =>
  named(handler, (request, deps) => {
    const { database, home } = clientOf(request);
    return handler(request, inDatabase(deps, database, [home]));
  });

/** That of the website that the path names; or the client, or the message. */
export const ofNamed = (handler: Handler) =>
  named(handler, async (request, deps) => {
    const { websiteId, clientId, messageId } = request.params;
    if (messageId !== undefined) return handler(request, await inDatabaseOfHome(deps, homeOf(toStoredId(messageId))));
    const of = websiteId === undefined ? { clientId: clientId ?? "" } : { websiteId };
    return handler(request, await inDatabaseOf(deps, of));
  });
