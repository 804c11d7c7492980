/** Pending messages, why they wait, and what a look at them costs. */
import { beforeEach, describe, expect, it } from "vitest";
import { countingDatabase } from "../counting-database.ts";
import { seed } from "../seed.ts";
import { World } from "../world.ts";

const [ADA, BOB] = ["+12125550100", "+12125550101"];

interface Waiting {
  isCut: boolean;
  groups: {
    websiteId: string;
    isCut: boolean;
    rows: { sendPurpose: string; count: number; why: string; endsAt: string | null; held: { since: string } | null }[];
  }[];
}

let world: World;

beforeEach(async () => {
  world = await World.create();
});

const look = async (query = ""): Promise<Waiting> => (await world.operator("GET", `/waiting${query}`)).json();

it("is grouped by website, purpose and client, the oldest first, with what holds it", async () => {
  const [client, other] = [await world.brand([ADA, BOB]), await world.brand([ADA], "other")];
  await world.send(client, { phone: ADA });
  await world.send(client, { phone: BOB });
  world.advance(60);
  await world.send(other, { phone: ADA });
  await world.send(client, { phone: ADA, sendPurpose: "welcome" });
  await world.operator("POST", "/websites/brand/hold", { sendPurpose: "welcome" });
  const { groups, isCut } = await look();
  expect(isCut).toBe(false);
  const [own, others] = groups;
  expect(own).toMatchObject({
    websiteId: "brand",
    name: "brand",
    rows: [
      {
        ...{ sendPurpose: "spring-sale_01", clientId: client.clientId, clientName: null, count: 2, why: "queue" },
        ...{ carrier: "sandbox", cause: null, nextTryAt: null, held: null },
        ...{ oldestAt: "2026-11-21T12:00:00.000Z", endsAt: "2026-11-21T16:00:00.000Z" },
      },
      { sendPurpose: "welcome", count: 1, why: "held", held: { since: "2026-11-21T12:01:00.000Z" } },
    ],
  });
  expect(others).toMatchObject({ websiteId: "other", rows: [{ count: 1, why: "queue" }] });
  expect(groups).toHaveLength(2);
  expect((await look("?website=other")).groups).toEqual([others]);
  expect((await world.operator("GET", "/waiting?website=nobody")).status).toBe(404);
});

it("says when the first is given up: at its own time, or some hours after it could go first", async () => {
  const client = await world.brand([ADA, BOB]);
  const [early, late] = [await world.send(client, { phone: ADA }), await world.send(client, { phone: BOB })];
  const endsAt = async () => (await look()).groups[0]?.rows[0]?.endsAt;
  await world.rows("UPDATE messages SET expires_at = ?1 WHERE message_id = ?2", world.now + 600_000, late);
  expect(await endsAt()).toBe("2026-11-21T12:10:00.000Z");
  await world.rows("UPDATE messages SET expires_at = ?1 WHERE message_id = ?2", world.now + 30 * 3_600_000, late);
  expect(await endsAt()).toBe("2026-11-21T16:00:00.000Z");
  await world.rows("UPDATE messages SET send_at = ?1 WHERE message_id = ?2", world.now - 60_000, early);
  expect(await endsAt()).toBe("2026-11-21T15:59:00.000Z");
});

it("says what the carrier said, with its numbers masked, and when the next is tried", async () => {
  const client = await world.brand([ADA]);
  const messageId = await world.send(client, { phone: ADA });
  const words = "503 for +1 212 555 0100";
  await world.rows(
    "UPDATE messages SET reason = ?1, due_at = ?2 WHERE message_id = ?3",
    words,
    world.now + 30_000,
    messageId,
  );
  const [row] = (await look()).groups[0]?.rows ?? [];
  expect(row).toMatchObject({
    why: "carrier",
    nextTryAt: "2026-11-21T12:00:30.000Z",
    cause: expect.stringContaining("503"),
  });
  expect(JSON.stringify(row)).not.toContain("555 0100");
});

async function seedPending(
  count: number,
  websiteId: string,
  from = 0,
  columns: Record<string, string> = {},
): Promise<void> {
  const text = { client_id: "''", text: "''", callback_data: "''", status: "'PENDING_TO_SEND'" };
  const times = { accepted_at: `${world.now}`, updated_at: `${world.now}`, due_at: `${world.now} + i` };
  const id = `printf('%s-%07d', '${websiteId}', i + ${from})`;
  const own = { message_id: id, website_id: `'${websiteId}'`, send_purpose: "'purpose ' || (i % 50)" };
  await seed(world, "messages", count, { ...own, ...text, ...times, ...columns });
}

