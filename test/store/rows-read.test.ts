/** What concerns one person or one message is read alone, however much a website has. */
import { beforeEach, describe, expect, it } from "vitest";
import { countingDatabase, type Usage } from "../counting-database.ts";
import { seed } from "../seed.ts";
import { World } from "../world.ts";

const ADA = 12125550100;
const EMAIL = "ada@example.com";
const ADAS_MESSAGE = "'00000000-0000-4000-8000-00000000000' || i";

let world: World;

async function makeWorld(): Promise<World> {
  const made = await World.create();
  await made.brand([`+${ADA},${EMAIL}`]);
  return made;
}

beforeEach(async () => {
  world = await makeWorld();
});

/** Messages, events, texts, keys and jobs of others, in the same website. */
async function seedOthers(count: number): Promise<void> {
  const now = `${world.now}`;
  await seed(world, "messages", count, {
    message_id: "'other-' || i",
    website_id: "'brand'",
    client_id: "''",
    phone: "iif(i % 4 = 0, NULL, 13105550000 + i % 1000)",
    email: "iif(i % 4 = 0, 'p' || i || '@example.com', NULL)",
    text: "'Hello'",
    callback_data: "''",
    send_purpose: "'sale'",
    status: "iif(i % 4 = 0, 'FAILED_TO_MATCH', 'DELIVERED')",
    accepted_at: `${now} - i`,
    updated_at: now,
    due_at: now,
  });
  await seed(world, "events", count, {
    message_id: "'other-' || i",
    event: "'DELIVERED'",
    occurred_at: now,
  });
  await seed(world, "inbound_texts", count, {
    website_id: "'brand'",
    carrier: "'sandbox'",
    carrier_message_id: "i",
    sender: "'+1310555' || (1000 + i % 1000)",
    recipient: "'+12125550000'",
    text: "'hello'",
    received_at: `${now} - i`,
    applied: "1",
  });
  const key = { website_id: "'brand'", message_id: "'other-' || i", expires_at: `${now} + 100000` };
  await seed(world, "duplicate_keys", count, { ...key, phone: "13105550000 + i", content_hash: "'hash'" });
  await seed(world, "subscriptions", count, {
    website_id: "'brand'",
    phone: "13105550000 + i",
    subscribed: "1",
    email: "'p' || i || '@example.com'",
    change_id: "i",
  });
  await seed(world, "dead_jobs", count, {
    id: "'job-' || i",
    queue: "'textgate-messages'",
    body: "'{}'",
    died_at: `${now} + i`,
  });
}

/** Ten messages, two of them to her address before it was hers, and 200 texts. */
async function seedAda(): Promise<void> {
  const now = `${world.now}`;
  const message = {
    website_id: "'brand'",
    client_id: "''",
    text: "'Hello'",
    callback_data: "''",
    send_purpose: "'sale'",
    accepted_at: now,
    updated_at: now,
    due_at: now,
  };
  await seed(world, "messages", 8, {
    ...message,
    message_id: ADAS_MESSAGE,
    phone: `${ADA}`,
    status: "'DELIVERED'",
    click_url: "'https://example.com/'",
  });
  await seed(world, "messages", 2, {
    ...message,
    message_id: "'unmatched-' || i",
    email: `'${EMAIL}'`,
    status: "'FAILED_TO_MATCH'",
  });
  await seed(world, "clicks", 8, {
    message_id: ADAS_MESSAGE,
    click_id: "'a click'",
    clicked_at: now,
    is_person: "1",
  });
  await seed(world, "inbound_texts", 200, {
    website_id: "'brand'",
    carrier: "'twilio'",
    carrier_message_id: "'ada-' || i",
    sender: `'+${ADA}'`,
    recipient: "'+12125550000'",
    text: "'hello ' || i",
    received_at: `${now} + i`,
  });
}

