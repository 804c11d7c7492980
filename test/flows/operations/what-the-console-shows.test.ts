/** What the console shows beside messages and endpoints: how much a problem is of, how an endpoint answers, clicks, kinds and consents. */
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Carrier, Submission } from "../../../src/carriers/carrier.ts";
import { sandbox } from "../../../src/carriers/sandbox.ts";
import { countLedgers } from "../../../src/flows/operations/count-ledgers.ts";
import { seed } from "../../seed.ts";
import { strictCarrier } from "../../strict/bindings.ts";
import { type TestClient, World } from "../../world.ts";

const [ADA, BOB] = ["+12125550100", "+12125550101"];

let world: World;
let client: TestClient;
let submit: () => Submission;
let endpoint: () => Response | Promise<Response>;

beforeEach(async () => {
  world = await World.create();
  client = await world.brand([ADA, BOB]);
  submit = () => ({ kind: "accepted", carrierMessageId: "c" });
  endpoint = () => new Response("thanks");
  const carrier: Carrier = { ...sandbox, submit: async () => submit() };
  world.deps = {
    ...world.deps,
    carriers: { ready: { gateway: strictCarrier(carrier), sandbox: strictCarrier(carrier) }, missing: {} },
  };
  await world.rows(
    "UPDATE websites SET carrier = 'gateway', settings = json_set(settings, '$.timeZone', 'America/New_York')",
  );
  vi.spyOn(globalThis, "fetch").mockImplementation(async () => endpoint());
  await world.sweep();
});

afterEach(() => {
  vi.restoreAllMocks();
});

const read = async <Answer>(path: string): Promise<Answer> => (await world.operator("GET", path)).json();

interface Problem {
  problem: string;
  websiteNames: string[];
  timeZone: string | null;
  affected: number | null;
}

const problem = async (name: string) => {
  const { problems } = await read<{ problems: Problem[] }>("/overview");
  return problems.find((it) => it.problem === name);
};

interface Posts {
  slots: { taken: number; failed: number }[];
  meanMilliseconds: number | null;
  failing: { since: string; failures: number } | null;
  lastFailure: { httpStatus: number | null; outcome: string; response: string | null } | null;
}

const postsOf = async (clientId: string) => {
  const { posts } = await read<{ posts: Posts }>(`/clients/${clientId}`);
  const { clients } = await read<{ clients: { clientId: string; posts: Posts }[] }>("/websites/brand");
  expect(clients.find((it) => it.clientId === clientId)?.posts).toEqual(posts);
  return posts;
};

async function sendAndPost(times = 1): Promise<void> {
  for (let index = 0; index < times; index++) {
    world.advance(1);
    await world.send(client, { phone: ADA });
    await world.runQueues();
  }
}

describe("a problem", () => {
  it("of a carrier says whose texts wait for it, and how many", async () => {
    submit = () => ({ kind: "later", reason: "HTTP 401", unauthorized: true, failing: "carrier" }) as Submission;
    await world.brand([ADA], "idle");
    for (const phone of [ADA, BOB]) await world.send(client, { phone });
    await world.runQueues();
    world.advance(120);
    await countLedgers(world.deps, world.now);
    const { problems } = await read<{ problems: (Problem & { carrier: string | null })[] }>("/overview");
    const ofCarrier = problems.filter(({ carrier }) => carrier === "gateway");
    expect(ofCarrier.length).toBeGreaterThan(0);
    for (const it of ofCarrier)
      expect(it).toMatchObject({ websiteNames: ["brand"], timeZone: "America/New_York", affected: 2 });
  });

  it("of an endpoint says how many callbacks were not taken", async () => {
    endpoint = () => new Response("no", { status: 500 });
    await sendAndPost(4);
    expect(await problem("endpoint-failing")).toMatchObject({ websiteNames: ["brand"], affected: 4 });
    const { websites } = await read<{ websites: { failingEndpoints: number }[] }>("/overview");
    expect(websites).toMatchObject([{ failingEndpoints: 1 }]);
  });

  it("of dead jobs says how many, while they are few enough to be counted in a look", async () => {
    const add = (id: string) =>
      world.rows("INSERT INTO dead_jobs (id, queue, body, died_at) VALUES (?1, 'q', '{}', ?2)", id, world.now);
    for (let index = 0; index < 19; index++) await add(`${index}`);
    expect((await problem("dead-jobs"))?.affected).toBe(19);
    await add("19");
    expect((await problem("dead-jobs"))?.affected).toBeNull();
  });
});

describe("the endpoint of a website in the sandbox", () => {
  it("is no problem, nor is its website marked, and health tells of it all the same", async () => {
    await world.rows("UPDATE websites SET carrier = 'sandbox'");
    endpoint = () => new Response("no", { status: 500 });
    await sendAndPost(4);
    expect(await problem("endpoint-failing")).toBeUndefined();
    const { websites } = await read<{ websites: { failingEndpoints: number }[] }>("/overview");
    expect(websites).toMatchObject([{ failingEndpoints: 0 }]);
    const { callbacks } = await read<{ callbacks: { failingEndpoints: unknown[] } }>("/health");
    expect(callbacks.failingEndpoints).toHaveLength(1);
  });
});

