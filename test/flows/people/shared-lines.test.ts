/** What goes well shares lines of the log, which are billed one by one. What does not has a line of its own. */

import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { Carrier, Submission } from "../../../src/carriers/carrier.ts";
import { sandbox } from "../../../src/carriers/sandbox.ts";
import { CarrierWorld } from "../../carriers/carrier-world.ts";
import { telnyx } from "../../carriers/telnyx.ts";
import { strictCarrier } from "../../strict/bindings.ts";
import { type TestClient, World } from "../../world.ts";

const PEOPLE = Array.from({ length: 6 }, (_, index) => `+1212555010${index}`);

let world: World;
let client: TestClient;
let ids: string[];
let submission: (messageId: string) => Submission;
let answer: (webhookId: string) => Response;

const linesOf = ({ logs }: World) => logs.map((line) => JSON.parse(line) as Record<string, unknown>);
const lines = (...events: string[]) => linesOf(world).filter(({ event }) => events.includes(String(event)));

beforeEach(async () => {
  world = await World.create();
  client = await world.brand(PEOPLE);
  submission = () => ({ kind: "accepted", carrierMessageId: "c" });
  answer = () => new Response("thanks");
  const submit: Carrier["submit"] = async ({ messageId }) => {
    world.now += 10;
    return submission(messageId);
  };
  world.deps = { ...world.deps, carriers: { ready: { sandbox: strictCarrier({ ...sandbox, submit }) }, missing: {} } };
  vi.spyOn(globalThis, "fetch").mockImplementation(async (_, init) =>
    answer(new Headers(init?.headers).get("webhook-id") ?? ""),
  );
  ids = await Promise.all(PEOPLE.map((phone) => world.send(client, { phone })));
  world.logs.length = 0;
});

afterEach(() => {
  vi.restoreAllMocks();
});

const words = (value: unknown) => String(value).split(" ").sort();

it("messages of a claim that the carrier has accepted share one, which names them; each other has its own", async () => {
  const [refused, unknown, ...accepted] = ids as [string, string, ...string[]];
  submission = (messageId) => {
    if (messageId === refused) return { kind: "refused", reason: "no such number" };
    if (messageId === unknown) return { kind: "unknown", reason: "no answer" };
    return { kind: "accepted", carrierMessageId: "c" };
  };
  await world.runQueues();
  const [line, ...others] = lines("messages.accepted");
  expect(others).toEqual([]);
  expect(line).toMatchObject({ level: "info", carrier: "sandbox", count: 4, websiteIds: "brand" });
  expect(line?.milliseconds).toBeGreaterThanOrEqual(10);
  expect(words(line?.messageIds)).toEqual(accepted.sort());
  const own = lines("message.submitted").map(({ level, messageId, outcome, error }) => [
    level,
    messageId,
    outcome,
    error,
  ]);
  expect(own.sort()).toEqual(
    [
      ["warn", refused, "refused", "no such number"],
      ["warn", unknown, "unknown", "no answer"],
    ].sort(),
  );
});

it("callbacks of a run that were answered 2xx share some, which name them; each other has its own", async () => {
  const [missed] = ids as [string];
  answer = (webhookId) => new Response("", { status: webhookId.startsWith(missed) ? 500 : 202 });
  await world.runQueues();
  const taken = lines("callbacks.taken");
  expect(taken.length).toBeLessThanOrEqual(2);
  for (const line of taken) {
    expect(line).toMatchObject({ level: "info", clientIds: client.clientId });
    expect(words(line.eventIds)).toHaveLength(Number(line.count));
  }
  const named = taken.flatMap(({ eventIds }) => words(eventIds));
  expect(named.sort()).toEqual(
    ids
      .filter((id) => id !== missed)
      .map((id) => `${id}_SENDING`)
      .sort(),
  );
  expect(lines("callback.posted")).toMatchObject([
    { level: "warn", eventId: `${missed}_SENDING`, clientId: client.clientId, outcome: "answered", httpStatus: 500 },
  ]);
});

it("a run without any has none of these lines", async () => {
  submission = () => ({ kind: "refused", reason: "no such number" });
  answer = () => new Response("", { status: 410 });
  await world.runQueues();
  expect(lines("messages.accepted", "callbacks.taken")).toEqual([]);
  expect(lines("message.submitted", "callback.posted")).toHaveLength(2 * PEOPLE.length);
});

it("one in a hundred receipts of a carrier has a line", async () => {
  const at = await CarrierWorld.create(telnyx);
  const submitted = await at.submit();
  at.world.logs.length = 0;
  for (const fields of [telnyx.sent, telnyx.sent]) await at.receipt(submitted, fields);
  at.world.logEachRequest();
  await at.receipt(submitted, telnyx.delivered);
  const route = "/carriers/:carrier/receipts";
  const told = linesOf(at.world).filter((line) => line.route === route);
  expect(told).toMatchObject([{ event: "request", route, carrier: "telnyx", status: 200, receipts: 1, sampled: 100 }]);
});
