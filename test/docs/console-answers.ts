// Types alone: the console's shapes of answers are held to the schemas of the calls. The console is checked with the types of a browser,
// which the code of the Worker does not compile with: so this is checked with the Worker.
import type * as Console from "../../console/answers.ts";
import type { DeadJobAnswers } from "../../src/operator/dead-jobs.ts";
import type { HoldAnswers } from "../../src/operator/holds.ts";
import type { ImportListAnswers } from "../../src/operator/import-list.ts";
import type { InboundListAnswers } from "../../src/operator/inbound-list.ts";
import type { MessageAnswers } from "../../src/operator/messages.ts";
import type { OverviewAnswers } from "../../src/operator/overview.ts";
import type { SubscriberListAnswers } from "../../src/operator/subscriber-list.ts";
import type { SubscriberAnswers } from "../../src/operator/subscribers.ts";
import type { TestEventAnswers } from "../../src/operator/test-event.ts";
import type { ClientAnswers } from "../../src/operator/views/client.ts";
import type { PeopleAnswers } from "../../src/operator/views/person.ts";
import type { WaitingAnswers } from "../../src/operator/waiting.ts";
import type { WebsiteAnswers } from "../../src/operator/websites.ts";

/** Does not compile where the call does not give what the console reads. */
type Gives<Answer extends Wanted, Wanted> = [Answer, Wanted];

/** Zod says `undefined` of a field that may be left out. */
type Loose<T> = T extends object
  ? { [Name in keyof T]: Loose<T[Name]> | (undefined extends T[Name] ? undefined : never) }
  : T;

/** As the service answers a token. For a session, it adds `personId`. */
type ListedSubscriber = Omit<Console.SubscriberPage["subscribers"][number], "personId">;

export type Checked = [
  Gives<DeadJobAnswers["DeadJobList"], Console.DeadJobList>,
  Gives<HoldAnswers["HoldList"], Loose<Console.HoldList>>,
  Gives<HoldAnswers["HeldMessages"], Loose<Console.Held>>,
  Gives<HoldAnswers["ReleasedMessages"], Loose<Console.Released>>,
  Gives<ImportListAnswers["ImportList"], Console.ImportList>,
  Gives<InboundListAnswers["InboundPage"], Loose<Console.InboundPage>>,
  Gives<MessageAnswers["FoundMessages"], Loose<Console.FoundMessages>>,
  Gives<SubscriberListAnswers["SubscriberPage"]["subscribers"][number], ListedSubscriber>,
  Gives<Omit<SubscriberListAnswers["SubscriberPage"], "subscribers">, Omit<Console.SubscriberPage, "subscribers">>,
  Gives<MessageAnswers["OperatorMessage"], Loose<Console.Message>>,
  Gives<PeopleAnswers["PersonEverywhere"], Loose<Console.Person>>,
  Gives<SubscriberAnswers["ImportAnswer"], Loose<Console.ImportAnswer>>,
  Gives<SubscriberAnswers["UndoneImport"], Console.UndoneImport>,
  Gives<TestEventAnswers["TestEvent"], Console.TestEvent>,
  Gives<ClientAnswers["ClientWithChanges"], Console.Client>,
  Gives<OverviewAnswers["Overview"], Loose<Console.Overview>>,
  Gives<WaitingAnswers["WaitingMessages"], Loose<Console.Waiting>>,
  Gives<WebsiteAnswers["WebsiteWithClients"], Console.WebsiteWithClients>,
  Gives<WebsiteAnswers["WebsiteList"], Loose<Console.WebsiteList>>,
];
