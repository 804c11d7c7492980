import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { receiveInbound } from "../../src/flows/receive-inbound.ts";
import { takeCallbacks } from "../callback-endpoint.ts";
import { bindDatabases, boundDatabase, rowsOf, useDatabases } from "../databases.ts";
import { beginMove, finishMove, stepOf } from "../moves.ts";
import { strictDatabase } from "../strict/database.ts";
import { platform } from "../strict/platform.ts";
import { SEND, type TestClient, World } from "../world.ts";

const ADA = "+12125550100";
const BEA = "+12125550101";
const SENDER = "+16465550009";

let world: World;
let brand: TestClient;
let near: TestClient;
let posts: string[];
/** Called with each post, before it is answered. */
let onPost: () => Promise<unknown>;

async function makeWebsite(websiteId: string): Promise<TestClient> {
  const settings = { name: websiteId, carrier: "sandbox", sender: SENDER, database: "DB" };
  await world.operator("PUT", `/websites/${websiteId}`, settings);
  await world.subscribers(websiteId, [ADA, BEA]);
  return world.client(websiteId, {
    callbackUrl: `https://${websiteId}.example.com/`,
    events: ["message.received", "message.status", "message.clicked"],
  });
}

beforeEach(async () => {
  world = await World.create();
  await bindDatabases(world, 2);
  onPost = async () => {};
  posts = takeCallbacks(async () => {
    await onPost();
    return new Response("thanks");
  });
  await world.sweep();
  brand = await makeWebsite("brand");
  near = await makeWebsite("near");
});

afterEach(() => {
  vi.restoreAllMocks();
});

/** The job of the move is lost right after it has put up the fence. */
async function leaveFence(): Promise<void> {
  await boundDatabase("DB").prepare("UPDATE moving SET state = 1, turn = turn + 1").run();
  world.jobs.splice(0, world.jobs.length, ...world.jobs.filter(({ body }) => body.kind !== "move"));
}

const liftFence = () => boundDatabase("DB").prepare("UPDATE moving SET state = 0, turn = turn + 1").run();

const untilFence = async () => {
  await beginMove(world, "brand", "DB_2");
  await finishMove(world, "brand", (step) => step === "fence");
};

/** Pauses take no time but that of the held clock. @returns how many milliseconds of pauses there were so far */
function holdPauses(meanwhile: (passed: number) => Promise<unknown>): () => number {
  let passed = 0;
  vi.mocked(scheduler.wait).mockImplementation(async (milliseconds) => {
    passed += milliseconds;
    world.now += milliseconds;
    await meanwhile(passed);
  });
  return () => passed;
}

const moveJobs = () => world.jobs.filter(({ body }) => body.kind === "move");

const outcomes = async (messageId: string) =>
  Object.fromEntries(
    (await rowsOf("DB", `SELECT event, outcome FROM events WHERE message_id = '${messageId}'`)).map((row) => [
      row.event,
      row.outcome,
    ]),
  );

describe("a fence whose job was cut off", () => {
  it("is taken down by a job that a waiting write queues, so that the write is taken", async () => {
    await untilFence();
    await leaveFence();
    world.advance(3);
    let isWorking = false;
    const waited = holdPauses(async () => {
      const [job] = moveJobs();
      if (isWorking || !job) return;
      isWorking = true;
      world.jobs.splice(world.jobs.indexOf(job), 1);
      await world.deliver("textgate-messages", [job.body]);
    });
    const messageId = await world.send(brand, { phone: ADA });
    expect(waited()).toBeLessThan(3000);
    expect(isWorking).toBe(true);
    await finishMove(world, "brand");
    expect(await stepOf(world, "brand")).toBe("kept");
    expect(await rowsOf("DB_2", "SELECT message_id FROM messages")).toEqual([{ message_id: messageId }]);
  });

  it("is taken up by one of many writes, and by another two seconds later", async () => {
    const stale = await World.another(world);
    useDatabases(stale, (name) => strictDatabase(boundDatabase(name)), ["DB_2"]);
    await untilFence();
    await leaveFence();
    world.advance(3);
    stale.now = world.now;
    vi.mocked(scheduler.wait).mockImplementation(async () => {});
    const send = async (on: World) => (await on.post("/text/message/send", brand, { ...SEND, phone: ADA })).status;
    expect([await send(world), await send(world), await send(stale)]).toEqual([503, 503, 503]);
    expect([moveJobs().length, stale.jobs.length]).toEqual([1, 0]);
    stale.now += 2000;
    expect(await send(stale)).toBe(503);
    expect(stale.jobs.map(({ body }) => body)).toEqual([{ kind: "move", websiteId: "brand" }]);
  });

  it("is no other job's to work behind", async () => {
    await untilFence();
    await leaveFence();
    const { deps } = world;
    world.deps = { ...deps, now: () => (world.now += 1100) };
    holdPauses(async () => {});
    await world.deliver("textgate-messages", [{ kind: "move", websiteId: "brand" }]);
    world.deps = deps;
    expect(await rowsOf("DB", "SELECT state FROM moving")).toEqual([{ state: 0 }]);
  });
});

it("a move that was cut off while it failed has failed, and others may move", async () => {
  await untilFence();
  await boundDatabase("DB").prepare("DELETE FROM moving").run();
  await finishMove(world, "brand");
  expect(await stepOf(world, "brand")).toBe("failed");
  await beginMove(world, "near", "DB_2");
});

