/** Floods of requests, for open-doors.test.ts and its long form. */
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, vi } from "vitest";
import { newLinkCode } from "../../src/domain/messages/link.ts";
import { type Binding, Injector } from "../faults/injector.ts";
import { Random } from "../random.ts";
import { SEND, type TestClient, World } from "../world.ts";

export const ADA = "+12125550100";
export const ATTACKER = "198.51.100.7";
export const ELSEWHERE = "203.0.113.9";

export let world: World;
export let client: TestClient;
export let counted: Injector;
let random: Random;

/** Calls of a binding, or of all, while work is done. */
export async function callsOf(binding: Binding | undefined, work: () => Promise<unknown>): Promise<number> {
  const before = counted.calls.length;
  await work();
  return counted.calls.slice(before).filter((called) => binding === undefined || called === binding).length;
}

export const A_SECOND = 1000;
export const AT_ONCE = 50;
/** Ten times as many a second as one address may look up in vain. */
const REQUESTS_A_SECOND = 100;
export const STEP = (AT_ONCE / REQUESTS_A_SECOND) * A_SECOND;
/** Longer than an isolate remembers what it has looked up in vain, and shorter than it refuses who has guessed too often. */
export const SECONDS = 6;
export const REQUESTS = SECONDS * REQUESTS_A_SECOND;
/** How often the owners of what is attacked come, in a flood. */
export const VISITS = SECONDS * 2;

/** Requests, fifty at once. The log has only what they leave there. @returns how many had each status */
export async function flood(
  attack: (request: number) => Promise<number>,
  meanwhile: () => Promise<void> = async () => {},
  seconds = SECONDS,
  step = STEP,
): Promise<Map<number, number>> {
  const statuses = new Map<number, number>();
  world.logs.length = 0;
  for (let at = 0, asked = 0; at < seconds * A_SECOND; at += step, asked += AT_ONCE) {
    const batch = await Promise.all(Array.from({ length: AT_ONCE }, (_, request) => attack(asked + request)));
    for (const status of batch) statuses.set(status, (statuses.get(status) ?? 0) + 1);
    if (at % (A_SECOND / 2) === 0) await meanwhile();
    world.advance(step / A_SECOND);
  }
  return statuses;
}

export const from = (address: string) => ({ "cf-connecting-ip": address });
/** Within one network of 48 bits. */
export const manyAddresses = (request: number) => `2001:db8:1:${request.toString(16)}::${request % 7}`;
export const hex = (length: number) => Array.from({ length }, () => random.between(0, 15).toString(16)).join("");
export const randomBytes = (count: number) => Uint8Array.from({ length: count }, () => random.between(0, 255));
/** Ten random characters. */
export const guessed = () => newLinkCode(0, randomBytes, () => random.between(0, 61));
export const stranger = () => ({ ...client, clientId: hex(32), clientSecret: hex(64) });
export const send = async (who: TestClient, address = ATTACKER) =>
  (await world.post("/text/message/send", who, { ...SEND, phone: ADA }, from(address))).status;

/** Half a second apart. */
export function visits(visit: () => Promise<number>) {
  const statuses: number[] = [];
  return { statuses, meanwhile: async () => void statuses.push(await visit()) };
}

/** As another isolate writes it. */
export async function changeElsewhere(changes: Record<string, unknown>): Promise<void> {
  const key = `client:${client.clientId}`;
  const copy = await env.CREDENTIALS.get<Record<string, unknown>>(key, "json");
  await env.CREDENTIALS.put(key, JSON.stringify({ ...copy, ...changes, version: world.now + 1 }));
}

/** Registers what comes before and after each test. */
export function prepare(): void {
  beforeEach(async () => {
    world = await World.create();
    client = await world.brand([ADA]);
    counted = new Injector();
    world.deps = counted.wrap(world.deps);
    random = new Random(1);
    const drawn = new Random(2);
    world.deps = { ...world.deps, random: () => drawn.next() };
  });

  afterEach(() => {
    vi.restoreAllMocks();
  });
}
