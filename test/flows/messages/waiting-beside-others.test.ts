/** All waiting messages of a website are found, counted, released and cancelled, however many other websites have, and however many it has. */
import { beforeEach, describe, expect, it } from "vitest";
import { countingDatabase } from "../../counting-database.ts";
import { seed } from "../../seed.ts";
import { type TestClient, World } from "../../world.ts";

const PHONES = Array.from({ length: 5 }, (_, index) => `+1212555010${index}`);

let world: World;
let client: TestClient;

beforeEach(async () => {
  world = await World.create();
  client = await world.brand(PHONES);
});

const call = async (what: string, filter: object = {}, websiteId = "brand") =>
  (await world.operator("POST", `/websites/${websiteId}/${what}`, filter)).json();

const waiting = (sql = "website_id = 'brand'") =>
  world
    .rows(`SELECT count(*) AS count FROM messages WHERE status = 'PENDING_TO_SEND' AND ${sql}`)
    .then(([row]) => Number(row?.count));

interface Backlog {
  websiteId?: string;
  status?: string;
  purpose?: string;
}

/** Messages that were stored before those that are sent from now on, and are due before them. */
const seedMessages = (count: number, backlog: Backlog = {}) => {
  const { websiteId = "other", status = "PENDING_TO_SEND", purpose = "'sale'" } = backlog;
  return seed(world, "messages", count, {
    message_id: `'00-${websiteId}-' || i`,
    ...{ website_id: `'${websiteId}'`, client_id: "''", status: `'${status}'`, text: "''", callback_data: "''" },
    ...{
      send_purpose: purpose,
      accepted_at: `${world.now}`,
      updated_at: `${world.now}`,
      due_at: `${world.now} - 1`,
    },
    phone: "12125550100",
  });
};

const sendFive = () => Promise.all(PHONES.map((phone) => world.send(client, { phone })));

const CALLS: [string, () => Promise<unknown>, unknown, number][] = [
  ["hold", () => call("hold"), expect.objectContaining({ held: 5 }), 5],
  ["a dry run", () => call("cancel", { dryRun: true }), { cancelled: 5 }, 5],
  ["cancel", () => call("cancel"), { cancelled: 5 }, 0],
  ["cancel by purpose", () => call("cancel", { sendPurpose: "spring-sale_01" }), { cancelled: 5 }, 0],
  ["release", () => holdAndRelease(), expect.objectContaining({ released: 5 }), 5],
  ["the suspension of its client", () => suspend(), expect.objectContaining({ waitingMessages: 5 }), 5],
];

async function holdAndRelease(): Promise<unknown> {
  await call("hold");
  return call("release");
}

async function suspend(): Promise<unknown> {
  world.advance(2);
  return (await world.operator("PATCH", `/clients/${client.clientId}`, { suspended: true })).json();
}

const BACKLOGS: [string, Backlog][] = [
  ["10,000 that wait", {}],
  ["10,000 that were delivered", { status: "DELIVERED" }],
];

describe.each(BACKLOGS)("beside another website with %s", (_, backlog) => {
  it.each(CALLS)("%s sees the five that wait of its own, and no others", async (_, run, answer, left) => {
    await seedMessages(10_000, backlog);
    await sendFive();
    world.jobs.length = 0;
    const { db, take } = countingDatabase(world.deps.db);
    world.deps = { ...world.deps, db };
    expect(await run()).toEqual(answer);
    expect(take().rowsRead).toBeLessThan(500);
    expect(await waiting()).toBe(left);
    expect(await waiting("website_id = 'other'")).toBe(backlog.status ? 0 : 10_000);
  });
});

it("a release queues the five beside another website's backlog, and they go", async () => {
  await seedMessages(10_000);
  await call("hold");
  const ids = await sendFive();
  await world.runQueues();
  expect(await waiting()).toBe(5);
  expect(await call("release")).toMatchObject({ released: 5 });
  await world.runQueues();
  expect(await Promise.all(ids.map((id) => world.statusOf(id)))).not.toContain("PENDING_TO_SEND");
});

describe("of its own backlog, larger than a step", () => {
  const PURPOSE = "iif(i % 9 = 0, 'typo', 'sale')";

  it("all are counted", async () => {
    await seedMessages(45_000, { websiteId: "brand", purpose: PURPOSE });
    const typo = { sendPurpose: "typo" };
    expect(await call("hold", typo)).toEqual({ holdId: expect.any(String), held: 5000 });
    expect(await call("cancel", { ...typo, dryRun: true })).toEqual({ cancelled: 5000 });
    expect(await call("cancel", { dryRun: true })).toEqual({ cancelled: 45_000 });
    expect(await call("cancel", { sendPurpose: "none", dryRun: true })).toEqual({ cancelled: 0 });
  });

  it("a hold counts them for a second, and then says that there may be more", async () => {
    await seedMessages(45_000, { websiteId: "brand" });
    const { deps } = world;
    world.deps = { ...deps, now: () => (world.now += 400) };
    const { held, atLeast } = (await call("hold")) as { held: number; atLeast?: true };
    expect([held, atLeast]).toEqual([30_000, true]);
  });

  it("all are cancelled, and those with another purpose left", async () => {
    await seedMessages(9000, { websiteId: "brand", purpose: PURPOSE });
    expect(await call("cancel", { sendPurpose: "typo" })).toEqual({ cancelled: 1000 });
    expect([await waiting(), await waiting("send_purpose = 'typo'")]).toEqual([8000, 0]);
    expect(await call("cancel")).toEqual({ cancelled: 8000 });
    expect(await call("cancel")).toEqual({ cancelled: 0 });
  });

  it("all are released", async () => {
    await seedMessages(9000, { websiteId: "brand", purpose: PURPOSE });
    await call("hold", { sendPurpose: "typo" });
    await call("hold");
    expect(await call("release", { all: true })).toMatchObject({ released: 9000 });
    expect(world.jobs.flatMap(({ body }) => (body.kind === "deliver" ? body.messageIds : []))).toHaveLength(9000);
    expect(await waiting(`due_at <> ${world.now}`)).toBe(0);
  });

  it.each([
    ["cancel", "cancelled"],
    ["release", "released"],
  ])("%s says that there is more once it has taken a minute; repeated, it ends", async (what, name) => {
    await seedMessages(9000, { websiteId: "brand" });
    await call("hold");
    const { deps } = world;
    world.deps = { ...deps, now: () => (world.now += 20_000) };
    const first = (await call(what)) as Record<string, unknown>;
    expect(first).toMatchObject({ [name]: expect.any(Number), more: true });
    expect(first[name]).toBeGreaterThan(0);
    expect(first[name]).toBeLessThan(9000);
    const { entries } = (await (await world.operator("GET", "/audit")).json()) as { entries: object[] };
    expect(entries[0]).toMatchObject({ action: what, after: { [name]: first[name], more: true } });
    world.deps = deps;
    const left = what === "cancel" ? 9000 - Number(first[name]) : 9000;
    const second = (await call(what)) as Record<string, unknown>;
    expect(second).toMatchObject({ [name]: left });
    expect(second).not.toHaveProperty("more");
  });
});
