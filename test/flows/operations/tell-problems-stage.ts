// A website whose carrier fails as a test says, and an address for alerts.
import { Webhook } from "standardwebhooks";
import { vi } from "vitest";
import type { Carrier, Submission } from "../../../src/carriers/carrier.ts";
import { sandbox } from "../../../src/carriers/sandbox.ts";
import { strictCarrier } from "../../strict/bindings.ts";
import { type TestClient, World } from "../../world.ts";

export const ADA = "+12125550100";
export const ALERTS = "https://hooks.example.com/services/T0/secret-part";
const HEARTBEAT = "https://beat.example.com/ping/secret-part";
const SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";

const AWAY: Submission = { kind: "later", reason: "connection refused to +1 212 555 0199", failing: "carrier" };

interface Posted {
  type: string;
  text: string;
  data: Record<string, unknown>;
}

export let world: World;
export let client: TestClient;
let submit: () => Submission;
export let posted: Posted[];
export let beats: number;

/** Whether the address for alerts takes one. */
export const address = { isTaken: true };

export async function begin(): Promise<void> {
  world = await World.create();
  client = await world.brand([ADA]);
  mend();
  const carrier: Carrier = { ...sandbox, submit: async () => submit() };
  const carriers = { ...world.deps.config.carriers, PUBLIC_ORIGIN: "https://sms.example.com" };
  const config = { ...world.deps.config, carriers, alertUrl: ALERTS, alertSecret: SECRET, heartbeatUrl: HEARTBEAT };
  world.deps = { ...world.deps, config, carriers: { ready: { gateway: strictCarrier(carrier) }, missing: {} } };
  await world.rows("UPDATE websites SET carrier = 'gateway'");
  [posted, beats, address.isTaken] = [[], 0, true];
  vi.useFakeTimers({ toFake: ["Date"] });
  vi.spyOn(globalThis, "fetch").mockImplementation(async (url, init) => {
    if (url === HEARTBEAT) beats += 1;
    if (url !== ALERTS) return new Response("thanks");
    const headers = Object.fromEntries(new Headers(init?.headers));
    vi.setSystemTime(world.now);
    posted.push(new Webhook(SECRET).verify(String(init?.body), headers) as Posted);
    return new Response("", { status: address.isTaken ? 200 : 500 });
  });
}

export function end(): void {
  vi.useRealTimers();
  vi.restoreAllMocks();
}

export async function breakCarrier(): Promise<void> {
  submit = () => AWAY;
  for (let text = 0; text < 4; text++) await world.send(client, { phone: ADA });
  await world.runQueues();
}

export const of = (problem: string) => posted.filter(({ data }) => data.problem === problem).map(({ type }) => type);

export const problems = async () =>
  (await (await world.operator("GET", "/health")).json<{ details: Record<string, unknown>[] }>()).details.filter(
    ({ problem }) => problem === "alerts-refused",
  );

export const refuse = async () => {
  vi.mocked(globalThis.fetch).mockImplementation(async () => new Response("", { status: 400 }));
  await world.rows(
    "INSERT INTO dead_jobs (id, queue, body, died_at) VALUES ('j', 'textgate-messages', '{}', ?1)",
    world.now,
  );
};

export const sweep = async (minutes: number) => {
  for (let minute = 0; minute < minutes; minute++) {
    await world.sweep();
    world.advance(60);
  }
};

export const history = () =>
  world.rows(
    "SELECT problem, told_at > 0 AS is_told, ended_at IS NOT NULL AS is_over FROM told_problems ORDER BY problem",
  );

export const mend = () => {
  submit = () => ({ kind: "accepted", carrierMessageId: "c" });
};
