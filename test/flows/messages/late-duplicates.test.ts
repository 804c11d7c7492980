/** A try of a request whose answer was lost may run after the message that it repeats is cancelled: its client knows no other message. */
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { Send } from "../../../src/domain/messages/send.ts";
import { storeGroup } from "../../../src/flows/messages/store-sends.ts";
import { cancelUnconfirmed } from "../../../src/store/messages/cancelled-messages.ts";
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

/** The object of the website does not answer, and the send is stored without it. @returns the object's late work */
async function silentObject(): Promise<() => Promise<unknown>> {
  let asked: Send | undefined;
  vi.spyOn(world.deps.limiter, "send").mockImplementationOnce(async (send) => {
    asked = send;
    throw new Error("object reset");
  });
  await world.send(client, { phone: ADA });
  return () => world.invoke("fetch", () => storeGroup(world.deps, [asked as Send]));
}

type Losing = () => Promise<() => Promise<unknown>>;
const losing =
  (work: () => Promise<unknown>): Losing =>
  () =>
    losingFirst(world, work, "INSERT INTO messages");

it.each<[string, Losing]>([
  ["a send", losing(() => world.send(client, { phone: ADA }))],
  ["a send whose object is silent", silentObject],
  [
    "a bulk request",
    losing(() => world.post("/text/bulk/message/send", client, { messages: [{ ...SEND, phone: ADA }] })),
  ],
  [
    "a bulk request with a key",
    losing(() =>
      world.post(
        "/text/bulk/message/send",
        client,
        { messages: [{ ...SEND, phone: ADA }] },
        { "idempotency-key": "k" },
      ),
    ),
  ],
])("%s that repeats a message stays without a text when that is cancelled", async (_, repeat) => {
  const carrier = new ToldCarrier(world);
  await world.operator("POST", "/websites/brand/hold", {});
  const messageId = await world.send(client, { phone: ADA });
  const runLate = await repeat();
  await world.operator("POST", "/websites/brand/cancel", {});
  await world.operator("POST", "/websites/brand/release", {});
  await runLate();
  await world.runQueues();
  await world.pass(10);
  expect(carrier.submitted).toEqual([]);
  expect(await world.rows("SELECT message_id, reason_code FROM messages")).toEqual([
    { message_id: messageId, reason_code: "CANCELLED" },
  ]);
});

it("a send that its key refuses is never stored, also when the sweep has purged the key before a lost try runs", async () => {
  const carrier = new ToldCarrier(world);
  const key = { "idempotency-key": "order-4711" };
  const sendWith = (text: string) => world.post("/text/message/send", client, { ...SEND, phone: ADA, text }, key);
  const messageId = ((await (await sendWith("Brand: shipped")).json()) as { messageId: string }).messageId;
  await world.runQueues();
  world.advance(24 * 3600 - 1);
  const refusing = async () => expect((await sendWith("Brand: delivered")).status).toBe(409);
  const runLate = await losingFirst(world, refusing, "INSERT INTO messages");
  world.advance(5);
  await world.sweep();
  await runLate();
  await world.pass(10);
  expect(carrier.submitted).toEqual([messageId]);
});

it("a send that is cancelled leaves no key of its content behind, in whichever form its number is", async () => {
  await world.subscribers("brand", ["+5491155550100"]);
  const cancelled = await world.send(client, { phone: "+5491155550100" });
  await cancelUnconfirmed(world.deps.db, [cancelled], world.now);
  const scheduled = await world.send(client, {
    phone: "+5491155550100",
    sendAt: new Date(world.now + 3_600_000).toISOString(),
  });
  await cancelUnconfirmed(world.deps.db, [scheduled], world.now);
  expect(await world.rows("SELECT * FROM duplicate_keys")).toEqual([]);
});
