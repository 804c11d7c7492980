import { beforeEach, expect } from "vitest";
import { optOutAtCarrier } from "../../../src/flows/messages/apply-receipts.ts";
import { countLedgers } from "../../../src/flows/operations/count-ledgers.ts";
import { receiveInbound } from "../../../src/flows/people/receive-inbound.ts";
import { Random } from "../../random.ts";
import { runningTwice } from "../../running-twice.ts";
import { type TestClient, World } from "../../world.ts";

const OURS = "+12125550000";
export const PEOPLE = Array.from({ length: 6 }, (_, index) => `+1212555010${index}`);
export let world: World;
let client: TestClient;

export const subscribe = (phones: string[]) =>
  world.post("/text/subscribe", client, { phone_numbers: phones, sendPurpose: "growth" });
export const erase = (phone: string) => world.operator("DELETE", `/websites/brand/people/${phone}`);

let texts = 0;

/** @param words a keyword of the person, or what may be one */
export async function text(from: string, words: string): Promise<string> {
  const carrierMessageId = `in-${++texts}`;
  const inbound = { from, to: [OURS], keyword: null, answeredByCarrier: false, text: words, carrierMessageId };
  await world.invoke("fetch", () => receiveInbound(world.deps, "sandbox", inbound));
  await world.afterAnswer();
  return carrierMessageId;
}

const decide = (carrierMessageId: string, optOut: boolean | null) =>
  world.operator("POST", "/inbound/decide", { websiteId: "brand", carrier: "sandbox", carrierMessageId, optOut });

export async function bring(lines: string[]): Promise<string> {
  const answer = await world.subscribers("brand", lines);
  return ((await answer.json()) as { importId: string }).importId;
}

/** After the sweep has counted. */
export const growth = async (websiteId = "brand") => {
  await countLedgers(world.deps, world.now);
  const [row] = await world.rows(
    `SELECT total(count) FILTER (WHERE kind = 'joined') AS joined, total(count) FILTER (WHERE kind = 'parted') AS parted
     FROM counts WHERE span = 'day' AND subject = ?1`,
    websiteId,
  );
  return row;
};

const net = async () => {
  const { joined, parted } = (await growth()) as { joined: number; parted: number };
  return joined - parted;
};

export const subscribed = async () => {
  const [row] = await world.rows(
    "SELECT count(*) AS n FROM subscriptions WHERE website_id = 'brand' AND subscribed = 1",
  );
  return row?.n;
};

/** What comes is drawn from the seed. @param least how many at least must have joined, and parted */
export async function expectSum(seed: number, steps: number, least: number): Promise<void> {
  const random = new Random(seed);
  world.deps = { ...world.deps, db: runningTwice(world.deps.db, () => random.chance(0.4)) };
  const imports: string[] = [];
  const unsure: string[] = [];
  const some = () => random.shuffle([...PEOPLE]).slice(0, random.between(1, 4));
  const work: (() => Promise<unknown>)[] = [
    () => subscribe(some()),
    () => text(random.pick(PEOPLE), "STOP"),
    () => text(random.pick(PEOPLE), "START"),
    async () => imports.push(await bring(some().map((phone) => `${phone},,${random.chance(0.7)}`))),
    async () => imports.length > 0 && (await world.operator("POST", `/imports/${random.pick(imports)}/undo`)),
    async () => unsure.push(await text(random.pick(PEOPLE), "would you please stop this")),
    async () => unsure.length > 0 && (await decide(random.pick(unsure), random.pick([true, true, null]))),
    () => erase(random.pick(PEOPLE)),
    async () => {
      const messageId = await world.send(client, { phone: random.pick(PEOPLE) });
      await world.runQueues();
      if (random.chance(0.5)) await optOutAtCarrier(world.deps, [{ messageId, reason: null }]);
    },
  ];
  for (let step = 0; step < steps; step++) {
    await random.pick(work)();
    world.advance(random.between(1, 20_000));
    expect(await net(), `${seed}: step ${step}`).toBe(await subscribed());
  }
  const { joined, parted } = (await growth()) as { joined: number; parted: number };
  expect(Math.min(joined, parted)).toBeGreaterThan(least);
  expect(await growth("")).toEqual(await growth());
}

/** Registers what comes before and after each test. */
export function prepare(): void {
  beforeEach(async () => {
    world = await World.create();
    client = await world.brand();
    await world.website("brand", { sender: OURS });
  });
}
