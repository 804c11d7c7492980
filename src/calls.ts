// Every call, in the order of the OpenAPI document and of the shell's help. The router, the document, the tables of docs/ and the
// operator's shell are made from this list.
import type * as z from "zod";
import type { Call, Resource } from "./http/call.ts";
import { cancelMessages } from "./http/cancel-messages.ts";
import { carrierWebhooks } from "./http/carrier-webhooks.ts";
import { consoleSession } from "./http/console-session.ts";
import { events } from "./http/events.ts";
import { links } from "./http/follow-link.ts";
import { health } from "./http/health.ts";
import { messageStatus } from "./http/message-status.ts";
import { messageStatuses } from "./http/message-statuses.ts";
import { requests } from "./http/requests.ts";
import { securityTxt } from "./http/security-txt.ts";
import { sendBulk } from "./http/send-bulk.ts";
import { sendMessage } from "./http/send-message.ts";
import { openapi } from "./http/serve-openapi.ts";
import { subscriptions } from "./http/subscribe.ts";
import { subscriptionStatus } from "./http/subscription-status.ts";
import { ownTestEvent } from "./http/test-event.ts";
import { welcome } from "./http/welcome.ts";
import { accounts } from "./operator/accounts.ts";
import { audit } from "./operator/audit.ts";
import { campaigns } from "./operator/campaigns.ts";
import { cancel } from "./operator/cancel.ts";
import { carriers } from "./operator/carriers.ts";
import { clientEvents } from "./operator/client-events.ts";
import { clients } from "./operator/clients.ts";
import { databases } from "./operator/databases.ts";
import { deadJobs } from "./operator/dead-jobs.ts";
import { decideInbound } from "./operator/decide-inbound.ts";
import { holds } from "./operator/holds.ts";
import { importList } from "./operator/import-list.ts";
import { inbound } from "./operator/inbound.ts";
import { inboundList } from "./operator/inbound-list.ts";
import { ledger } from "./operator/ledger.ts";
import { messages } from "./operator/messages.ts";
import { overview } from "./operator/overview.ts";
import { people } from "./operator/people.ts";
import { personIds } from "./operator/person-ids.ts";
import { reports } from "./operator/reports.ts";
import { senders } from "./operator/senders.ts";
import { serviceState } from "./operator/service-state.ts";
import { sessions } from "./operator/sessions.ts";
import { subscriberList } from "./operator/subscriber-list.ts";
import { subscribers } from "./operator/subscribers.ts";
import { testEvent } from "./operator/test-event.ts";
import { testText } from "./operator/test-text.ts";
import { tokens } from "./operator/tokens.ts";
import { waiting } from "./operator/waiting.ts";
import { websites } from "./operator/websites.ts";

const ofClients = [
  sendMessage,
  sendBulk,
  cancelMessages,
  messageStatus,
  messageStatuses,
  events,
  requests,
  ownTestEvent,
  subscriptions,
  subscriptionStatus,
];

const open = [links, welcome, openapi, securityTxt, health, consoleSession];

const ofOperator = [
  websites,
  senders,
  clients,
  testEvent,
  testText,
  clientEvents,
  holds,
  cancel,
  reports,
  campaigns,
  subscriberList,
  ledger,
  subscribers,
  importList,
  inboundList,
  inbound,
  personIds,
  decideInbound,
  people,
  messages,
  waiting,
  serviceState,
  overview,
  databases,
  accounts,
  carriers,
  deadJobs,
  tokens,
  sessions,
  audit,
];

const RESOURCES: Resource[] = [...ofClients, ...open, ...ofOperator, carrierWebhooks];

export const CALLS: Call[] = RESOURCES.flatMap(({ calls }) => calls);

/** The schemas that have a name in the document. */
export const SCHEMAS: Record<string, z.ZodType> = Object.assign(
  {},
  ...[...ofClients, ...ofOperator, ...open].map(({ schemas }) => schemas),
);
