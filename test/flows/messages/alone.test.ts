/** One bad element of a batch fails alone: the others have their turn, and the failure is told all the same. */
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { RequestFailure } from "../../../src/domain/failure.ts";
import { inTurn } from "../../../src/flows/in-turn.ts";
import { applyReceipts, optOutAtCarrier } from "../../../src/flows/messages/apply-receipts.ts";
import { receiveInbound } from "../../../src/flows/people/receive-inbound.ts";
import { SEND, type TestClient, World } from "../../world.ts";

const [ADA, BOB, CY] = ["+12125550100", "+12125550101", "+12125550102"] as const;
const RECEIPT = { status: "DELIVERED", reason: null, carrierMessageId: null, optedOut: false } as const;

let world: World;
let client: TestClient;

beforeEach(async () => {
  world = await World.create();
  client = await world.brand([ADA, BOB, CY]);
  vi.spyOn(globalThis, "fetch").mockImplementation(async () => new Response("thanks"));
});

afterEach(() => {
  vi.restoreAllMocks();
});

/** From now on the store refuses what is done to a row. */
const poison = (what: string, row: string) =>
  world.rows(
    `CREATE TRIGGER poison_${what.replaceAll(/\W/g, "_")} BEFORE ${what} WHEN ${row}
     BEGIN SELECT RAISE(ABORT, 'constraint failed: poisoned'); END`,
  );

/** Three messages that a carrier has. */
async function sendThree(): Promise<[string, string, string]> {
  const ids: string[] = [];
  // "0003": the sandbox takes it and says nothing more.
  for (const phone of ["+12125550003", "+13125550003", "+14155550003"]) {
    await world.subscribers("brand", [phone]);
    ids.push(await world.send(client, { phone }));
  }
  await world.runQueues();
  return ids as [string, string, string];
}

describe("a carrier's reports", () => {
  it("of which one cannot be applied change the other messages", async () => {
    const ids = await sendThree();
    await poison("UPDATE ON messages", `NEW.message_id = '${ids[0]}'`);
    const receipts = ids.map((messageId, index) => ({ ...RECEIPT, messageId, reason: `receipt ${index}` }));
    await expect(applyReceipts(world.deps, receipts)).rejects.toThrow("poisoned");
    expect(await Promise.all(ids.map((id) => world.statusOf(id)))).toEqual(["SENDING", "DELIVERED", "DELIVERED"]);
  });

  it("of opt-outs, of which one cannot be stored, opt the others out", async () => {
    const ids = await sendThree();
    await poison("UPDATE ON subscriptions", "NEW.phone = 12125550003");
    const refused = ids.map((messageId) => ({ messageId, reason: "21610" }));
    await expect(optOutAtCarrier(world.deps, refused)).rejects.toThrow("poisoned");
    const rows = await world.rows("SELECT subscribed FROM subscriptions WHERE phone % 10000 = 3 ORDER BY phone");
    expect(rows).toEqual([{ subscribed: 1 }, { subscribed: 0 }, { subscribed: 0 }]);
  });

  it("of opt-outs that fail keep no receipt of the same job from its message", async () => {
    const [one, two] = await sendThree();
    await poison("UPDATE ON subscriptions", "NEW.phone = 12125550003");
    const claim = "a run";
    await world.rows("UPDATE messages SET status = 'PENDING_TO_SEND', due_at = accepted_at, claim = ?1", claim);
    const record = {
      status: null,
      reason: null,
      carrierMessageId: null,
      retryAt: null,
      receipt: null,
      attempted: true,
      code: null,
      entry: null,
    };
    const refusal = { ...record, messageId: one, status: "FAILED_TO_SEND", reason: "21610", optedOut: true };
    const receipt = { ...RECEIPT, messageId: two };
    const taken = { ...record, messageId: two, status: "SENDING", optedOut: false, receipt };
    await world.deliver("textgate-messages", [{ kind: "record", claim, records: [refusal, taken] }]);
    expect([await world.statusOf(one), await world.statusOf(two)]).toEqual(["FAILED_TO_SEND", "DELIVERED"]);
  });
});

