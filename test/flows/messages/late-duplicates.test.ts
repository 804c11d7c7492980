/** A try of a request whose answer was lost may run after the message that it repeats is cancelled: its client knows no other message. */
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { losingFirst } from "../../late-tries.ts";
import { ToldCarrier } from "../../told-carrier.ts";
import { SEND, type TestClient, World } from "../../world.ts";

const ADA = "+12125550100";

let world: World;
let client: TestClient;

beforeEach(async () => {
  world = await World.create();
  client = await world.brand([ADA]);
  await world.website("brand", { duplicateWindowHours: 24 });
});

afterEach(() => {
  vi.restoreAllMocks();
});

it.each<[string, () => Promise<unknown>]>([
  ["a send", () => world.send(client, { phone: ADA })],
  ["a bulk request", () => world.post("/text/bulk/message/send", client, { messages: [{ ...SEND, phone: ADA }] })],
  [
    "a bulk request with a key",
    () =>
      world.post(
        "/text/bulk/message/send",
        client,
        { messages: [{ ...SEND, phone: ADA }] },
        { "idempotency-key": "k" },
      ),
  ],
])("%s that repeats a message stays without a text when that is cancelled", async (_, repeat) => {
  const carrier = new ToldCarrier(world);
  await world.operator("POST", "/websites/brand/hold", {});
  const messageId = await world.send(client, { phone: ADA });
  const runLate = await losingFirst(world, repeat, "INSERT INTO messages");
  await world.operator("POST", "/websites/brand/cancel", {});
  await world.operator("POST", "/websites/brand/release", {});
  await runLate();
  for (let minute = 0; minute < 10; minute++) {
    await world.runQueues();
    world.advance(60);
    await world.sweep();
  }
  expect(carrier.submitted).toEqual([]);
  expect(await world.rows("SELECT message_id, reason_code FROM messages")).toEqual([
    { message_id: messageId, reason_code: "CANCELLED" },
  ]);
});
