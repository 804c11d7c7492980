/** Hours of a service: of ordinary traffic, and of a carrier that is down. */
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Submission } from "../../../src/carriers/carrier.ts";
import { MOST_ATTEMPTS } from "../../../src/domain/messages/retry-policy.ts";
import type { Problem } from "../../../src/domain/operations/problems.ts";
import type { World } from "../../world.ts";
import { ACCEPTED, ADA, AWAY, ProblemsStage, REFUSED } from "./problems-stage.ts";

let at: ProblemsStage;
let world: World;

beforeEach(async () => {
  at = await ProblemsStage.begin();
  ({ world } = at);
});

afterEach(() => {
  vi.restoreAllMocks();
});

const HANGS: Submission = { kind: "unknown", reason: "no answer in 20 s", failing: "carrier" };

const UNAUTHORIZED: Submission = { kind: "later", reason: "HTTP 401", failing: "carrier", unauthorized: true };

it("an hour of ordinary traffic has no problem in any minute", async () => {
  await at.expectOrdinary(60);
});

it("a carrier that is down says so for 20 minutes, with cause, beginning and next try", async () => {
  await at.expectPaused(20);
});

it("a carrier that is down for three hours takes the one message that waited", async () => {
  const { world, client } = at;
  let tries = 0;
  at.submit = () => {
    tries++;
    return AWAY;
  };
  const messageId = await world.send(client, { phone: ADA });
  for (let passed = 0; passed < 180; passed += 4) {
    await world.runQueues();
    world.advance(240);
    await world.sweep();
  }
  expect(tries).toBeGreaterThan(MOST_ATTEMPTS);
  at.submit = () => ACCEPTED;
  await world.pass(1);
  expect(await world.statusOf(messageId)).toBe("DELIVERED");
});

describe("a carrier that works for an hour and then", () => {
  const CASES: [string, Submission, Problem[], Problem[]][] = [
    ["is down", AWAY, ["carrier-paused"], ["messages-late", "carrier-paused", "carrier-failing"]],
    ["hangs", HANGS, ["carrier-paused"], ["carrier-paused", "carrier-failing"]],
    ["rejects our credentials", UNAUTHORIZED, ["carrier-credentials", "carrier-paused"], ["carrier-credentials"]],
    ["refuses", REFUSED, [], ["carrier-failing"]],
  ];

  it.each(CASES)("%s, is seen, and is not seen a minute after its repair", async (_, fault, soon, later) => {
    for (let passed = 0; passed < 60; passed += 20) {
      await at.sendTexts(10);
      world.advance(1200);
    }
    await world.sweep();
    expect((await at.look()).problems).toEqual([]);
    at.submit = () => fault;
    await at.minute();
    expect((await at.look()).problems).toEqual(expect.arrayContaining(soon));
    await at.minutes(5);
    expect((await at.look()).problems).toEqual(expect.arrayContaining(later));
    at.submit = () => ACCEPTED;
    await at.minute();
    await at.minute();
    expect((await at.look()).problems).toEqual([]);
  });
});
