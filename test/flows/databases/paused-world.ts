/** Two websites of one database, of which one moves to another: in a world of its own for each test. */
import { receiveInbound } from "../../../src/flows/people/receive-inbound.ts";
import { takeCallbacks } from "../../callback-endpoint.ts";
import { bindDatabases, rowsOf } from "../../databases.ts";
import { beginMove, finishMove, workOnPiece } from "../../moves.ts";
import { platform } from "../../strict/platform.ts";
import { type TestClient, World } from "../../world.ts";

export const ADA = "+12125550100";
export const BEA = "+12125550101";
export const SENDER = "+16465550009";
export const PERSON = { "user-agent": "Mozilla/5.0 (iPhone; CPU iPhone OS 19_0 like Mac OS X)" };
/** While it is copied, the databases have of it what they have while it is compared. */
export const STATES = ["paused", "comparing", "switched"];

export let world: World;
export let brand: TestClient;
export let near: TestClient;
export let posts: string[];

async function makeWebsite(websiteId: string, sender: string): Promise<TestClient> {
  const settings = { name: websiteId, carrier: "sandbox", database: "DB", sender };
  await world.operator("PUT", `/websites/${websiteId}`, settings);
  await world.subscribers(websiteId, [`${ADA},ada@example.com`, BEA]);
  return world.client(websiteId, { callbackUrl: `https://${websiteId}.example.com/` });
}

export async function begin(): Promise<void> {
  world = await World.create();
  // While there was one database, as in a service that has grown: the directory has no rows of clients then.
  [brand, near] = await world.begin("two websites with senders", async () => [
    await makeWebsite("brand", SENDER),
    await makeWebsite("near", "+16465550008"),
  ]);
  await bindDatabases(world, 2);
  posts = takeCallbacks();
  await world.sweep();
  platform.keyWrites.clear();
}

/** Begins the move, and works on it until it is in this state. */
export async function pauseIn(state = "copying"): Promise<void> {
  await beginMove(world, "brand", "DB_2");
  await workOnPiece(world, "brand");
  // By then each isolate has heard of it.
  world.advance(10);
  await finishMove(world, "brand", (is) => is === state);
}

export const finish = () => finishMove(world, "brand");

/** The test looks at the jobs in the queues each half a minute. */
export async function runQueues(): Promise<void> {
  for (let round = 0; round < 4; round++) {
    world.advance(30);
    platform.keyWrites.clear();
    await world.runQueues();
  }
}

export const text = (words: string, from: string, id: string) =>
  world.invoke("fetch", () =>
    receiveInbound(world.deps, "sandbox", {
      ...{ carrierMessageId: id, from, to: [SENDER], text: words, keyword: null, answeredByCarrier: false },
    }),
  );

export const isSubscribed = async (client: TestClient, phone: string) => {
  const answer = await world.post("/text/subscription/status", client, { phone_numbers: [phone] });
  const { phoneNumberStatuses } = (await answer.json()) as { phoneNumberStatuses: { subscriptionStatus: boolean }[] };
  return phoneNumberStatuses[0]?.subscriptionStatus;
};

export const statusIn = async (database: string, messageId: string) =>
  (await rowsOf(database, `SELECT status, attempts FROM messages WHERE message_id = '${messageId}'`))[0];

export const eventsOf = (messageId: string) => posts.filter((eventId) => eventId.startsWith(messageId)).sort();

/** @returns the ids of its events */
export async function deliverText(): Promise<string[]> {
  const messageId = await world.send(brand, { phone: ADA });
  await runQueues();
  return [`${messageId}_SENDING`, `${messageId}_DELIVERED`];
}

interface Feed {
  events: { eventId: string }[];
  next: string;
}

export async function feedAfter(cursor: string): Promise<Feed> {
  const headers = { "x-client-id": brand.clientId, "x-client-secret": brand.clientSecret };
  return (await (await world.fetch(`/text/events?after=${cursor}`, { headers })).json()) as Feed;
}

export const idsOf = ({ events }: Feed) => events.map(({ eventId }) => eventId);
