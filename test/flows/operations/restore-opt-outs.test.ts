/** What the restore of a database brings back of opt-outs, whatever is said of the numbers meanwhile. */
import { beforeEach, expect, it } from "vitest";
import KEEP from "../../../scripts/restore/keep.sql?raw";
import { receiveInbound } from "../../../src/flows/people/receive-inbound.ts";
import { type TestClient, World } from "../../world.ts";
import { restore, run, takeSnapshot } from "./time-travel.ts";

const ADA = "+12125550100";
const BOB = "+12125550101";
const DORA = "+12125550102";
const OURS = "+12125550000";

let world: World;
let client: TestClient;

beforeEach(async () => {
  world = await World.create();
  await world.website("brand", { carrier: "sandbox", sender: OURS });
  client = await world.brand([ADA, BOB, DORA]);
});

const text = (words: string, from: string) =>
  receiveInbound(world.deps, "sandbox", {
    ...{ carrierMessageId: `${words}-${from}`, from, to: [OURS], text: words },
    ...{ keyword: null, answeredByCarrier: false },
  });

const unsubscribe = (phone: string) => world.post("/text/unsubscribe", client, { phone_numbers: [phone] });
const subscribe = (phone: string) =>
  world.post("/text/subscribe", client, { phone_numbers: [phone], sendPurpose: "news", evidence: "form 7" });
const load = (phone: string) => world.subscribers("brand", [`${phone},new@example.com`]);

const subscriptionOf = async (phone: string) =>
  (
    await world.rows(
      "SELECT subscribed, opted_out_by_person AS person FROM subscriptions WHERE phone = ?1",
      Number(phone.slice(1)),
    )
  )[0];

/** Each number is opted out after the time, and spoken of again before the opt-outs are brought back. @returns what brings them back */
async function restoreAround(
  optOut: (phone: string) => Promise<unknown>,
  say: Record<string, (phone: string) => unknown>,
) {
  const [snapshot, restoreTo] = [await takeSnapshot(world), world.now];
  world.advance(60);
  for (const phone of Object.keys(say)) await optOut(phone);
  const kept = await world.rows(KEEP.replaceAll(":restore_to", String(restoreTo)));
  await restore(snapshot);
  world.advance(60);
  for (const [phone, speak] of Object.entries(say)) await speak(phone);
  const bringBack = () => run(kept.map(({ statements }) => statements).join("\n"));
  await bringBack();
  const ledger = await world.rows("SELECT * FROM subscription_changes");
  await bringBack();
  expect(await world.rows("SELECT * FROM subscription_changes")).toEqual(ledger);
  world.advance(60);
  return bringBack;
}

it("a STOP, whatever a client or a file says of the number before it is brought back", async () => {
  const say = { [ADA]: subscribe, [BOB]: load, [DORA]: unsubscribe };
  const bringBack = await restoreAround((phone) => text("STOP", phone), say);
  for (const phone of [ADA, BOB, DORA])
    expect([phone, await subscriptionOf(phone)]).toEqual([phone, { subscribed: 0, person: 1 }]);
  await text("START", ADA);
  await bringBack();
  expect(await subscriptionOf(ADA)).toEqual({ subscribed: 1, person: 0 });
});

it("an opt-out by a client, until the client subscribes the number again", async () => {
  const bringBack = await restoreAround(unsubscribe, { [ADA]: subscribe, [BOB]: load, [DORA]: unsubscribe });
  for (const phone of [ADA, BOB, DORA])
    expect([phone, await subscriptionOf(phone)]).toEqual([phone, { subscribed: 0, person: 0 }]);
  await subscribe(ADA);
  await bringBack();
  expect(await subscriptionOf(ADA)).toEqual({ subscribed: 1, person: 0 });
});

it("a STOP of a number that was unsubscribed, although a client subscribes it before", async () => {
  await unsubscribe(ADA);
  world.advance(3600);
  await restoreAround((phone) => text("STOP", phone), { [ADA]: subscribe });
  expect(await subscriptionOf(ADA)).toEqual({ subscribed: 0, person: 1 });
});
