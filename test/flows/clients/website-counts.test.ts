/** What the page of a website counts: refused requests by day and code, and the texts that count towards its daily limit. */
import { beforeEach, describe, expect, it } from "vitest";
import { failingDatabase } from "../../failing-database.ts";
import { SEND, type TestClient, World } from "../../world.ts";

const ADA = "+12125550100";
const TODAY = "2026-11-21";

interface Counted {
  dailyLimitUsed: number | null;
  refusedRequests: { day: string; code: number; requests: number }[];
}

let world: World;
let client: TestClient;

beforeEach(async () => {
  world = await World.create();
  client = await world.brand([ADA]);
});

const send = (fields: object, of = client) => world.post("/text/message/send", of, { ...SEND, ...fields });

async function look(websiteId = "brand"): Promise<Counted> {
  await world.afterAnswer();
  return (await world.operator("GET", `/websites/${websiteId}`)).json();
}

const refused = async (websiteId?: string) =>
  (await look(websiteId)).refusedRequests.map(({ day, code, requests }) => [day, code, requests]);

describe("the refused requests of a website", () => {
  it("are each counted, by day and code, also those that are not kept one by one", async () => {
    for (let count = 0; count < 5; count++) await send({ phone: "12" });
    expect(await refused()).toEqual([[TODAY, 40001, 1]]);
    world.advance(10);
    // Whichever request comes then.
    await world.fetch("/health");
    expect(await refused()).toEqual([[TODAY, 40001, 5]]);
    await send({ phone: "12" });
    await send({ phone: "13" });
    // A count that waits is of the day of its refusal, and is stored with the next count.
    world.advance(86_400);
    await send({ phone: "12" });
    expect(await refused()).toEqual([
      ["2026-11-22", 40001, 1],
      [TODAY, 40001, 7],
    ]);
  });

  it("are those of its own clients that had the right credentials", async () => {
    await world.brand([ADA], "other");
    await send({ phone: "12" }, { ...client, clientSecret: "x".repeat(43) });
    await world.operator("POST", "/websites/brand/hold", { sendPurpose: 1 });
    await send({ phone: ADA });
    expect(await refused()).toEqual([]);
    await send({ phone: "12" });
    expect(await refused("other")).toEqual([]);
    expect(await refused()).toEqual([[TODAY, 40001, 1]]);
  });

  it("cost a plain send nothing, and one that is refused at once a row", async () => {
    const rows = async () => (await world.rows("SELECT count(*) AS n FROM counts WHERE kind = 'refused'"))[0]?.n;
    await send({ phone: ADA });
    await world.afterAnswer();
    expect(await rows()).toBe(0);
    for (let count = 0; count < 20; count++) await send({ phone: "12" });
    await world.afterAnswer();
    expect(await world.rows("SELECT * FROM counts WHERE kind = 'refused'")).toMatchObject([
      { subject: "brand", count: 1 },
    ]);
  });

  it("count once where what stores them runs again", async () => {
    world.deps = { ...world.deps, db: failingDatabase(world.deps.db, 1, "after", undefined, "batches") };
    await send({ phone: "12" });
    expect(await refused()).toEqual([[TODAY, 40001, 1]]);
  });

  it("are kept for 30 days", async () => {
    await send({ phone: "12" });
    world.advance(29 * 86_400);
    expect(await refused()).toEqual([[TODAY, 40001, 1]]);
    world.advance(86_400);
    expect(await refused()).toEqual([]);
    world.advance(86_400);
    await world.sweep();
    expect(await world.rows("SELECT * FROM counts WHERE kind = 'refused'")).toEqual([]);
  });
});

describe("how much of the daily limit is used", () => {
  it("is nothing without a limit", async () => {
    await send({ phone: ADA });
    expect((await look()).dailyLimitUsed).toBeNull();
  });

  it("is what counts towards it, for 24 hours", async () => {
    await world.website("brand", { dailyLimit: 2 });
    expect((await look()).dailyLimitUsed).toBe(0);
    await send({ phone: ADA });
    // Nobody has subscribed it: its text does not go, and counts for nothing.
    await send({ phone: "+12125550199" });
    world.advance(3600);
    await send({ phone: ADA, text: "Brand: again" });
    expect((await send({ phone: ADA, text: "Brand: too much" })).status).toBe(429);
    expect((await look()).dailyLimitUsed).toBe(2);
    world.advance(23 * 3600 + 60);
    expect((await look()).dailyLimitUsed).toBe(1);
  });
});
