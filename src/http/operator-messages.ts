import { RequestFailure } from "../domain/failure.ts";
import { readEvents } from "../platform/store/events.ts";
import { readClicks } from "../platform/store/links.ts";
import { readMessage } from "../platform/store/messages.ts";
import type { Handler } from "./api-request.ts";
import { callbackView, clicksView, eventView, messageView } from "./operator-views.ts";

/** GET /operator/messages/:messageId */
export const getMessageHandler: Handler = async (request, deps) => {
  const messageId = request.params.messageId ?? "";
  const [message, events, clicks] = await Promise.all([
    readMessage(deps.db, messageId),
    readEvents(deps.db, messageId),
    readClicks(deps.db, messageId),
  ]);
  if (!message) throw new RequestFailure({ kind: "resource-unknown", what: "message" });
  return Response.json({
    ...messageView(message),
    clicks: clicksView(clicks),
    events: events.map(eventView),
    callbacks: events.flatMap(callbackView),
  });
};