describe("behind a fence for longer than a call waits", () => {
  const LONG = 8000;

  /** A callback of the website, and one of its neighbor in the same job. */
  async function postBehindFence(clients: TestClient[]): Promise<string[]> {
    const messageIds: string[] = [];
    for (const client of clients) messageIds.push(await world.send(client, { phone: ADA }));
    await world.deliver("textgate-messages", [{ kind: "deliver", messageIds }]);
    await untilFence();
    const due = world.callbacks.map(({ body }) => body);
    onPost = async () => {
      onPost = async () => {};
      await leaveFence();
    };
    let passed = Number.NaN;
    holdPauses(async (milliseconds) => {
      const [row] = await rowsOf("DB", "SELECT state FROM moving");
      if (row?.state === 1 && Number.isNaN(passed)) passed = milliseconds;
      if (milliseconds - passed > LONG) await liftFence();
    });
    await world.deliver("textgate-callbacks", [due]);
    return messageIds;
  }

  it.each([1, 2])("what came of a callback is stored: %i websites", async (count) => {
    const messageIds = await postBehindFence([brand, near].slice(0, count));
    for (const messageId of messageIds)
      expect(await outcomes(messageId)).toEqual({ SENDING: "answered", DELIVERED: "answered" });
    expect(posts.toSorted()).toEqual([...new Set(posts)].toSorted());
    expect(posts).toHaveLength(2 * count);
  });

  it("a click is counted, once", async () => {
    const messageId = await world.send(brand, { phone: ADA, clickUrl: "https://shop.example.com/" });
    const [link] = await rowsOf("DB", "SELECT code FROM links");
    await untilFence();
    await leaveFence();
    holdPauses(async (passed) => (passed > LONG ? liftFence() : undefined));
    const answer = await world.fetch(`/l/${link?.code}`, {
      redirect: "manual",
      headers: { "user-agent": "Mozilla/5.0 (iPhone) Safari/604.1" },
    });
    expect(answer.status).toBe(302);
    expect(await rowsOf("DB", `SELECT sum(count) AS clicks FROM clicks WHERE message_id = '${messageId}'`)).toEqual([
      { clicks: 1 },
    ]);
  });

  it("the end of an operator's change is in the audit log where it began", async () => {
    await untilFence();
    const own = world.deps;
    // The website moves between the two entries of an import.
    const batch = own.db.batch.bind(own.db);
    let isMoved = false;
    const db = {
      prepare: own.db.prepare.bind(own.db),
      batch: async (statements: D1PreparedStatement[]) => {
        const results = await batch(statements);
        if (
          !isMoved &&
          (await rowsOf("DB", "SELECT 1 FROM audit_log WHERE outcome IS NULL AND action = 'import'"))[0]
        ) {
          isMoved = true;
          world.deps = own;
          await finishMove(world, "brand");
        }
        return results;
      },
    } as unknown as D1Database;
    world.deps = { ...own, db };
    platform.keyWrites.clear();
    expect((await world.subscribers("brand", ["+12125550107"])).status).toBe(200);
    expect(isMoved).toBe(true);
    expect(await rowsOf("DB_2", "SELECT phone FROM subscriptions WHERE phone = 12125550107")).toHaveLength(1);
    const log = await world.operator("GET", "/audit?website=brand");
    const { entries } = (await log.json()) as { entries: { action: string; outcome: string | null }[] };
    const outcome = entries.filter(({ action }) => action === "import").map((entry) => entry.outcome);
    expect(outcome).toEqual(["done", "done"]);
  });
});

describe("a text to several websites, of before there was another database", () => {
  it("holds up a move while a callback of it is due, and no longer", async () => {
    const single = { ...world.deps, others: new Map() };
    const text = { carrierMessageId: "in-1", from: ADA, to: [SENDER], text: "STOP", keyword: null };
    await world.invoke("fetch", () => receiveInbound(single, "sandbox", { ...text, answeredByCarrier: false }));
    const notices = await rowsOf("DB", "SELECT notice_id, website_id FROM notices ORDER BY website_id");
    expect(notices.map((row) => row.website_id)).toEqual(["brand", "near"]);
    expect(new Set(notices.map((row) => String(row.notice_id).slice(0, 36))).size).toBe(1);
    const move = (websiteId: string) => world.operator("POST", `/websites/${websiteId}/move`, { database: "DB_2" });
    for (const websiteId of ["brand", "near"]) expect((await move(websiteId)).status).toBe(409);
    world.advance(1300);
    await world.sweep();
    await world.runQueues();
    expect(posts).toHaveLength(2);
    for (const websiteId of ["brand", "near"]) {
      platform.keyWrites.clear();
      expect((await move(websiteId)).status).toBe(200);
      await finishMove(world, websiteId);
      expect(await stepOf(world, websiteId)).toBe("kept");
    }
    world.advance(120);
    await world.sweep();
    await world.runQueues();
    expect(posts).toHaveLength(2);
    const moved = await rowsOf("DB_2", "SELECT event, outcome FROM events ORDER BY message_id");
    expect(moved).toEqual([
      { event: "message.received", outcome: "answered" },
      { event: "message.received", outcome: "answered" },
    ]);
  });
});
