import fc from "fast-check";
import { expect } from "vitest";
import { newId } from "../../../src/domain/databases/home.ts";
import { bindDatabases, boundDatabase } from "../../databases.ts";
import { World } from "../../world.ts";

const DATABASES = ["DB", "DB_2", "DB_3"];
export const DAYS = 12 * 86_400_000;

interface Message {
  messageId: string;
  websiteId: string;
  acceptedAt: number;
  status?: string;
}

/** @param database the binding */
export async function store(database: string, messages: Message[]): Promise<void> {
  const rows = JSON.stringify(
    messages.map((it) => [it.messageId, it.websiteId, it.acceptedAt, it.status ?? "SENDING"]),
  );
  await boundDatabase(database)
    .prepare(
      `INSERT INTO messages (message_id, website_id, client_id, text, callback_data, send_purpose, status, accepted_at, updated_at)
       SELECT value ->> 0, value ->> 1, 'c', 'Hello', '', 'sale', value ->> 3, value ->> 2, value ->> 2 FROM json_each(?1)`,
    )
    .bind(rows)
    .run();
}

interface Page {
  messages: { messageId: string; acceptedAt: string }[];
  next: string | null;
  unavailableDatabases?: string[];
}

export async function read(world: World, query: Record<string, string> = {}): Promise<Page> {
  const answer = await world.operator("GET", `/messages?${new URLSearchParams(query)}`);
  expect(answer.status).toBe(200);
  return answer.json();
}

/** All of them, page by page. */
export async function readAll(world: World, query: Record<string, string> = {}): Promise<string[]> {
  const ids: string[] = [];
  for (let cursor: string | null = "", pages = 0; cursor !== null; pages++) {
    const page: Page = await read(world, cursor === "" ? query : { ...query, cursor });
    ids.push(...page.messages.map(({ messageId }) => messageId));
    expect(page.messages.length).toBeLessThanOrEqual(100);
    expect(pages).toBeLessThan(30);
    cursor = page.next;
  }
  return ids;
}

export const make = (websiteId: string, at: number, status?: string): Message => ({
  messageId: newId(Number(websiteId.slice(1)), at, crypto.randomUUID()),
  ...{ websiteId, acceptedAt: at },
  ...(status && { status }),
});

const timeIn = (id: string) => Number.parseInt(id.replace("-", "").slice(0, 12), 16);

/** The newest messages are one list over all databases, and each is in it once. @param numRuns how many stores are drawn */
export async function expectOneList(numRuns: number): Promise<void> {
  const world = await World.create();
  await bindDatabases(world, DATABASES.length);
  // A few milliseconds, so that many messages share one.
  const message = fc.record({
    ...{ place: fc.nat(2), website: fc.integer({ min: 1, max: 4 }), at: fc.nat(40), isSent: fc.boolean() },
    // A scheduled text is accepted days after it was asked for.
    ...{ late: fc.constantFrom(0, 0, 0, 30, -1, DAYS) },
  });
  const time = fc.tuple(fc.nat(40), fc.constantFrom(0, 0, DAYS)).map(([at, days]) => at + days);
  const world3 = fc.record({
    messages: fc.oneof(fc.array(message), fc.array(message, { minLength: 250, maxLength: 500 })),
    query: fc.record({ from: fc.option(time), until: fc.option(time), isSent: fc.option(fc.boolean()) }),
  });
  await fc.assert(
    fc.asyncProperty(world3, async ({ messages, query }) => {
      for (const database of DATABASES) await boundDatabase(database).prepare("DELETE FROM messages").run();
      const made = messages.map(({ place, website, at, isSent, late }) => ({
        ...make(`w${website}`, world.now + at, isSent ? "DELIVERED" : "FAILED_TO_DELIVERY"),
        ...{ place, website, acceptedAt: world.now + at + late },
      }));
      for (const [place, database] of DATABASES.entries())
        await store(
          database,
          made.filter((it) => it.place === place),
        );

      const { from, until, isSent } = query;
      const expected = made
        .filter(({ acceptedAt }) => from === null || acceptedAt >= world.now + from)
        .filter(({ acceptedAt }) => until === null || acceptedAt < world.now + until)
        .filter(({ status }) => isSent === null || (status === "DELIVERED") === isSent)
        .map(({ messageId }) => messageId);
      const iso = (after: number) => new Date(world.now + after).toISOString();
      const found = await readAll(world, {
        ...(from !== null && { from: iso(from) }),
        ...(until !== null && { until: iso(until) }),
        ...(isSent !== null && { status: isSent ? "DELIVERED" : "FAILED_TO_DELIVERY" }),
      });
      expect(found.toSorted()).toEqual(expected.toSorted());
      const times = found.map(timeIn);
      expect(times).toEqual(times.toSorted((a, b) => b - a));
    }),
    { numRuns, endOnFailure: true },
  );
}
