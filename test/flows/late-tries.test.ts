/**
 * D1 may run a try long after its caller has given it up. Whatever the work: once a later try is answered, the lost ones take no effect, and what
 * is given up altogether takes effect soon or never.
 */
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { receiveInbound } from "../../src/flows/people/receive-inbound.ts";
import { takeCallbacks } from "../callback-endpoint.ts";
import { newToken, postSession } from "../console.ts";
import { isFirst, LateTries, REFUSAL } from "../late-tries.ts";
import { dumpStores } from "../stores.ts";
import { ToldCarrier } from "../told-carrier.ts";
import { SEND, type TestClient, World } from "../world.ts";

const ADA = "+12125550100";
const BOB = "+12125550101";
const UNKNOWN = "+12125550177";
const OURS = "+12125550000";

let world: World;
let client: TestClient;
let carrier: ToldCarrier;

beforeEach(async () => {
  world = await World.create();
  client = await world.brand([`${ADA},old@example.com`, BOB]);
  await world.website("brand", { sender: OURS, duplicateWindowHours: 24 });
  await world.operator("PATCH", `/clients/${client.clientId}`, {
    events: ["message.status", "message.received", "subscription.changed"],
  });
  carrier = new ToldCarrier(world);
  takeCallbacks();
});

afterEach(() => {
  vi.restoreAllMocks();
});

type Work = () => Promise<unknown>;

const text = (words: string, id = "in-1") =>
  world.invoke("fetch", () =>
    receiveInbound(world.deps, "sandbox", {
      ...{ from: ADA, to: [OURS], keyword: null, answeredByCarrier: false, text: words, carrierMessageId: id },
    }),
  );
const ask = async (method: string, path: string, body?: object) =>
  expect((await world.operator(method, path, body)).status).toBeLessThan(300);
const bulk = (headers = {}) => {
  const messages = [ADA, BOB, UNKNOWN].map((phone) => ({ ...SEND, phone }));
  return world.post("/text/bulk/message/send", client, { messages }, headers);
};
const send = () => world.send(client, { phone: ADA });
const decide = (optOut: boolean | null) => () =>
  ask("POST", "/inbound/decide", { websiteId: "brand", carrier: "sandbox", carrierMessageId: "in-1", optOut });
const asks = () => text("would you please stop this");
const inAnHour = () => ({ sendAt: new Date(world.now + 3_600_000).toISOString() });
const deliver = () =>
  world.deliver(
    "textgate-messages",
    world.jobs.splice(0).map(({ body }) => body),
  );

async function deliverReceipt(): Promise<void> {
  const [messageId] = carrier.submitted;
  const receipts = [{ messageId, carrierMessageId: "c-1", status: "DELIVERED" }];
  const job = { kind: "receipts", carrier: "sandbox", receipts };
  expect(await world.deliver("textgate-receipts", [job])).toEqual({ acknowledged: 1, retried: 0 });
}

/** What is done before, and the work that loses its tries. */
const WORKS: Record<string, [before: Work[], work: Work]> = {
  "a send": [[], send],
  "a send that repeats another": [[send], send],
  "a send with a key": [
    [],
    () => world.post("/text/message/send", client, { ...SEND, phone: ADA }, { "idempotency-key": "k" }),
  ],
  "a scheduled send": [[], () => world.send(client, { phone: ADA, ...inAnHour() })],
  "a bulk request": [[], () => bulk()],
  "a bulk request with a key": [[], () => bulk({ "idempotency-key": "k" })],
  "the claim of a message, and its outcome": [[send], deliver],
  "a receipt": [[send, deliver], deliverReceipt],
  "a callback": [
    [() => world.send(client, { phone: UNKNOWN })],
    () =>
      world.deliver(
        "textgate-callbacks",
        world.callbacks.splice(0).map(({ body }) => body),
      ),
  ],
  "a cancellation": [[send], () => ask("POST", "/websites/brand/cancel", {})],
  "a subscription": [[], () => world.post("/text/subscribe", client, { phone_numbers: [UNKNOWN], sendPurpose: "a" })],
  "an unsubscription": [[], () => world.post("/text/unsubscribe", client, { phone_numbers: [ADA] })],
  "an import": [[], () => world.subscribers("brand", [`${UNKNOWN},new@example.com,true`, `${ADA},,false`])],
  "a STOP": [[], () => text("STOP")],
  "a START": [[() => text("STOP", "in-0")], () => text("START")],
  "a text": [[], () => text("hello")],
  "an erasure": [[], () => ask("DELETE", `/websites/brand/people/${ADA}`)],
  "a decision": [[asks], decide(true)],
  "a decision that is taken back": [[asks, decide(true)], decide(null)],
  "a hold": [[send], () => ask("POST", "/websites/brand/hold", {})],
  "a release": [
    [send, () => ask("POST", "/websites/brand/hold", {})],
    () => ask("POST", "/websites/brand/release", {}),
  ],
  "a new token": [[], () => ask("POST", "/tokens", { name: "ada" })],
  "the end of a token": [[() => ask("POST", "/tokens", { name: "ada" })], () => ask("DELETE", "/tokens/ada?which=all")],
  "a session": [[], async () => postSession(world, await newToken(world, "bob"))],
  "the removal of an address": [[], () => ask("DELETE", `/websites/brand/people/${ADA}/email`)],
  "a change of a website": [[], () => ask("PUT", "/websites/brand", { name: "Brand" })],
  "a change of a client": [[], () => ask("PATCH", `/clients/${client.clientId}`, { suspended: true })],
  "a sweep": [[send], () => world.sweep()],
};

it.each(Object.entries(WORKS))("%s: no lost try takes effect after the next one", async (_, [before, work]) => {
  for (const one of before) await one();
  world.advance(1);
  const late = new LateTries();
  await late.during(world, work, isFirst);
  await world.afterAnswer();
  expect(late.count).toBeGreaterThan(0);
  const then = await dumpStores(world);
  for (const said of await late.run()) expect(said).toMatch(REFUSAL);
  expect(await dumpStores(world)).toEqual(then);
});

it.each([3, 20, 45, 75])(
  "a claim of which no try is answered, and that runs %i seconds late: the text goes out once",
  async (seconds) => {
    vi.spyOn(Math, "random").mockReturnValue(0);
    const messageId = await send();
    const late = new LateTries();
    await late.during(world, deliver, () => true);
    const [last, ...before] = await late.run(seconds);
    // Written apart: a try lives for 15 seconds, and a later one has ended those before it.
    if (seconds < 15) expect(last).toBeNull();
    for (const said of seconds < 15 ? before : [last, ...before]) expect(said).toMatch(REFUSAL);
    await world.pass(20);
    expect(carrier.submitted).toEqual([messageId]);
  },
);

it("a try of which a later one is heard never runs, and the fence keeps nothing for longer than an hour", async () => {
  const late = new LateTries();
  await late.during(world, send, isFirst);
  expect(await world.rows("SELECT latest FROM ended_tries")).not.toEqual([]);
  expect(await world.rows("SELECT * FROM late_tries")).toEqual([]);
  await env.DB.prepare("UPDATE ended_tries SET ended_at = ?1").bind(world.now).run();
  world.advance(3600);
  await world.sweep();
  expect(await world.rows("SELECT * FROM ended_tries")).toEqual([]);
});
