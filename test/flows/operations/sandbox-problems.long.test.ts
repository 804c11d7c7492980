import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { Submission } from "../../../src/carriers/carrier.ts";
import { sandbox } from "../../../src/carriers/sandbox.ts";
import { strictCarrier } from "../../strict/bindings.ts";
import { ADA, SandboxStage } from "./sandbox-stage.ts";

let at: SandboxStage;

beforeEach(async () => {
  at = await SandboxStage.begin();
});

afterEach(() => {
  vi.restoreAllMocks();
});

it("no failing number and no failing endpoint of the sandbox is a problem, in any minute of an hour, and all are counted", async () => {
  await at.expectNoProblem(4, 60);
});

it("a deployed service is still told that a website uses the sandbox, and of nothing else", async () => {
  await at.play(3);
  expect((await at.look("https://sms.example.com")).problems).toEqual(["sandbox-in-use"]);
});

it("a carrier beside it that fails is a problem, and so is the endpoint of its website", async () => {
  const { world } = at;
  let submission: Submission = { kind: "refused", reason: "sender not allowed" };
  const gateway = strictCarrier({ ...sandbox, submit: async () => submission });
  world.deps = { ...world.deps, carriers: { ready: { sandbox, gateway }, missing: {} } };
  await world.website("shop", { carrier: "gateway", sender: "Shop" });
  await world.subscribers("shop", [ADA]);
  const other = await world.client("shop", { callbackUrl: "https://shop.example.com/callbacks" });
  for (let text = 0; text < 3; text++) await world.send(other, { phone: ADA });
  await at.play(1);
  const { problems, details } = await at.look();
  expect(problems).toEqual(["carrier-failing", "callbacks-failing", "endpoint-failing"]);
  expect(details.map(({ carrier, clientId }) => carrier ?? clientId)).toEqual(["gateway", null, other.clientId]);
  const receipt = { status: "FAILED_TO_DELIVERY", reason: "no", carrierMessageId: "c", optedOut: false } as const;
  submission = { kind: "accepted", carrierMessageId: "c", receipt };
  for (let text = 0; text < 5; text++) await world.send(other, { phone: ADA });
  await at.play(1);
  expect((await at.look()).problems).toEqual(["deliveries-failing", "callbacks-failing", "endpoint-failing"]);
});
