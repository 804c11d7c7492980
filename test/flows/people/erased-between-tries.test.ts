/** A recipient is erased between the tries of a request, or before it is repeated: nothing of the person is stored again. */
import { beforeEach, expect, it } from "vitest";
import { receiveInbound } from "../../../src/flows/people/receive-inbound.ts";
import { losingAnswer } from "../../late-tries.ts";
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
it.each(["STOP", "START", "hello"])("a text that its carrier brings again: %s", async (words) => {
  await world.website("brand", { sender: OURS });
  await world.operator("PATCH", `/clients/${client.clientId}`, {
    events: ["message.received", "subscription.changed"],
  });
  const inbound = { from: ADA, to: [OURS], text: words, keyword: null, answeredByCarrier: false };
  const receive = () =>
    world.invoke("fetch", () => receiveInbound(world.deps, "sandbox", { ...inbound, carrierMessageId: "in-1" }));
  await receive();
  world.advance(10);
  await erase();
  const then = await dumpStores(world);
  expect(then).not.toContain(ADA.slice(1));
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
