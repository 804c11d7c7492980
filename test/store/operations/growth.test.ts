/** The growth in traffic_counts beside the subscriptions themselves, whoever changes them. */
import { beforeEach, describe, expect, it } from "vitest";
import { receiveInbound } from "../../../src/flows/people/receive-inbound.ts";
import { optOutRecipient } from "../../../src/store/people/subscriptions.ts";
import { Random } from "../../random.ts";
import { runningTwice } from "../../running-twice.ts";
import { type TestClient, World } from "../../world.ts";

const OURS = "+12125550000";
const PEOPLE = Array.from({ length: 6 }, (_, index) => `+1212555010${index}`);
const [ADA, BOB, CAROL] = PEOPLE as [string, string, string];

let world: World;
let client: TestClient;

beforeEach(async () => {
  world = await World.create();
  client = await world.brand();
  await world.website("brand", { sender: OURS });
});

const subscribe = (phones: string[]) =>
  world.post("/text/subscribe", client, { phone_numbers: phones, sendPurpose: "growth" });
const erase = (phone: string) => world.operator("DELETE", `/websites/brand/people/${phone}`);

let texts = 0;

/** @param words a keyword of the person, or what may be one */
async function text(from: string, words: string): Promise<string> {
  const carrierMessageId = `in-${++texts}`;
  const inbound = { from, to: [OURS], keyword: null, answeredByCarrier: false, text: words, carrierMessageId };
  await world.invoke("fetch", () => receiveInbound(world.deps, "sandbox", inbound));
  await world.afterAnswer();
  return carrierMessageId;
}

const decide = (carrierMessageId: string, optOut: boolean | null) =>
  world.operator("POST", "/inbound/decide", { websiteId: "brand", carrier: "sandbox", carrierMessageId, optOut });

async function bring(lines: string[]): Promise<string> {
  const answer = await world.subscribers("brand", lines);
  return ((await answer.json()) as { importId: string }).importId;
}

const growth = async (websiteId = "brand") => {
  const [row] = await world.rows(
    "SELECT total(joined) AS joined, total(parted) AS parted FROM traffic_counts WHERE span = 'day' AND website_id = ?1",
    websiteId,
  );
  return row;
};

const net = async () => {
  const { joined, parted } = (await growth()) as { joined: number; parted: number };
  return joined - parted;
};

const subscribed = async () => {
  const [row] = await world.rows(
    "SELECT count(*) AS n FROM subscriptions WHERE website_id = 'brand' AND subscribed = 1",
  );
  return row?.n;
};

describe("how many were subscribed and unsubscribed on a day", () => {
  it("counts a number once, and one that stays as it is not at all", async () => {
    await subscribe([ADA, BOB]);
    await subscribe([ADA, BOB]);
    expect(await growth()).toEqual({ joined: 2, parted: 0 });
    await text(ADA, "STOP");
    await text(ADA, "STOP");
    expect(await growth()).toEqual({ joined: 2, parted: 1 });
    await text(ADA, "START");
    expect(await growth()).toEqual({ joined: 3, parted: 1 });
    // Nobody had subscribed the number: its owner leaves nothing.
    await text(CAROL, "STOP");
    expect(await growth()).toEqual({ joined: 3, parted: 1 });
    expect(await growth("")).toEqual(await growth());
  });

  it("is of the day of the change, and is in the overview by day", async () => {
    await subscribe([ADA, BOB]);
    world.advance(86_400);
    await erase(BOB);
    const { days } = (await (await world.operator("GET", "/overview?website=brand")).json()) as {
      days: { joined: number; parted: number }[];
    };
    expect(days.slice(-2).map(({ joined, parted }) => [joined, parted])).toEqual([
      [2, 0],
      [0, 1],
    ]);
  });

  it("takes two rows for an import of many, and none where it changes nothing", async () => {
    const many = Array.from({ length: 500 }, (_, index) => `+1212555${String(1000 + index)}`);
    await bring(many);
    const rows = "SELECT website_id, joined FROM traffic_counts ORDER BY 1";
    expect(await world.rows(rows)).toEqual([
      { website_id: "", joined: 500 },
      { website_id: "brand", joined: 500 },
    ]);
    world.advance(86_400);
    await bring(many);
    expect(await world.rows(rows)).toHaveLength(2);
  });

  it("makes no website without a text one of the busiest", async () => {
    await world.brand([], "busy");
    for (const websiteId of ["a", "b", "c", "d", "e"]) {
      await world.website(websiteId);
      await world.subscribers(websiteId, [ADA]);
    }
    const sender = await world.client("busy");
    await world.send(sender, { phone: ADA });
    world.advance(86_400);
    for (const websiteId of ["a", "b", "c", "d", "e"]) await world.subscribers(websiteId, [BOB]);
    const { websites } = (await (await world.operator("GET", "/overview")).json()) as {
      websites: { websiteId: string }[];
    };
    expect(websites.map(({ websiteId }) => websiteId)).toContain("busy");
  });
});

it.each([1, 2, 3])("adds up to the subscribers, whatever comes, also twice (%i)", async (seed) => {
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
      const origin = { source: "carrier" as const, proof: messageId, now: world.now };
      if (random.chance(0.5)) await optOutRecipient(world.deps.db, messageId, origin, undefined, null);
    },
  ];
  for (let step = 0; step < 60; step++) {
    await random.pick(work)();
    world.advance(random.between(1, 20_000));
    expect(await net(), `${seed}: step ${step}`).toBe(await subscribed());
  }
  const { joined, parted } = (await growth()) as { joined: number; parted: number };
  expect(Math.min(joined, parted)).toBeGreaterThan(5);
  expect(await growth("")).toEqual(await growth());
});
