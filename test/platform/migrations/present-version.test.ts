import { applyD1Migrations } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, it, vi } from "vitest";
import { ALL_EVENTS } from "../../all-events.ts";
import { Outside } from "../../faults/outside.ts";
import { emptyStores } from "../../stores.ts";
import { type TestClient, World } from "../../world.ts";
import { bodyOf, Generation } from "./old-rows.ts";
import { type OldRow, PEOPLE, WEBSITES } from "./old-states.ts";
import { readSchema } from "./schema.ts";
import { writeRows } from "./write-rows.ts";

const MIGRATIONS = env.TEST_MIGRATIONS;
const HOUR = 3_600_000;
/** Of rows that are made alike, of each generation. */
const ALIKE = 10;

let world: World;
let outside: Outside;
/** Written before the migration, and after it by the version before, which is still running then. */
let generations: Generation[];

beforeAll(async () => {
  generations = [await Generation.make(0), await Generation.make(1)];
});

/** This version on a database that has been through the migration under the version before. */
async function upgrade(at: number): Promise<void> {
  vi.restoreAllMocks();
  const empty = await World.create();
  await emptyStores();
  await applyD1Migrations(env.DB, MIGRATIONS.slice(0, at));
  const schema = await readSchema(env.DB);
  await writeRows(env.DB, schema, generations[0]?.rows ?? {});
  await applyD1Migrations(env.DB, MIGRATIONS.slice(0, at + 1));
  await writeRows(env.DB, schema, generations[1]?.rows ?? {});
  await applyD1Migrations(env.DB, MIGRATIONS);
  world = await World.another(empty);
  outside = new Outside(world);
  world.deps = outside.connect(world.deps);
}

const rowsOf = (sql: string) => world.rows(sql) as Promise<OldRow[]>;

/** What comes of a message that the version before left behind, once the sweep and the queues have run. */
function fate(row: OldRow, subscribed: unknown): { status: unknown; submitted: number } {
  const { status, claimed_at, is_reply } = row;
  if (status === "SENDING" && Number(row.updated_at) <= world.now - 24 * HOUR)
    return { status: "FAILED_TO_DELIVERY", submitted: 0 };
  if (status !== "PENDING_TO_SEND") return { status, submitted: 0 };
  if (claimed_at !== null)
    return { status: Number(claimed_at) < world.now - HOUR / 2 ? "SENDING" : status, submitted: 0 };
  if (Number(row.accepted_at) <= world.now - 4 * HOUR) return { status: "FAILED_TO_SEND", submitted: 0 };
  if (subscribed === 1 || is_reply === 1) return { status: "SENDING", submitted: 1 };
  return { status: "NOT_SUBSCRIBED", submitted: 0 };
}

/** The earlier ones were held to this when they were new: a migration never changes, and neither does what it was applied to. */
const LATEST = MIGRATIONS.map(({ name }, at) => ({ name, at })).slice(-6);