it("a STOP that one website cannot store opts the person out of the others", async () => {
  for (const websiteId of ["a", "b", "c"]) {
    await world.website(websiteId, { sender: "+12125550000" });
    await world.subscribers(websiteId, [ADA]);
  }
  await poison("INSERT ON inbound_texts", "NEW.website_id = 'a'");
  const text = { carrierMessageId: "t1", from: ADA, to: ["+12125550000"], text: "STOP" };
  const inbound = { ...text, keyword: null, answeredByCarrier: false };
  await expect(receiveInbound(world.deps, "sandbox", inbound)).rejects.toThrow("poisoned");
  const rows = await world.rows(
    "SELECT website_id, subscribed FROM subscriptions WHERE website_id IN ('a', 'b', 'c') ORDER BY website_id",
  );
  expect(rows.map(({ subscribed }) => subscribed)).toEqual([1, 0, 0]);
  const replies = "SELECT website_id FROM messages WHERE is_reply > 0";
  expect(await world.rows(replies)).toEqual([]);
  await world.rows("DROP TRIGGER poison_INSERT_ON_inbound_texts");
  for (let again = 0; again < 2; again++) await receiveInbound(world.deps, "sandbox", inbound);
  expect(await world.rows(replies)).toEqual([{ website_id: "a" }]);
});

it("a START that one website cannot store subscribes the person to none that did not know them", async () => {
  for (const websiteId of ["a", "b", "c"]) await world.website(websiteId, { sender: "+12125550000" });
  for (const websiteId of ["a", "b"]) await world.subscribers(websiteId, [ADA]);
  const about = { from: ADA, to: ["+12125550000"], keyword: null, answeredByCarrier: false };
  await receiveInbound(world.deps, "sandbox", { ...about, carrierMessageId: "t1", text: "STOP" });
  await poison("INSERT ON inbound_texts", "NEW.website_id = 'a'");
  const start = { ...about, carrierMessageId: "t2", text: "START" };
  await expect(receiveInbound(world.deps, "sandbox", start)).rejects.toThrow("poisoned");
  const rows = await world.rows(
    "SELECT subscribed FROM subscriptions WHERE website_id IN ('a', 'b', 'c') ORDER BY website_id",
  );
  expect(rows.map(({ subscribed }) => subscribed)).toEqual([0, 1, 0]);
});

describe("the sweep", () => {
  it("purges the other websites when one cannot be purged, and says that it failed", async () => {
    const other = await world.brand([ADA], "another");
    for (const sender of [other, client]) await world.send(sender, { phone: "+12125550177" });
    await poison("DELETE ON messages", "OLD.website_id = 'another'");
    world.advance(31 * 86_400);
    await world.sweep();
    expect(await world.rows("SELECT website_id FROM messages")).toEqual([{ website_id: "another" }]);
    expect(await (await world.operator("GET", "/health")).json()).toMatchObject({
      sweep: { failedJobs: ["purge-messages"] },
    });
  });

  /** KV that does not take one client's copy. */
  const refuseCopy = (clientId: string) => {
    const { credentials } = world.deps;
    const write = credentials.write.bind(credentials);
    vi.spyOn(credentials, "write").mockImplementation(async (given, now) => {
      if (given.clientId === clientId) throw new RequestFailure({ kind: "store-unavailable" });
      await write(given, now);
    });
  };

  it("copies the other clients to KV when one cannot be copied", async () => {
    const other = await world.client();
    await world.rows("UPDATE clients SET suspended = 1, copied_at = NULL");
    const [first] = await world.rows("SELECT client_id FROM clients ORDER BY client_id LIMIT 1");
    refuseCopy(String(first?.client_id));
    await world.sweep();
    const left = await world.rows("SELECT client_id FROM clients WHERE copied_at IS NULL");
    expect(left).toEqual([first]);
    const copied = [client, other].find(({ clientId }) => clientId !== first?.client_id);
    expect(await env.CREDENTIALS.get(`client:${copied?.clientId}`, "json")).toMatchObject({ suspended: true });
  });

  it("copies a client whose operations cannot be read with none, and the others as they are", async () => {
    const other = await world.client();
    await world.rows("UPDATE clients SET copied_at = NULL");
    await world.rows("UPDATE clients SET operations = '[send' WHERE client_id = ?1", client.clientId);
    await world.sweep();
    expect(await env.CREDENTIALS.get(`client:${client.clientId}`, "json")).toMatchObject({ operations: [] });
    expect(await world.rows("SELECT 1 FROM clients WHERE copied_at IS NULL")).toEqual([]);
    const { clients } = (await (await world.operator("GET", "/websites/brand")).json()) as { clients: unknown[] };
    expect(clients).toHaveLength(2);
    expect((await world.post("/text/message/send", other, { ...SEND, phone: ADA })).status).toBe(200);
  });
});

