// A database is restored to an hour ago, and the script of the restore runs over it.

import { env } from "cloudflare:workers";
import { expect, vi } from "vitest";
import CHANGE from "../../../scripts/restore/change.sql?raw";
import KEEP from "../../../scripts/restore/keep.sql?raw";
import type { OutboundMessage } from "../../../src/carriers/carrier.ts";
import { sandbox } from "../../../src/carriers/sandbox.ts";
import { receiveInbound } from "../../../src/flows/people/receive-inbound.ts";
import { type TestClient, World } from "../../world.ts";
import { restore, run, takeSnapshot } from "./time-travel.ts";

export const ADA = "+12125550100";
export const BOB = "+12125550101";
export const DORA = "+12125550102";
const OURS = "+12125550000";
export let world: World;
export let client: TestClient;
export let submitted: OutboundMessage[];
export let posted: { id: string; status: string }[];

export async function begin(): Promise<void> {
  world = await World.create();
  // The SQL takes the time from D1.
  world.now = Date.now() - 3_600_000;
  await world.website("brand", { carrier: "sandbox", sender: OURS });
  client = await world.brand([ADA, BOB]);
  submitted = [];
  const submit = async (message: OutboundMessage) => {
    submitted.push(message);
    return { kind: "accepted" as const, carrierMessageId: `carrier-${message.messageId}` };
  };
  world.deps = { ...world.deps, carriers: { ready: { sandbox: { ...sandbox, submit } }, missing: {} } };
  posted = [];
  vi.spyOn(globalThis, "fetch").mockImplementation(async (_url, init) => {
    const { messageId, status } = await new Response(init?.body).json<{ messageId: string; status: string }>();
    posted.push({ id: messageId, status });
    return new Response("ok");
  });
}

/** An hour ago a message waited, another was claimed, and the callback of a third was due. Since then all were sent and posted. */
export async function sendThenRestore() {
  const waiting = await world.send(client, { phone: ADA });
  const claimed = await world.send(client, { phone: BOB });
  const claim = { kind: "deliver", messageIds: [claimed] };
  const refused = await world.send(client, { phone: "+12125550199" });
  await env.DB.prepare(
    "UPDATE messages SET claimed_at = ?1, claim = 'at work', carrier = 'sandbox' WHERE message_id = ?2",
  )
    .bind(world.now, claimed)
    .run();
  const snapshot = await takeSnapshot(world);
  const restoreTo = world.now;
  world.advance(60);
  await env.DB.prepare("UPDATE messages SET claimed_at = NULL, claim = NULL WHERE message_id = ?1").bind(claimed).run();
  await world.deliver("textgate-messages", [claim]);
  await world.runQueues();
  const cursor = await readCursor();
  await stop(BOB);
  // Subscribed and erased since: nothing but her tombstone is left of her.
  await world.subscribers("brand", [DORA]);
  await world.operator("DELETE", `/websites/brand/people/${encodeURIComponent(DORA)}`);
  await world.operator("PATCH", `/clients/${client.clientId}`, { suspended: true });
  expect(submitted.map(({ messageId }) => messageId).sort()).toEqual(expect.arrayContaining([waiting, claimed].sort()));
  expect(posted).toContainEqual({ id: refused, status: "NOT_FOUND" });
  const kept = await world.rows(KEEP.replaceAll(":restore_to", String(restoreTo)));
  world.now = Date.now();
  await restore(snapshot);
  submitted.length = 0;
  posted.length = 0;
  return { waiting, claimed, refused, cursor, keep: kept.map(({ statements }) => statements).join("\n") };
}

export async function readEvents(after = ""): Promise<{ events: { eventId: string }[]; next: string }> {
  const headers = { "x-client-id": client.clientId, "x-client-secret": client.clientSecret };
  const answer = await world.fetch(`/text/events?limit=1000&after=${after}`, { headers });
  return answer.json();
}

const readCursor = async () => (await readEvents()).next;

export const stop = (from: string, text = "STOP", sent: { sentAt?: number } = {}) =>
  receiveInbound(world.deps, "sandbox", {
    ...sent,
    carrierMessageId: `${text}-${from}`,
    from,
    to: [OURS],
    text,
    keyword: null,
    answeredByCarrier: false,
  });

export const change = (restoredAt = world.now) =>
  run(CHANGE.replaceAll(":restored_at", String(Math.ceil(restoredAt / 1000) * 1000)));

export const subscriptionOf = async (phone: string) =>
  (
    await world.rows(
      "SELECT subscribed, opted_out_by_person AS person FROM subscriptions WHERE phone = ?1",
      Number(phone.slice(1)),
    )
  )[0];
