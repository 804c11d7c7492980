import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, describe, expect, it, vi } from "vitest";
import { log } from "../src/log.ts";
import type { RateLimiterNamespace } from "../src/platform/rate-limiter.ts";
import { sha256Hex } from "../src/platform/secrets.ts";
import { CARRIERS, CarrierWorld, mockSockets, SETTINGS } from "./carriers/carrier-world.ts";
import { failingDatabase } from "./failing-database.ts";
import { dumpStores } from "./stores.ts";
import { OPERATOR_TOKEN, SEND, type TestClient, type World } from "./world.ts";

mockSockets();

const ADA = "+12125550100";
/** What is the people's own; of a number, also without its plus sign. */
const PERSONAL = ["12125550100", "ada@example.com", "A text for nobody else", "their-profile-id", "What Ada texted"];
const TOKENS = [OPERATOR_TOKEN, "service-key-of-the-tests"];
const CARRIER_SECRETS = ["TWILIO_AUTH_TOKEN", "TELNYX_API_KEY", "KANNEL_PASSWORD", "KANNEL_WEBHOOK_KEY"].map(
  (name) => SETTINGS[name] ?? name,
);

/** Everything that a test has brought out of the service. */
interface Seen {
  answers: string[];
  codes: Set<number>;
  queued: string[];
  printed: string[];
  /** What was posted: to carriers, and to clients. */
  toCarriers: string[];
  toClients: string[];
}

/** Keeps what comes out of the world from now on, its issued secrets left out. */
function watch(world: World): Seen {
  const seen: Seen = { answers: [], codes: new Set(), queued: [], printed: [], toCarriers: [], toClients: [] };
  const ask = world.fetch.bind(world);
  world.fetch = async (path, init) => {
    const answer = await ask(path, init);
    const body = await answer.clone().text();
    if (!/\/(clients|rotate|operator\/tokens)$/.test(path))
      seen.answers.push(JSON.stringify([[...answer.headers], body]));
    if (body.startsWith('{"code":')) seen.codes.add(JSON.parse(body).code);
    return answer;
  };
  for (const queue of [world.jobs, world.callbacks] as { body: unknown }[][]) {
    queue.push = (...items) => {
      seen.queued.push(JSON.stringify(items));
      return Array.prototype.push.apply(queue, items);
    };
  }
  for (const level of ["log", "warn", "error", "info", "debug"] as const) {
    vi.spyOn(console, level).mockImplementation((...parts) => seen.printed.push(parts.join(" ")));
  }
  world.deps = { ...world.deps, log };
  world.logEachRequest();
  return seen;
}

/** Keeps every request that the service makes. */
function watchRequests(seen: Seen): void {
  const answer = vi.mocked(fetch).getMockImplementation() as typeof fetch;
  vi.mocked(fetch).mockImplementation(async (input, init) => {
    const url = String(input);
    const request = JSON.stringify([
      url,
      init?.headers,
      init?.body instanceof Uint8Array ? new TextDecoder().decode(init.body) : init?.body,
    ]);
    (url.includes("brand.example.com") ? seen.toClients : seen.toCarriers).push(request);
    return answer(input, init);
  });
}

/** Requests that are refused, each for another reason. */
async function bringRefusals({ world, client, carrier }: CarrierWorld): Promise<void> {
  const path = "/text/message/send";
  const good = { ...SEND, phone: ADA };
  const right = { "x-client-id": client.clientId, "x-client-secret": client.clientSecret };
  const body = (more: Record<string, string>, text: BodyInit = "{}") =>
    world.fetch(path, {
      method: "POST",
      headers: { ...right, "content-type": "application/json", ...more },
      body: text,
    });
  await world.fetch(`/text/${client.clientSecret}`, { headers: right });
  await world.fetch(path, { headers: right });
  await world.fetch(path, { method: "POST" });
  await body({ "x-client-secret": client.callbackSecret });
  await body({ "x-client-secret": client.clientSecret.replace(/^./, (first) => (first === "0" ? "1" : "0")) });
  await world.fetch("/operator/websites", { headers: { authorization: `Bearer ${OPERATOR_TOKEN}x` } });
  await world.fetch(`/carriers/${carrier.name}/receipts?k=${CARRIER_SECRETS[3]}`, { method: "POST", body: "x" });
  await body({ "content-type": "text/plain" });
  await body({ "content-encoding": "gzip" });
  await body({}, "x".repeat(200_000));
  await body({}, `{"text":"${client.clientSecret}"`);
  await world.post(path, client, { text: PERSONAL[2], phone: client.clientSecret });
  await world.fetch(`/text/message/status?messageId=${client.clientSecret}`, { headers: right });
  await world.post(path, client, good, { "idempotency-key": "once" });
  await world.post(path, client, { ...good, text: PERSONAL[2] }, { "idempotency-key": "once" });
  const broken = new IdentityTransformStream();
  const answered = body({}, broken.readable);
  const writer = broken.writable.getWriter();
  await writer.write(new TextEncoder().encode('{"'));
  await writer.abort(new Error(client.clientSecret));
  await answered;
}

