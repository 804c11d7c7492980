import type { ClientEvent, ClientEventPage } from "../../../console/answers.ts";
import { MARKUP, minutesAgo } from "./fixture-clock.ts";

const MESSAGE = "0197c2ab-71d4-4e0b-8a01-00000000b7aa";

const event = (minutes: number, fields: Partial<ClientEvent>): ClientEvent => ({
  ...{ eventId: `${MESSAGE}_${minutes}`, eventType: "message.status", occurredAt: minutesAgo(minutes) },
  ...{ messageId: MESSAGE, sendPurpose: "loyalty-nudge", status: "DELIVERED", reason: null },
  ...{ phone: "+1206•••••42", personId: "p-ada", callback: null },
  ...fields,
});

const callback = (httpStatus: number | null, response: string | null): ClientEvent["callback"] => ({
  ...{ attemptedAt: minutesAgo(1), outcome: httpStatus === null ? "timed-out" : "answered", httpStatus, response },
  durationMilliseconds: 207,
});

const ALL = [
  event(1, { callback: callback(204, "") }),
  event(2, { status: "SENDING", callback: callback(503, MARKUP) }),
  event(3, { callback: callback(null, "no answer in 10 seconds") }),
  event(4, {
    callback: { ...(callback(null, null) as object), attemptedAt: null, outcome: null } as ClientEvent["callback"],
  }),
  event(5, { eventType: "message.clicked" }),
  event(6, { eventType: "message.received", messageId: null, sendPurpose: null, status: null }),
];

export const ofClient = (query: URLSearchParams): ClientEventPage => ({
  events: ALL.filter(({ eventType }) => (query.get("type") ?? eventType) === eventType),
  next: "older",
  lookedBackTo: minutesAgo(6),
});
