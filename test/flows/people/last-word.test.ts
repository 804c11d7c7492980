/** The later of a STOP and a START counts, by when the carrier got them: it brings a text again that could not be stored at first. */
import { beforeEach, describe, expect, it } from "vitest";
import { receiveInbound } from "../../../src/flows/people/receive-inbound.ts";
import { type TestClient, World } from "../../world.ts";

const ADA = "+12125550100";
const OURS = "+12125550000";

let world: World;
let client: TestClient;

beforeEach(async () => {
  world = await World.create();
  client = await world.brand([ADA]);
  await world.website("brand", { sender: OURS });
  await world.operator("PATCH", `/clients/${client.clientId}`, { events: ["subscription.changed"] });
});

interface Text {
  words: string;
  sentAt?: number;
}

/** A text, which the carrier got now, and could not bring. */
const say = (words: string): Text => ({ words, sentAt: world.now });

let texts = 0;
async function bring({ words, ...sent }: Text): Promise<void> {
  world.advance(10);
  const inbound = { from: ADA, to: [OURS], text: words, keyword: null, answeredByCarrier: false, ...sent };
  await world.invoke("fetch", () =>
    receiveInbound(world.deps, "sandbox", { ...inbound, carrierMessageId: `in-${++texts}` }),
  );
}

const state = async () => (await world.rows("SELECT subscribed FROM subscriptions"))[0]?.subscribed;
const ledger = async () =>
  (
    await world.rows("SELECT subscribed, proof, changed_at AS at FROM subscription_changes WHERE source = 'keyword'")
  ).map(({ subscribed, proof, at }) => [subscribed, proof, at]);
const told = async () =>
  (await world.rows("SELECT json_extract(body, '$.subscribed') AS subscribed FROM events WHERE body IS NOT NULL")).map(
    ({ subscribed }) => subscribed,
  );

describe("a START that is brought again", () => {
  it("does not bring back whoever has texted STOP since", async () => {
    await bring(say("STOP"));
    world.advance(60);
    const start = say("START");
    world.advance(60);
    await bring(say("STOP"));
    const stores = await world.rows("SELECT * FROM subscriptions");
    await bring(start);
    expect(await world.rows("SELECT * FROM subscriptions")).toEqual(stores);
    expect([await state(), await told()]).toEqual([0, [0]]);
    expect(await world.rows("SELECT text FROM inbound_texts ORDER BY received_at")).toEqual([
      { text: "STOP" },
      { text: "START" },
      { text: "STOP" },
    ]);
  });

  it("leaves whom it does not bring back erased", async () => {
    await world.operator("DELETE", `/websites/brand/people/${ADA}`);
    const start = say("START");
    world.advance(60);
    await bring(say("STOP"));
    await bring(start);
    expect(await state()).toBe(0);
    expect(await world.rows("SELECT count(*) AS count FROM erased_people")).toEqual([{ count: 1 }]);
  });

  it("brings back whoever has said nothing else since, with the time at which it was said", async () => {
    await bring(say("STOP"));
    world.advance(60);
    const start = say("START");
    world.advance(3600);
    await bring(start);
    expect(await state()).toBe(1);
    expect((await ledger()).at(-1)).toEqual([1, "START", start.sentAt]);
  });
});

describe("a STOP that is brought again", () => {
  it("leaves whoever has texted START since, and is confirmed to nobody", async () => {
    await bring(say("STOP"));
    await world.runQueues();
    world.advance(24 * 3600);
    const stop = say("STOP");
    world.advance(60);
    await bring(say("START"));
    await bring(stop);
    expect([await state(), await told()]).toEqual([1, [0, 1]]);
    await world.runQueues();
    const replies = await world.rows("SELECT status FROM messages WHERE send_purpose = 'keyword-reply'");
    expect(replies).toEqual([{ status: "DELIVERED" }, { status: "FAILED_TO_SEND" }]);
  });

  it("counts where a START has brought nobody back since", async () => {
    await world.rows("DELETE FROM subscriptions");
    const stop = say("STOP");
    world.advance(60);
    await bring(say("START"));
    await bring(stop);
    expect(await state()).toBe(0);
  });
});

it("the confirmation of a STOP that is brought again is of the day on which it is accepted", async () => {
  const stop = say("STOP");
  world.advance(13 * 3600);
  await world.sweep();
  await bring(stop);
  await world.runQueues();
  const path = "/websites/brand/report?from=2026-11-21&to=2026-11-22";
  const { rows } = (await (await world.operator("GET", path)).json()) as { rows: Record<string, unknown>[] };
  expect(rows.map(({ day, accepted }) => [day, accepted])).toEqual([["2026-11-22", 1]]);
});

describe("a time of the carrier", () => {
  it.each([
    ["is none", undefined, 0],
    ["is in the future", 3_600_000, 0],
    ["is longer ago than a carrier brings a text again", -30 * 24 * 3_600_000, -24 * 3_600_000],
  ])("that %s", async (_, difference, expected) => {
    await bring({ words: "STOP", ...(difference === undefined ? {} : { sentAt: world.now + 10_000 + difference }) });
    expect(await ledger()).toEqual([[0, "STOP", world.now + expected]]);
  });
});