const countsOf = ({ groups }: Waiting) =>
  groups.map(({ websiteId, isCut, rows }) => [websiteId, rows.reduce((sum, { count }) => sum + count, 0), isCut]);

describe("a look at very many", () => {
  it("counts all of them in steps, and writes nothing", async () => {
    for (const id of ["big", "small"]) await world.brand([ADA], id);
    await seedPending(25_000, "big");
    await seedPending(17, "small");
    const { db, take } = countingDatabase(world.deps.db);
    world.deps = { ...world.deps, db };
    const { isCut, groups } = await look();
    expect([isCut, countsOf({ isCut, groups }).toSorted()]).toEqual([
      false,
      [
        ["big", 25_000, false],
        ["small", 17, false],
      ],
    ]);
    const rows = groups.find(({ websiteId }) => websiteId === "big")?.rows ?? [];
    expect(rows.map(({ count }) => count)).toEqual(Array.from({ length: 50 }, () => 500));
    const { calls, rowsWritten } = take();
    expect([rowsWritten, calls < 15]).toEqual([0, true]);
  });

  it("ends after a second, says of which website there are more, and has looked at every other", async () => {
    const others = Array.from({ length: 20 }, (_, index) => `other-${String(index).padStart(2, "0")}`);
    for (const id of ["big", ...others]) await world.website(id);
    await seedPending(12_000, "big");
    for (const id of others) await seedPending(1, id);
    const { deps } = world;
    world.deps = { ...deps, now: () => (world.now += 400) };
    const answer = await look();
    const [[, count, isCut] = [], ...rest] = countsOf(answer).toSorted((a, b) =>
      String(a[0]).localeCompare(String(b[0])),
    );
    expect([answer.isCut, isCut]).toEqual([true, true]);
    expect(count).toBeGreaterThan(0);
    expect(count).toBeLessThan(12_000);
    expect(rest).toEqual(others.map((id) => [id, 1, false]));
  });

  it("counts scheduled ones as well", async () => {
    await world.brand([ADA], "big");
    await seedPending(12_000, "big", 0, { send_at: `${world.now + 3_600_000} + i % 7`, due_at: "NULL" });
    for (const query of ["", "?website=big"]) expect(countsOf(await look(query))).toEqual([["big", 12_000, false]]);
  });
});

it("shows what is scheduled apart, with when the first of it goes, until its time", async () => {
  const client = await world.brand([ADA, BOB]);
  const schedule = (seconds: number, phone: string, sendPurpose = "sale") =>
    world.send(client, { phone, sendPurpose, sendAt: new Date(world.now + seconds * 1000).toISOString() });
  await schedule(7200, ADA);
  await schedule(3600, BOB);
  await schedule(600, ADA, "soon");
  const rowsOf = async () => (await look()).groups.flatMap(({ rows }) => rows);
  const scheduled = {
    why: "scheduled",
    held: null,
    nextTryAt: null,
    endsAt: null,
    oldestAt: "2026-11-21T12:00:00.000Z",
  };
  expect(await rowsOf()).toMatchObject([
    { sendPurpose: "soon", count: 1, opensAt: "2026-11-21T12:10:00.000Z", ...scheduled },
    { sendPurpose: "sale", count: 2, opensAt: "2026-11-21T13:00:00.000Z", ...scheduled },
  ]);
  expect((await look("?website=brand")).groups.flatMap(({ rows }) => rows)).toEqual(await rowsOf());
  world.advance(500);
  await world.sweep();
  const health = async () =>
    (await (await world.operator("GET", "/health")).json<{ messages: { waiting: { count: number } } }>()).messages
      .waiting;
  expect([await rowsOf(), (await health()).count]).toMatchObject([
    [
      { sendPurpose: "soon", why: "scheduled" },
      { sendPurpose: "sale", why: "scheduled" },
    ],
    0,
  ]);
  world.advance(100);
  expect([await rowsOf(), (await health()).count]).toMatchObject([
    [{ sendPurpose: "soon", why: "queue" }, { sendPurpose: "sale" }],
    1,
  ]);
});
