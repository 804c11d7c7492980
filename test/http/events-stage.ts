// A client that reads its events.
import { expect, vi } from "vitest";
import { applyReceipts } from "../../src/flows/messages/apply-receipts.ts";
import { Random } from "../random.ts";
import { type TestClient, World } from "../world.ts";

export const ADA = "+12125550100";
export const UNKNOWN = "+12125550177";

interface FeedEvent extends Record<string, unknown> {
  eventId: string;
  callback: unknown;
}

interface Page {
  events: FeedEvent[];
  next: string;
  more: boolean;
}

export let world: World;
export let client: TestClient;
export let posted: Map<string, Record<string, unknown>>;

export async function begin(): Promise<void> {
  world = await World.create();
  client = await world.brand([ADA]);
  posted = new Map();
  vi.spyOn(globalThis, "fetch").mockImplementation(async (_, init) => {
    const event = await new Response(init?.body).json<Record<string, unknown>>();
    posted.set(String(event.eventId), event);
    return new Response("thanks", { status: 202 });
  });
}

export const ask = (query: string, of = client) =>
  world.fetch(`/text/events${query}`, {
    headers: { "x-client-id": of.clientId, "x-client-secret": of.clientSecret },
  });

export async function read(after = "", limit = 100, of = client): Promise<Page> {
  const answer = await ask(`?after=${after}&limit=${limit}`, of);
  expect(answer.status).toBe(200);
  world.now += 10;
  return answer.json();
}

/** A feed that gives an event twice would be read forever. */
const MOST_PAGES = 100;

export async function readAll(after = "", limit = 100, of = client): Promise<{ events: FeedEvent[]; next: string }> {
  const events: FeedEvent[] = [];
  let next = after;
  for (let pages = 0; pages < MOST_PAGES; pages++) {
    const page = await read(next, limit, of);
    events.push(...page.events);
    next = page.next;
    if (!page.more) return { events, next };
  }
  throw new Error("the pages have no end");
}

export const delivered = (messageId: string) =>
  ({ messageId, status: "DELIVERED", reason: null, carrierMessageId: null, optedOut: false }) as const;

export const idsOf = ({ events }: { events: FeedEvent[] }) => events.map(({ eventId }) => eventId);

async function sweepMinute(isolates: World[]): Promise<void> {
  for (const isolate of isolates) isolate.advance(61);
  await isolates.at(-1)?.sweep();
}

/** Isolates write at once, and a client reads meanwhile: its cursor misses nothing and repeats nothing. */
export async function expectEachOnce(seed: number, rounds: number): Promise<void> {
  const random = new Random(seed);
  const isolates = await Promise.all(
    [0, 1, 2].map(async (nth) => {
      const isolate = await World.another(world);
      isolate.now += (nth - 1) * 30_000;
      return isolate;
    }),
  );
  const seen: string[] = [];
  const sent: string[] = [];
  let next = "";
  for (let round = 0; round < rounds; round++) {
    const writing = isolates.map(async (isolate) => {
      const phone = random.pick([ADA, UNKNOWN]);
      sent.push(await isolate.send(client, { phone }));
      await isolate.invoke("queue", () => applyReceipts(isolate.deps, [delivered(random.pick(sent))]));
    });
    for (let reads = 0; reads < 3; reads++) {
      const page = await read(next, 2);
      seen.push(...idsOf(page));
      next = page.next;
    }
    await Promise.all(writing);
    for (const isolate of isolates) isolate.now += 1000;
    if (round % 4 === 3) await sweepMinute(isolates);
  }
  seen.push(...idsOf(await readAll(next, 2)));
  const stored = (await world.rows(`SELECT message_id || '_' || event AS id FROM events`)).map(({ id }) => id);
  expect(stored.length).toBeGreaterThan((20 * rounds) / 12);
  expect(seen.toSorted()).toEqual(stored.toSorted());
  expect(seen).toEqual(idsOf(await readAll("", 1000)));
}
