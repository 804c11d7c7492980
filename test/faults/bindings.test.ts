import { CALLBACKS } from "./flows-callbacks.ts";
import { CLIENTS } from "./flows-clients.ts";
import { DELIVERIES, RECEIPTS } from "./flows-deliver.ts";
import { INBOUND } from "./flows-inbound.ts";
import { CLICKS_AND_QUESTIONS, SUBSCRIPTIONS } from "./flows-people.ts";
import { BULK_SENDS, SINGLE_SENDS } from "./flows-send.ts";
import { describeEveryFault } from "./suite.ts";

describeEveryFault({
  "a send request": SINGLE_SENDS,
  "a bulk request": BULK_SENDS,
  "a delivery": DELIVERIES,
  "a carrier's report": [...RECEIPTS, ...INBOUND],
  "a post of callbacks": CALLBACKS,
  "a change of subscriptions": SUBSCRIPTIONS,
  "a click or a question": CLICKS_AND_QUESTIONS,
  "a change of clients": CLIENTS,
});
