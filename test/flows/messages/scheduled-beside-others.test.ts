/** One website has very many texts for later. The calls of others, the sweep and the health of the service notice nothing. */
import { afterEach, beforeEach, expect, inject, it, vi } from "vitest";
import { countLedgers } from "../../../src/flows/operations/count-ledgers.ts";
import { countingDatabase, type Usage } from "../../counting-database.ts";
import { seed } from "../../seed.ts";
import { ToldCarrier } from "../../told-carrier.ts";
import { type TestClient, World } from "../../world.ts";

const ADA = "+12125550100";
const SCHEDULED = inject("faultSeeds") > 1 ? 200_000 : 1000;
const DAY = 86_400_000;

let world: World;
let client: TestClient;

beforeEach(async () => {
  world = await World.create();
  client = await world.brand([ADA, "+12125550101"], "other");
  new ToldCarrier(world);
  vi.spyOn(globalThis, "fetch").mockImplementation(async () => new Response("thanks"));
});

afterEach(() => {
  vi.restoreAllMocks();
});

async function schedule(count: number): Promise<void> {
  await world.website("many", { carrier: "sandbox" });
  for (let from = 0; from < count; from += 20_000) {
    await seed(world, "messages", Math.min(20_000, count - from), {
      message_id: `'scheduled-' || (i + ${from})`,
      ...{ website_id: "'many'", client_id: "''", phone: `i + ${from}`, send_purpose: "'sale'", text: "''" },
      ...{ callback_data: "''", status: "'PENDING_TO_SEND'", accepted_at: `${world.now}`, updated_at: `${world.now}` },
      ...{ send_at: `${world.now + 7 * DAY} + i`, due_at: "NULL" },
    });
  }
}

/** What each step asks of D1. */
async function day(): Promise<[step: string, usage: Usage][]> {
  const { db, take } = countingDatabase(world.deps.db);
  world.deps = { ...world.deps, db };
  const costs: [string, Usage][] = [];
  const step = async <T>(name: string, work: () => Promise<T>): Promise<T> => {
    take();
    const result = await work();
    costs.push([name, take()]);
    return result;
  };
  const ids = (answer: Response) => answer.json<{ messageId: string }>().then(({ messageId }) => messageId);
  const body = { text: "hello", callbackData: "{}", sendPurpose: "sale" };
  const sendAt = new Date(world.now + 3_600_000).toISOString();
  const first = await ids(
    await step("a send", () => world.post("/text/message/send", client, { ...body, phone: ADA })),
  );
  const later = await ids(
    await step("a send for later", () => world.post("/text/message/send", client, { ...body, phone: ADA, sendAt })),
  );
  await step("its delivery and callback", () => world.runQueues());
  await step("a status", () => world.post("/text/message/statuses", client, { messageIds: [first, later] }));
  await step("a look-up", () => world.post("/text/subscription/status", client, [ADA]));
  await step("an opt-out", () => world.post("/text/unsubscribe", client, ["+12125550101"]));
  await step("a cancellation", () => world.post("/text/message/cancel", client, { messageIds: [later] }));
  await step("what waits of the website", () => world.operator("GET", "/websites/other/waiting"));
  world.advance(60);
  await step("a sweep", () => world.sweep());
  await step("health", () => world.operator("GET", "/health"));
  return costs;
}

it(`${SCHEDULED} scheduled texts cost the calls of others nothing, and raise no problem`, async () => {
  await schedule(1);
  await countLedgers(world.deps, world.now);
  const alone = await day();
  const { ok, problems } = await (await world.operator("GET", "/health")).json<{ ok: boolean; problems: unknown[] }>();
  world = await World.create();
  client = await world.brand([ADA, "+12125550101"], "other");
  new ToldCarrier(world);
  await schedule(SCHEDULED);
  await countLedgers(world.deps, world.now);
  const beside = await day();
  expect(beside.map(([name, { calls, rowsWritten }]) => [name, calls, rowsWritten])).toEqual(
    alone.map(([name, { calls, rowsWritten }]) => [name, calls, rowsWritten]),
  );
  const more = beside.map(([name, { rowsRead }], index) => [name, rowsRead - (alone[index]?.[1].rowsRead ?? 0)]);
  expect(more.filter(([, rows]) => Number(rows) > 5)).toEqual([]);
  const health = await (await world.operator("GET", "/health")).json<{ ok: boolean; problems: unknown[] }>();
  expect([health.ok, health.problems]).toEqual([ok, problems]);
});
