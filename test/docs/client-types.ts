// Types alone: the shapes of the client that is installed (client/types.ts) are held to the schemas of the calls.
import type * as z from "zod";
import type * as Client from "../../client/types.ts";
import type { callbackSchemas, testEventSchema } from "../../src/domain/callbacks/callback.ts";
import type { bulkSendAnswerSchema } from "../../src/domain/messages/bulk-request.ts";
import type { Reason } from "../../src/domain/messages/reason.ts";
import type { sendAnswerSchema, sendRequestSchema } from "../../src/domain/messages/send-request.ts";
import type { phoneListSchema, subscriptionStatusAnswerSchema } from "../../src/domain/people/phone-list.ts";
import type { subscribeSchema } from "../../src/domain/people/subscribe-request.ts";
import type { cancelAnswerSchema } from "../../src/http/cancel-messages.ts";
import type { eventsAnswerSchema } from "../../src/http/events.ts";
import type { messageStatusAnswerSchema } from "../../src/http/message-status.ts";
import type { messageStatusesAnswerSchema } from "../../src/http/message-statuses.ts";
import type { requestsAnswerSchema } from "../../src/http/requests.ts";
import type { subscribeAnswerSchema, unsubscribeAnswerSchema } from "../../src/http/subscribe.ts";
import type { ownTestEventAnswerSchema } from "../../src/http/test-event.ts";

/** Zod says `undefined` of a field that may be left out. */
type Loose<T> = T extends object
  ? { [Name in keyof T]: Loose<T[Name]> | (undefined extends T[Name] ? undefined : never) }
  : T;

/** Whether each has what the other has. */
type Same<A, B> = [A] extends [Loose<B>] ? ([B] extends [Loose<A>] ? true : false) : false;

/** Does not compile where one of them is false. */
type Hold<T extends true[]> = T;

/** `phone`: it is required. `email?`: it may be left out. */
type Fields<T> = { [Name in keyof T & string]: undefined extends T[Name] ? `${Name}?` : Name }[keyof T & string];

export type Answers = Hold<
  [
    Same<z.output<typeof sendAnswerSchema>, Client.SendAnswer>,
    Same<z.output<typeof bulkSendAnswerSchema>, Client.BulkSendAnswer>,
    Same<z.output<typeof cancelAnswerSchema>, Client.CancelAnswer>,
    Same<z.output<typeof messageStatusAnswerSchema>, Client.Message>,
    Same<z.output<typeof messageStatusesAnswerSchema>, Client.MessageStatuses>,
    Same<z.output<typeof subscriptionStatusAnswerSchema>, Client.SubscriptionStatuses>,
    Same<z.output<typeof subscribeAnswerSchema>, Client.SubscribeAnswer>,
    Same<z.output<typeof unsubscribeAnswerSchema>, Client.UnsubscribeAnswer>,
    Same<z.output<typeof eventsAnswerSchema>, Client.EventPage>,
    Same<z.output<typeof requestsAnswerSchema>, Client.Requests>,
  ]
>;

export type Events = Hold<
  [
    Same<z.output<typeof callbackSchemas.status>, Client.StatusEvent>,
    Same<z.output<typeof callbackSchemas.click>, Client.ClickEvent>,
    Same<z.output<typeof callbackSchemas.received>, Client.ReceivedEvent>,
    Same<z.output<typeof callbackSchemas.changed>, Client.SubscriptionEvent>,
    Same<z.output<typeof callbackSchemas.unreachable>, Client.NumberEvent>,
    Same<z.output<typeof testEventSchema>, Client.TestEvent>,
    Same<z.output<typeof ownTestEventAnswerSchema>, Client.TestEventAnswer>,
    Same<Reason, Client.Reason>,
  ]
>;

export type Requests = Hold<
  [
    Same<Fields<z.input<typeof sendRequestSchema>>, Fields<Client.SendRequest>>,
    Same<Fields<z.input<typeof phoneListSchema>>, Fields<Client.PhoneList>>,
    Same<Fields<z.input<typeof subscribeSchema>>, Fields<Client.SubscribeRequest>>,
  ]
>;
