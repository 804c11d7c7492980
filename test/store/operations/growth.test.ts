/** The growth in the table counts beside the subscriptions themselves, whoever changes them. */
import { describe, expect, it } from "vitest";
import { bring, erase, expectSum, growth, PEOPLE, prepare, subscribe, text, world } from "./growing.ts";

prepare();

const [ADA, BOB, CAROL] = PEOPLE as [string, string, string];

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
    await growth();
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
    await growth();
    const rows = "SELECT subject, kind, count FROM counts ORDER BY 1";
    expect(await world.rows(rows)).toEqual([
      { subject: "", kind: "joined", count: 500 },
      { subject: "brand", kind: "joined", count: 500 },
    ]);
    world.advance(86_400);
    await bring(many);
    await growth();
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
    await growth();
    const { websites } = (await (await world.operator("GET", "/overview")).json()) as {
      websites: { websiteId: string }[];
    };
    expect(websites.map(({ websiteId }) => websiteId)).toContain("busy");
  });
});

it("adds up to the subscribers, whatever comes, also twice", () => expectSum(1, 20, 0));