async function usageOf(method: string, path: string): Promise<Usage> {
  const { deps } = world;
  const { db, take } = countingDatabase(deps.db);
  world.deps = { ...deps, db };
  const answer = await world.operator(method, path);
  world.deps = deps;
  expect([path, answer.status]).toEqual([path, 200]);
  return take();
}

const PERSON = `/websites/brand/people/+${ADA}`;

/** The last one changes what the others read. */
const CALLS: [string, string, string][] = [
  ["a person", "GET", PERSON],
  ["a message", "GET", "/messages/00000000-0000-4000-8000-000000000003"],
  ["the last texts", "GET", "/websites/brand/inbound"],
  ["texts without effect", "GET", "/inbound/without-effect"],
  ["a website", "GET", "/websites/brand"],
  ["dead jobs", "GET", "/dead-jobs"],
  ["more dead jobs", "GET", "/dead-jobs?before=job-150"],
  ["the removal of an address", "DELETE", `${PERSON}/email`],
];

it("an operator's call reads what it is about, however much others have", async () => {
  const reads: Record<string, number>[] = [];
  for (const others of [1000, 20_000]) {
    world = await makeWorld();
    await seedAda();
    await seedOthers(others);
    const read: Record<string, number> = {};
    for (const [name, method, path] of CALLS) read[name] = (await usageOf(method, path)).rowsRead;
    reads.push(read);
  }
  const [few = {}, many = {}] = reads;
  for (const [name] of CALLS) {
    expect(many[name], name).toBeLessThanOrEqual((few[name] ?? 0) + 10);
    expect(many[name], name).toBeLessThan(500);
  }
});

describe("an erasure", () => {
  it("reads and deletes what is the person's, however many messages others have", async () => {
    const reads: number[] = [];
    for (const others of [0, 20_000]) {
      world = await makeWorld();
      await seedAda();
      await seedOthers(others);
      reads.push((await usageOf("DELETE", PERSON)).rowsRead);
      const left = await world.rows(
        `SELECT (SELECT count(*) FROM messages) AS messages, (SELECT count(*) FROM inbound_texts) AS texts,
           (SELECT count(*) FROM clicks) AS clicks,
           (SELECT count(*) FROM subscriptions) AS people`,
      );
      expect(left).toEqual([{ messages: others, texts: others, clicks: 0, people: others }]);
    }
    const [alone = 0, besideOthers = 0] = reads;
    // 10 messages, 8 clicks and 200 texts, each read by several statements and in several indexes.
    expect(alone).toBeLessThan(1500);
    expect(besideOthers - alone).toBeLessThan(100);
  });
});

describe("the state of the service", () => {
  it("reads no client and no website that is in order", async () => {
    const count = 5000;
    await seed(world, "websites", count, {
      website_id: "'w' || i",
      home: "i + 1",
      database: "'DB'",
      name: "''",
      carrier: "iif(i % 2 = 0, 'twilio', 'kannel')",
      created_at: "0",
      updated_at: "0",
      counted_until: `${world.now}`,
    });
    await seed(world, "clients", count, {
      client_id: "'c' || i",
      website_id: "'w' || i",
      operations: "'[]'",
      suspended: "0",
      secret_end: "''",
      secret_hash: "''",
      callback_secret: "''",
      created_at: "0",
      changed_at: "0",
      copied_at: "iif(i = 77, NULL, 200000)",
    });
    const { deps } = world;
    const { db, take } = countingDatabase(deps.db);
    world.deps = { ...deps, db };
    const answer = await world.operator("GET", "/health");
    expect(take().rowsRead).toBeLessThan(100);
    const { credentialsBehind, carriers } = (await answer.json()) as {
      credentialsBehind: { count: number };
      carriers: { carrier: string; isInUse: boolean }[];
    };
    expect(credentialsBehind.count).toBe(1);
    expect(carriers.filter(({ isInUse }) => isInUse).map(({ carrier }) => carrier)).toEqual([
      "kannel",
      "sandbox",
      "twilio",
    ]);
  });
});
