/** A lost try of a request may run after its recipient is erased, and that of an erasure after the person has come back. */
import { beforeEach, expect, it } from "vitest";
import { receiveInbound } from "../../../src/flows/people/receive-inbound.ts";
import { losingAnswer, losingFirst } from "../../late-tries.ts";
import { dumpStores } from "../../stores.ts";
import { SEND, type TestClient, World } from "../../world.ts";

const ADA = "+12125550100";
const BOB = "+12125550101";
const OURS = "+12125550000";

let world: World;
let client: TestClient;

beforeEach(async () => {
  world = await World.create();
  client = await world.brand([ADA, BOB]);
});

const erase = async () => expect((await world.operator("DELETE", `/websites/brand/people/${ADA}`)).status).toBe(200);
const bulk = () => {
  const messages = [ADA, BOB].map((phone) => ({ ...SEND, phone }));
  return world.post("/text/bulk/message/send", client, { messages });
};
const inHours = (hours: number) => new Date(world.now + hours * 3_600_000).toISOString();

it.each<[string, () => Promise<unknown>]>([
  ["a send", () => world.send(client, { phone: ADA })],
  ["a send that is scheduled", () => world.send(client, { phone: ADA, sendAt: inHours(5) })],
  ["a bulk request", bulk],
])("%s", async (_, work) => {
  const runLate = await losingFirst(world, work);
  expect(await dumpStores(world)).toContain(ADA.slice(1));
  world.advance(10);
  await erase();
  const counted = await world.rows("SELECT sum(accepted) AS accepted FROM traffic_counts");
  await runLate();
  expect(await dumpStores(world)).not.toContain(ADA.slice(1));
  expect(await world.rows("SELECT sum(accepted) AS accepted FROM traffic_counts")).toEqual(counted);
});

it.each(["STOP", "START", "hello"])("a text: %s", async (words) => {
  await world.website("brand", { sender: OURS });
  await world.operator("PATCH", `/clients/${client.clientId}`, {
    events: ["message.received", "subscription.changed"],
  });
  const inbound = { from: ADA, to: [OURS], text: words, keyword: null, answeredByCarrier: false };
  const receive = () =>
    world.invoke("fetch", () => receiveInbound(world.deps, "sandbox", { ...inbound, carrierMessageId: "in-1" }));
  const runLate = await losingFirst(world, receive, "INSERT INTO inbound_texts");
  world.advance(10);
  await erase();
  const then = await dumpStores(world);
  expect(then).not.toContain(ADA.slice(1));
  await runLate();
  await receive();
  expect(await dumpStores(world)).toEqual(then);
});

it.each<[string, () => Promise<Response>]>([
  ["a send", () => world.post("/text/message/send", client, { ...SEND, phone: ADA })],
  [
    "a send with a key",
    () => world.post("/text/message/send", client, { ...SEND, phone: ADA }, { "idempotency-key": "k" }),
  ],
  ["a bulk request", bulk],
])("%s is accepted whose recipient is erased between its tries", async (_, work) => {
  expect((await losingAnswer(world, work, erase)).status).toBe(200);
  expect(await dumpStores(world)).not.toContain(ADA.slice(1));
});

it("who comes back with START stays, whenever a lost try of the erasure runs", async () => {
  await world.website("brand", { sender: OURS });
  const runLate = await losingFirst(world, erase, "DELETE FROM subscriptions");
  world.advance(10);
  await world.invoke("fetch", () =>
    receiveInbound(world.deps, "sandbox", {
      ...{ from: ADA, to: [OURS], text: "START", carrierMessageId: "in-1", keyword: null, answeredByCarrier: false },
    }),
  );
  await world.send(client, { phone: ADA });
  const then = await dumpStores(world);
  expect(await world.rows("SELECT subscribed FROM subscriptions WHERE phone = 12125550100")).toEqual([
    { subscribed: 1 },
  ]);
  await runLate();
  expect(await dumpStores(world)).toEqual(then);
});