describe.each(LATEST)("after $name", ({ at }) => {
  it("ends each message that waited as it should, submits it once, and posts each callback that was due once", async () => {
    await upgrade(at);
    const messages = await rowsOf(`SELECT m.*, s.subscribed FROM messages m
      LEFT JOIN subscriptions s ON s.website_id = m.website_id AND s.phone = m.phone`);
    const fates = messages.map((row) => ({ id: String(row.message_id), ...fate(row, row.subscribed) }));
    const dueBefore = (await rowsOf(`SELECT * FROM ${ALL_EVENTS} WHERE callback_due > 0 AND attempted_at IS NULL`)).map(
      idOf,
    );
    const eventsBefore = new Set((await rowsOf(`SELECT * FROM ${ALL_EVENTS}`)).map(idOf));
    expect(dueBefore.length).toBeGreaterThan(20);
    // What waits without a job, or was cut off, first waits for a job that may still tell more.
    for (let round = 0; round < 2; round++) {
      await world.sweep();
      world.advance(400);
      await world.runQueues();
    }

    const after = await rowsOf("SELECT message_id, status FROM messages");
    const statuses = new Map(after.map(({ message_id, status }) => [message_id, status]));
    expect(fates.map(({ id }) => [id, statuses.get(id)])).toEqual(fates.map(({ id, status }) => [id, status]));
    const submitted = Map.groupBy(outside.submitted, ({ messageId }) => messageId);
    expect(fates.map(({ id }) => [id, submitted.get(id)?.length ?? 0])).toEqual(fates.map((f) => [f.id, f.submitted]));
    expect(submitted.size).toBeGreaterThan(20);

    const events = await rowsOf(`SELECT * FROM ${ALL_EVENTS}`);
    const dueSince = events.filter((row) => row.callback_due !== 0 && !eventsBefore.has(idOf(row))).map(idOf);
    expect(outside.posts.map(({ eventId }) => eventId).sort()).toEqual([...dueBefore, ...dueSince].sort());
    expect(events.filter((row) => row.callback_due !== 0 && row.attempted_at === null)).toEqual([]);
  });

  describe("of what is there", () => {
    beforeAll(() => upgrade(at));

    it("shows each message to the operator as it is, and counts all of them in the report", async () => {
      // Some 90 of each generation: all states.
      const messages = await rowsOf("SELECT * FROM messages WHERE rowid % 4 = 0");
      for (const { message_id, status, text, click_url, callback_data, attempts } of messages) {
        const answer = await world.operator("GET", `/messages/${message_id}`);
        expect(await answer.json()).toMatchObject({
          status,
          text,
          attempts,
          clickUrl: click_url,
          callbackData: callback_data,
        });
      }
      for (const generation of generations) {
        const websiteId = generation.websiteId("brand");
        const report = await world.operator("GET", `/websites/${websiteId}/report?from=2026-09-01&to=2026-11-21`);
        const { total } = (await report.json()) as { total: { accepted: number; clicks: number } };
        const [kept] = await rowsOf(`SELECT coalesce(sum(messages), 0) AS messages, coalesce(sum(clicks), 0) AS clicks
          FROM report_rows WHERE website_id = '${websiteId}'`);
        const [clicks] = await rowsOf(`SELECT sum(count) AS count FROM clicks JOIN messages USING (message_id)
          WHERE is_person = 1 AND website_id = '${websiteId}'`);
        expect(total.accepted).toBe(PEOPLE * 3 + Number(kept?.messages));
        expect(total.clicks).toBe(Number(clicks?.count) + Number(kept?.clicks));
      }
    });

    it("lists what people texted, and the jobs that died", async () => {
      for (const generation of generations) {
        const websiteId = generation.websiteId("shop");
        const [texts] = await rowsOf(`SELECT count(*) AS count FROM inbound_texts WHERE website_id = '${websiteId}'`);
        const answer = await world.operator("GET", `/websites/${websiteId}/inbound`);
        expect(((await answer.json()) as { texts: unknown[] }).texts.length).toBe(texts?.count);
      }
      const [jobs] = await rowsOf("SELECT count(*) AS count FROM dead_jobs");
      const answer = await world.operator("GET", "/dead-jobs");
      expect(((await answer.json()) as { deadJobs: unknown[] }).deadJobs.length).toBe(jobs?.count);
      expect((await world.operator("GET", "/health")).status).toBe(200);
    });

    it("lets clients in, and knows who is subscribed, opted out, and erased", async () => {
      await world.sweep();
      for (const generation of generations) {
        for (const website of WEBSITES) {
          const client = generation.clients.get(website) as TestClient;
          const people = (generation.rows.subscriptions ?? []).filter(
            (row) => row.website_id === generation.websiteId(website),
          );
          const answer = await world.post("/text/subscription/status", client, {
            phone_numbers: people.map(({ phone }) => `+${phone}`),
          });
          expect(((await answer.json()) as { phoneNumberStatuses: unknown }).phoneNumberStatuses).toEqual(
            people.map(({ phone, subscribed }) => ({ phoneNumber: `+${phone}`, subscriptionStatus: subscribed === 1 })),
          );
          const owners = await ownersWhoOptedOut(generation, website);
          expect(await refusedToSubscribe(client, generation, website)).toEqual(owners);
        }
      }
    });

    it("finds what a repeated request did, and where links lead", async () => {
      await world.sweep();
      for (const generation of generations) {
        const keys = generation.rows.idempotency_keys ?? [];
        const live = keys.filter((row) => Number(row.expires_at) > world.now);
        expect(live.length).toBeGreaterThan(ALIKE);
        for (const { client_id, message_id, idempotency_key } of live.slice(0, ALIKE)) {
          const index = Number(idempotency_key);
          const headers = { "idempotency-key": String(idempotency_key) };
          const client = [...generation.clients.values()].find(({ clientId }) => clientId === client_id) as TestClient;
          const same = await world.post("/text/message/send", client, bodyOf(index), headers);
          expect([same.status, await same.json()]).toEqual([200, { messageId: message_id }]);
          expect((await world.post("/text/message/send", client, bodyOf(index + 1), headers)).status).toBe(409);
        }
      }
      const links = await rowsOf("SELECT * FROM links ORDER BY code");
      expect(links.length).toBeGreaterThan(2 * ALIKE);
      for (const { code, url } of [...links.slice(0, ALIKE), ...links.slice(-ALIKE)]) {
        const answer = await world.fetch(`/l/${code}`);
        expect([answer.status, answer.headers.get("location")]).toEqual([302, url]);
      }
    });
  });
});

const idOf = (row: OldRow) => `${row.message_id}_${row.event}`;

/** Everybody is to be subscribed again, who was erased as well. */
async function refusedToSubscribe(client: TestClient, generation: Generation, website: string): Promise<string[]> {
  const phones = Array.from({ length: PEOPLE }, (_, index) => `+${generation.phone(website, index)}`);
  const answer = await world.post("/text/subscribe", client, {
    phone_numbers: [...phones, generation.erasedPhone(website)],
    sendPurpose: "sale",
  });
  return ((await answer.json()) as { failedToProcessNumbers: string[] }).failedToProcessNumbers.sort();
}

/** As the database says: an old one may not have known yet who had opted out by themselves, or was erased. */
async function ownersWhoOptedOut(generation: Generation, website: string): Promise<string[]> {
  const websiteId = generation.websiteId(website);
  const people = await rowsOf(
    `SELECT phone FROM subscriptions WHERE website_id = '${websiteId}' AND opted_out_by_person = 1`,
  );
  const erased = await rowsOf(`SELECT mark FROM erased_people WHERE website_id = '${websiteId}'`);
  return [...people.map(({ phone }) => `+${phone}`), ...erased.map(() => generation.erasedPhone(website))].sort();
}