/** Requests that meet a store, a counter or a program that fails. */
async function bringFaults({ world, client }: CarrierWorld): Promise<void> {
  const whole = world.deps;
  const send = () => world.post("/text/message/send", client, { ...SEND, phone: ADA, text: PERSONAL[2] });
  world.deps = { ...whole, db: failingDatabase(whole.db, Number.POSITIVE_INFINITY) };
  await send();
  world.deps = { ...whole, newId: () => JSON.parse("not an id") as string };
  await send();
  const full = { refusal: () => ({ admitted: false, remaining: 0, resetMilliseconds: 1 }) };
  world.deps = { ...whole, limiter: full as unknown as typeof whole.limiter };
  await send();
  const broken = { refusal: () => undefined, send: () => Promise.reject(new Error("object reset")) };
  world.deps = { ...whole, limiter: broken as unknown as typeof whole.limiter };
  await send();
  world.deps = whole;
}

/** Messages of all kinds, with what comes back of them. */
async function bringTraffic(it: CarrierWorld): Promise<void> {
  const callbackData = `{"profile":"${PERSONAL[3]}"}`;
  const fields = { text: PERSONAL[2], callbackData, clickUrl: "https://example.com/?a=b" };
  const submitted = await it.submit(fields);
  await it.receipt(submitted, "delivered");
  await it.world.send(it.client, { email: PERSONAL[1], ...fields });
  await it.world.send(it.client, { phone: "+12125550177", ...fields });
  await it.world.post("/text/bulk/message/send", it.client, {
    messages: [{ phone: ADA, ...SEND, ...fields }, { phone: 1 }],
  });
  it.answer = () => Promise.reject(new Error(`Network connection lost to ${PERSONAL[2]}`));
  await it.submit(fields);
  it.answer = it.carrier.accepts;
  await it.inbound("HELP");
  await it.inbound(PERSONAL[4] as string);
  await it.inbound("STOP");
  await it.world.runQueues();
  await it.world.sweep();
  await it.world.runQueues();
}

/** A token of a name, as long as it is valid and afterwards. @returns it */
async function useToken({ world }: CarrierWorld): Promise<string> {
  const { token } = (await (await world.operator("POST", "/tokens", { name: "ada" })).json()) as { token: string };
  const headers = { authorization: `Bearer ${token}` };
  await world.fetch("/operator/tokens?of=all", { headers });
  await world.fetch(`/operator/websites/brand/people/${ADA}/email`, { method: "DELETE", headers });
  await world.operator("DELETE", "/tokens/ada");
  await world.fetch("/operator/audit", { headers });
  return token;
}

/** Every answer that an operator may ask for. */
async function askEverything({ world, client }: CarrierWorld): Promise<void> {
  const [message] = await world.rows("SELECT message_id FROM messages WHERE carrier IS NOT NULL");
  for (const path of [
    "",
    "/brand",
    "/brand/inbound",
    `/brand/people/${ADA}`,
    "/brand/report",
    "/brand/report?format=csv",
  ]) {
    await world.operator("GET", `/websites${path}`);
  }
  await world.operator("GET", `/messages/${message?.message_id}`);
  await world.operator("GET", "/audit");
  await world.operator("GET", `/clients/${client.clientId}`);
  world.advance(1);
  await world.operator("PATCH", `/clients/${client.clientId}`, { suspended: true });
  await world.post("/text/message/send", client, {});
  world.advance(1);
  await world.operator("PATCH", `/clients/${client.clientId}`, { suspended: false, operations: [] });
  await world.post("/text/message/send", client, {});
}

