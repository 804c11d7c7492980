/** Who plays with the numbers of the sandbox, or tries an endpoint with it, wakes nobody. */
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { Submission } from "../../../src/carriers/carrier.ts";
import { sandbox } from "../../../src/carriers/sandbox.ts";
import type { ServiceState } from "../../../src/domain/operations/problems.ts";
import { strictCarrier } from "../../strict/bindings.ts";
import { OPERATOR_TOKEN, type TestClient, World } from "../../world.ts";

const ENDINGS = ["0001", "0002", "0003", "0004", "0005", "0006", "0007", "0008", "0009", "0010"];
const PHONES = ENDINGS.map((ending) => `+1212555${ending}`);
const ADA = "+12125550100";

let world: World;
let client: TestClient;

beforeEach(async () => {
  world = await World.create();
  client = await world.brand([...PHONES, ADA]);
  vi.spyOn(globalThis, "fetch").mockImplementation(async () => new Response("no", { status: 500 }));
  await world.sweep();
});

afterEach(() => {
  vi.restoreAllMocks();
});

const look = async (origin?: string) => {
  const headers = { authorization: `Bearer ${OPERATOR_TOKEN}` };
  return (await world.fetch("/operator/health", { headers }, origin)).json() as Promise<ServiceState>;
};

async function play(rounds: number): Promise<void> {
  for (let round = 0; round < rounds; round++) {
    for (const phone of PHONES) await world.send(client, { phone });
    // A number that is "later" is tried each second.
    for (let second = 0; second < 60; second++) {
      await world.runQueues();
      world.advance(1);
    }
    await world.sweep();
    await world.runQueues();
  }
}

it("no failing number and no failing endpoint of the sandbox is a problem, in any minute, and all are counted", async () => {
  await play(4);
  const { problems, carriers, senders, callbacks } = await look();
  expect(problems).toEqual([]);
  const [own] = carriers;
  const receipts = { lastHour: { delivered: 8, undelivered: 8, "no-receipt": 8 } };
  // Who opts out at the carrier is refused once.
  expect(own).toMatchObject({ carrier: "sandbox", lastHour: { accepted: 20, unknown: 4, refused: 9 }, receipts });
  expect(senders).toMatchObject([{ carrier: "sandbox", sender: null, lastHour: { undelivered: 8 } }]);
  expect(callbacks.lastHour.refused).toBeGreaterThan(30);
  expect(callbacks.failingEndpoints).toMatchObject([{ clientId: client.clientId, cause: "answered 500" }]);
  for (let minute = 0; minute < 60; minute++) {
    world.advance(60);
    await world.sweep();
    await world.runQueues();
    expect([minute, (await look()).problems]).toEqual([minute, []]);
  }
});

it("a deployed service is still told that a website uses the sandbox, and of nothing else", async () => {
  await play(3);
  expect((await look("https://sms.example.com")).problems).toEqual(["sandbox-in-use"]);
});

it("a carrier beside it that fails is a problem, and so is the endpoint of its website", async () => {
  let submission: Submission = { kind: "refused", reason: "sender not allowed" };
  const gateway = strictCarrier({ ...sandbox, submit: async () => submission });
  world.deps = { ...world.deps, carriers: { ready: { sandbox, gateway }, missing: {} } };
  await world.website("shop", { carrier: "gateway", sender: "Shop" });
  await world.subscribers("shop", [ADA]);
  const other = await world.client("shop", { callbackUrl: "https://shop.example.com/callbacks" });
  for (let text = 0; text < 3; text++) await world.send(other, { phone: ADA });
  await play(1);
  const { problems, details } = await look();
  expect(problems).toEqual(["carrier-failing", "callbacks-failing", "endpoint-failing"]);
  expect(details.map(({ carrier, clientId }) => carrier ?? clientId)).toEqual(["gateway", null, other.clientId]);
  const receipt = { status: "FAILED_TO_DELIVERY", reason: "no", carrierMessageId: "c", optedOut: false } as const;
  submission = { kind: "accepted", carrierMessageId: "c", receipt };
  for (let text = 0; text < 5; text++) await world.send(other, { phone: ADA });
  await play(1);
  expect((await look()).problems).toEqual(["deliveries-failing", "callbacks-failing", "endpoint-failing"]);
});