describe("the posts of a client", () => {
  it("are counted, with how the last one failed, and since when all do", async () => {
    await sendAndPost(2);
    expect(await postsOf(client.clientId)).toMatchObject({ failing: null, lastFailure: null });
    endpoint = () => new Response("upstream connect error", { status: 503 });
    await sendAndPost(2);
    const posts = await postsOf(client.clientId);
    expect(posts.slots).toHaveLength(72);
    expect(posts.slots.at(-1)).toEqual({ at: "2026-11-21T12:00:00.000Z", taken: 2, failed: 2 });
    expect(posts).toMatchObject({
      failing: { since: "2026-11-21T12:00:03.000Z", failures: 2 },
      lastFailure: { httpStatus: 503, outcome: "answered", response: "upstream connect error" },
    });
  });

  it("keep the last failure after it is mended, while it is among the latest 100 events", async () => {
    endpoint = () => Promise.reject(new TypeError("connection refused"));
    await sendAndPost();
    endpoint = () => new Response("thanks");
    await sendAndPost();
    expect(await postsOf(client.clientId)).toMatchObject({
      failing: null,
      lastFailure: { httpStatus: null, outcome: "unreachable" },
    });
    await seed(world, "events", 100, {
      ...{ website_id: "'brand'", client_id: `'${client.clientId}'`, message_id: "'m' || i", event: "'DELIVERED'" },
      ...{ occurred_at: "0", outcome: "'answered'", http_status: "204" },
    });
    expect((await postsOf(client.clientId)).lastFailure).toBeNull();
  });

  it("are those of its URL alone, and of no other client", async () => {
    endpoint = () => new Response("no", { status: 500 });
    await sendAndPost();
    const other = await world.client("brand");
    expect(await postsOf(other.clientId)).toMatchObject({ failing: null, lastFailure: null, meanMilliseconds: null });
    await world.operator("PATCH", `/clients/${client.clientId}`, { callbackUrl: "https://another.example.com/" });
    expect((await postsOf(client.clientId)).failing).toBeNull();
  });
});

describe("a message", () => {
  it("has its kind: what its client says, or its purpose, or marketing", async () => {
    await world.operator("PUT", "/websites/brand", { transactionalPurposes: ["login-code"] });
    world.advance(120);
    const kinds = async (fields: object) => {
      const messageId = await world.send(client, { phone: ADA, ...fields });
      return (await read<{ kind: string }>(`/messages/${messageId}`)).kind;
    };
    expect([
      await kinds({ text: "one" }),
      await kinds({ text: "two", sendPurpose: "login-code" }),
      await kinds({ text: "three", kind: "transactional" }),
    ]).toEqual(["marketing", "transactional", "transactional"]);
  });

  it("has in a list when a person first clicked, and not when a robot did", async () => {
    const clickUrl = "https://example.com/";
    const clicked = await world.send(client, { phone: ADA, clickUrl });
    const fetched = await world.send(client, { phone: BOB, clickUrl });
    const click = (messageId: string, at: number, isPerson: number) =>
      world.rows(
        "INSERT INTO clicks (message_id, click_id, clicked_at, is_person) VALUES (?1, ?2, ?3, ?4)",
        ...[messageId, `${at}`, at, isPerson],
      );
    await click(clicked, world.now + 5000, 1);
    await click(clicked, world.now + 3000, 1);
    await click(clicked, world.now + 1000, 0);
    await click(fetched, world.now + 1000, 0);
    const { messages } = await read<{ messages: { messageId: string; clickedAt: string | null }[] }>("/messages");
    expect(new Map(messages.map(({ messageId, clickedAt }) => [messageId, clickedAt]))).toEqual(
      new Map([
        [clicked, "2026-11-21T12:00:03.000Z"],
        [fetched, null],
      ]),
    );
    const person = await read<{ messages: { clickedAt: string }[] }>(`/people/${encodeURIComponent(ADA)}`);
    expect(person.messages).toMatchObject([{ clickedAt: "2026-11-21T12:00:03.000Z" }]);
  });

  it("has the consent that its client told, with what shows it", async () => {
    const carol = "+12125550102";
    const told = { consentedAt: "2026-11-20T10:00:00.000Z", evidence: "Checkout, box ticked" };
    const answer = await world.post("/text/subscribe", client, {
      phone_numbers: [carol],
      sendPurpose: "shop",
      ...told,
    });
    expect(answer.status).toBe(200);
    world.advance(1);
    const { consent } = await read<{ consent: object }>(`/messages/${await world.send(client, { phone: carol })}`);
    expect(consent).toMatchObject({ subscribed: true, ...told });
  });
});

it("what waits has the kind that all of it is of, and the time zone of its website", async () => {
  await world.operator("PUT", "/websites/brand", { frequencyCap: { count: 3, hours: 24 } });
  world.advance(120);
  await world.send(client, { phone: ADA, kind: "transactional", sendPurpose: "code" });
  await world.send(client, { phone: BOB, kind: "transactional", sendPurpose: "mixed" });
  await world.send(client, { phone: ADA, sendPurpose: "mixed" });
  const { groups } = await read<{
    groups: { timeZone: string; rows: { sendPurpose: string; kind: string | null }[] }[];
  }>("/waiting");
  expect(groups.map(({ timeZone }) => timeZone)).toEqual(["America/New_York"]);
  expect(new Map(groups.flatMap(({ rows }) => rows.map((row) => [row.sendPurpose, row.kind])))).toEqual(
    new Map([
      ["code", "transactional"],
      ["mixed", null],
    ]),
  );
});