describe("dead jobs that are put back", () => {
  const die = (id: string, body: string) =>
    world.rows(
      "INSERT INTO dead_jobs (id, queue, body, died_at) VALUES (?1, 'textgate-messages', ?2, ?3)",
      id,
      body,
      world.now,
    );
  const waiting = async () =>
    (await world.rows("SELECT id FROM dead_jobs WHERE put_back_at IS NULL")).map(({ id }) => id);

  it("without one that the queue does not take are queued and marked, and it waits on", async () => {
    for (const id of ["a", "b", "c"]) await die(id, JSON.stringify({ kind: "deliver", messageIds: [id] }));
    const { messages } = world.deps;
    const send = messages.send.bind(messages);
    vi.spyOn(messages, "send").mockImplementation((job, options) =>
      JSON.stringify(job).includes('"a"') ? Promise.reject(new Error("too large")) : send(job, options),
    );
    expect((await world.operator("POST", "/dead-jobs/put-back")).status).toBe(503);
    expect(world.jobs).toHaveLength(2);
    expect(await waiting()).toEqual(["a"]);
  });

  it("are listed and put back although one is no JSON", async () => {
    await die("a", "{broken");
    await die("b", JSON.stringify({ kind: "deliver", messageIds: [] }));
    const { deadJobs } = (await (await world.operator("GET", "/dead-jobs")).json()) as {
      deadJobs: { id: string; body: unknown }[];
    };
    expect(deadJobs.find(({ id }) => id === "a")?.body).toBe("{broken");
    expect(await (await world.operator("POST", "/dead-jobs/put-back")).json()).toEqual({
      putBack: 1,
      unreadable: 1,
      left: 0,
    });
  });
});

it("the state of the service is shown although what the last sweep left cannot be read", async () => {
  await world.sweep();
  await world.rows("UPDATE last_sweep SET failed_jobs = ''");
  expect(await (await world.operator("GET", "/health")).json()).toMatchObject({ sweep: { failedJobs: [] } });
});

describe("work that is done in turn", () => {
  const away = () => new RequestFailure({ kind: "store-unavailable" });

  it("ends once the store has not answered three times in a row", async () => {
    const done: number[] = [];
    const work = async (item: number) => {
      done.push(item);
      if (item !== 2) throw away();
    };
    await expect(inTurn([1, 2, 3, 4, 5, 6], work)).rejects.toThrow("store-unavailable");
    expect(done).toEqual([1, 2, 3, 4, 5]);
  });

  it("tells of a store that did not answer before a fault of its own: that is tried again", async () => {
    const faults = [new Error("own"), away()];
    const work = async (fault: Error) => {
      throw fault;
    };
    await expect(inTurn(faults, work)).rejects.toThrow("store-unavailable");
  });
});
