// The answers of the calls, as the pages name them: types alone, made from the schemas of the calls. All times are ISO 8601 in UTC. For a
// session, the service masks each phone number (`+1206•••••42`) and e-mail address, and for a viewer the texts; `personId` stands for the
// number in the console's addresses.
import type * as z from "zod";
import type { Report as ReportAnswer } from "../src/domain/operations/report.ts";
import type { ConsoleSessionAnswer } from "../src/domain/operations/session.ts";
import type { errorSchema } from "../src/http/error-schema.ts";
import type { AccountAnswers } from "../src/operator/answers/accounts.ts";
import type { CampaignAnswers } from "../src/operator/answers/campaigns.ts";
import type { ClientEventAnswers } from "../src/operator/answers/client-events.ts";
import type { ClientAnswers, TestEventAnswers } from "../src/operator/answers/clients.ts";
import type { DatabaseAnswers } from "../src/operator/answers/databases.ts";
import type { DeadJobAnswers } from "../src/operator/answers/dead-jobs.ts";
import type { HoldAnswers } from "../src/operator/answers/holds.ts";
import type { ImportListAnswers, SubscriberAnswers } from "../src/operator/answers/imports.ts";
import type { InboundAnswers, InboundListAnswers } from "../src/operator/answers/inbound.ts";
import type { MessageAnswers } from "../src/operator/answers/messages.ts";
import type { AuditAnswers, SessionAnswers, TokenAnswers } from "../src/operator/answers/operators.ts";
import type { OverviewAnswers } from "../src/operator/answers/overview.ts";
import type { PeopleAnswers, PersonIdAnswers, SubscriberListAnswers } from "../src/operator/answers/people.ts";
import type { SenderAnswers } from "../src/operator/answers/senders.ts";
import type { WaitingAnswers } from "../src/operator/answers/waiting.ts";
import type { WebsiteAnswers } from "../src/operator/answers/websites.ts";
import type { Outcomes } from "./lib/outcomes.ts";

export type ErrorAnswer = z.output<typeof errorSchema>;

export type SessionAnswer = ConsoleSessionAnswer;
export type Session = NonNullable<SessionAnswer["session"]>;
export type SessionList = SessionAnswers["OperatorSessionList"];
export type TokenList = TokenAnswers["OperatorTokenList"];
export type NewToken = TokenAnswers["NewOperatorToken"];
export type AuditPage = AuditAnswers["AuditPage"];
export type AuditEntry = AuditAnswers["AuditEntry"];

export type Overview = OverviewAnswers["Overview"];
export type Minute = Overview["minutes"][number];
export type DayWithGrowth = Overview["days"][number];
/** A day, as the charts read it. */
export type Day = Outcomes & Pick<DayWithGrowth, "day" | "clicked" | "optedOut">;
export type Problem = Overview["problems"][number];
export type PastProblem = Overview["lastProblems"][number];
export type WebsiteNow = Overview["websites"][number];
export type CarrierNow = Overview["carriers"][number];
export type Report = ReportAnswer;
export type ReportRow = Report["rows"][number];

export type Campaign = CampaignAnswers["Campaign"];

export type Waiting = WaitingAnswers["WaitingMessages"];
export type WaitingGroup = Waiting["groups"][number];
export type WaitingRow = WaitingGroup["rows"][number];
export type HeldHours = NonNullable<WaitingRow["hours"]>;
export type HoldList = HoldAnswers["HoldList"];
export type ListedHold = HoldList["holds"][number];
export type Hold = Website["holds"][number];
export type Held = HoldAnswers["HeldMessages"];
export type Released = HoldAnswers["ReleasedMessages"];

export type FoundMessages = MessageAnswers["FoundMessages"];
export type FoundMessage = FoundMessages["messages"][number];
export type Message = MessageAnswers["OperatorMessage"];
export type Status = Message["status"];
export type Callback = Message["callbacks"][number];
export type Neighbor = NonNullable<Message["before"]>;

export type FoundPerson = PersonIdAnswers["FoundPerson"];
export type RevealedPerson = PersonIdAnswers["RevealedPerson"];
export type Person = PeopleAnswers["PersonEverywhere"];
export type PersonAtWebsite = Person["websites"][number];
export type SubscriptionChange = PersonAtWebsite["changes"][number];
export type PersonMessage = Person["messages"][number];
export type InboundText = InboundAnswers["InboundText"];
export type InboundPage = InboundListAnswers["InboundPage"];
export type SubscriberPage = SubscriberListAnswers["SubscriberPage"];

export type ImportAnswer = SubscriberAnswers["ImportAnswer"];
export type PreviewRow = NonNullable<ImportAnswer["preview"]>[number];
export type ImportList = ImportListAnswers["ImportList"];
export type UndoneImport = SubscriberAnswers["UndoneImport"];

export type SenderList = SenderAnswers["SenderList"];
export type Sender = SenderList["senders"][number];

export type WebsiteList = WebsiteAnswers["WebsiteList"];
export type Website = WebsiteList["websites"][number];
export type WebsiteWithClients = WebsiteAnswers["WebsiteWithClients"];
export type Client = WebsiteWithClients["clients"][number];
export type Posts = Client["posts"];
export type NewSecrets = ClientAnswers["NewClient"] | ClientAnswers["NewSecrets"];
export type TestEvent = TestEventAnswers["TestEvent"];

export type ClientEventPage = ClientEventAnswers["ClientEvents"];
export type ClientEvent = ClientEventPage["events"][number];

export type AccountList = AccountAnswers["AccountList"];
export type DeadJobList = DeadJobAnswers["DeadJobList"];
export type DatabaseList = DatabaseAnswers["DatabaseList"];