function expectNone(where: string, texts: string[], secrets: string[]): void {
  expect([where, texts.length > 0]).toEqual([where, true]);
  for (const secret of secrets) {
    expect(secret.length).toBeGreaterThan(6);
    expect([where, secret, texts.find((text) => text.includes(secret))]).toEqual([where, secret, undefined]);
  }
}

afterEach(() => {
  vi.restoreAllMocks();
});

describe.each(CARRIERS)("whatever happens, with $name", (carrier) => {
  it("no secret comes out, and nothing of a person in a log line or a job", async () => {
    const it = await CarrierWorld.create(carrier);
    const { world } = it;
    const first = it.client;
    const seen = watch(world);
    watchRequests(seen);
    const rotated: TestClient = await (await world.operator("POST", `/clients/${first.clientId}/rotate`, {})).json();
    await bringTraffic(it);
    await bringRefusals(it);
    await bringFaults(it);
    const token = await useToken(it);
    await askEverything(it);

    const issued = [first, rotated].flatMap((pair) => [pair.clientSecret, pair.callbackSecret.replace("whsec_", "")]);
    const stored = await world.rows(
      "SELECT secret_hash, old_secret_hash, callback_secret, old_callback_secret FROM clients",
    );
    const kept = stored.flatMap((row) => Object.values(row).map(String));
    expect(kept).toHaveLength(4);
    const ours = [...issued, ...kept, ...TOKENS, token.slice(3), await sha256Hex(token)];
    for (const where of ["answers", "queued", "printed", "toClients"] as const) {
      expectNone(where, seen[where], [...ours, ...CARRIER_SECRETS]);
    }
    expectNone("toCarriers", seen.toCarriers, ours);
    const mine = Object.values(carrier.settings);
    expectNone(
      "toCarriers",
      seen.toCarriers,
      CARRIER_SECRETS.filter((secret) => !mine.includes(secret)),
    );
    for (const where of ["queued", "printed"] as const) expectNone(where, seen[where], PERSONAL);

    const codes = [40400, 40500, 40100, 40101, 40300, 40301, 40302, 42900, 41500, 41501, 41300, 40800, 40000, 40001];
    expect([...seen.codes].sort()).toEqual([...codes, 40401, 40900, 50000, 50300].sort());
  });

  it("the stores hold hashes and what is sealed, and KV no more than the check of a request needs", async () => {
    const it = await CarrierWorld.create(carrier);
    await bringTraffic(it);
    const stores = await dumpStores(it.world);
    const { clientId, clientSecret, callbackSecret } = it.client;
    expect(stores).toContain(await sha256Hex(clientSecret));
    expectNone("stores", [stores], [clientSecret, callbackSecret.replace("whsec_", ""), ...TOKENS, ...CARRIER_SECRETS]);
    const { keys } = await env.CREDENTIALS.list();
    expect(keys.map(({ name, metadata }) => [name, metadata])).toEqual([[`client:${clientId}`, undefined]]);
    const copy = await env.CREDENTIALS.get<object>(`client:${clientId}`, "json");
    const fields =
      "clientId websiteId database operations suspended secretHash oldSecret duplicateWindowHours allowedCountries linkOrigin transactionalPurposes sendingHours dailyLimit home version".split(
        " ",
      );
    expect(Object.keys(copy ?? {}).sort()).toEqual(fields.sort());
    await it.world.operator("PATCH", `/clients/${clientId}`, { suspended: true });
    const object = (env.RATE_LIMITER as RateLimiterNamespace).getByName("brand");
    const kept = await runInDurableObject(object, (_, { storage }) => [...storage.kv.list<object>()]);
    expect(kept.map(([id, client]) => [id, Object.keys(client).sort()])).toContainEqual([
      `client:${clientId}`,
      fields.sort(),
    ]);
    expectNone("object", [JSON.stringify(kept)], [clientSecret, callbackSecret.replace("whsec_", "")]);
  });
});
