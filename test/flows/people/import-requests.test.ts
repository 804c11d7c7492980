/** An import in several requests, and one that breaks off: what is stored is told, and is taken back by one undo. */
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { begin, client, load, undo, world } from "./import-requests-stage.ts";

const ADA = "+12125550100";
const BOB = "+12125550101";
const EVE = "+12125550102";

beforeEach(begin);

afterEach(() => {
  vi.restoreAllMocks();
});

const stateOf = async (phone: string) => {
  const sql = "SELECT subscribed, email FROM subscriptions WHERE website_id = 'brand' AND phone = ?1";
  const [row] = await world.rows(sql, Number(phone.slice(1)));
  return row ? [row.subscribed, row.email] : null;
};

const count = async () => (await world.rows("SELECT count(*) AS n FROM subscriptions"))[0]?.n;

const numbers = (many: number) => Array.from({ length: many }, (_, index) => `+1212${5_600_000 + index}`);

const unsubscribe = (phone: string) => world.post("/text/unsubscribe", client, { phone_numbers: [phone] });

describe("requests with the importId of the first", () => {
  it("are one import: each is answered with its own figures, and one undo takes all back", async () => {
    await load([`${EVE},eve@example.com`]);
    const first = await load([ADA, `${BOB},bob@example.com`]);
    const { importId } = first.body;
    const second = await load([`${ADA},ada@example.com`, BOB, `${EVE},new@example.com`], { importId });
    expect(first.body).toMatchObject({ imported: 2, newSubscribed: 2, newAddress: 0, unchanged: 0 });
    expect(second.body).toMatchObject({ importId, imported: 3, newSubscribed: 0, newAddress: 2, unchanged: 1 });
    expect(await undo(importId)).toEqual({ restored: 3, changedSince: 0, restoredBefore: 0, isComplete: true });
    expect([await stateOf(ADA), await stateOf(BOB), await stateOf(EVE)]).toEqual([null, null, [1, "eve@example.com"]]);
    const entries = await world.rows("SELECT DISTINCT subject, request_id FROM audit_log WHERE action = 'import'");
    expect(entries.filter(({ subject }) => subject === importId).length).toBe(2);
  });

  it("opt a number out where any of them says so, in whatever order", async () => {
    const { importId } = (await load([`${ADA},,no`, `${BOB},,yes`])).body;
    expect((await load([`${ADA},,yes`, `${BOB},,no`], { importId })).body).toMatchObject({ keptUnsubscribed: 0 });
    expect([await stateOf(ADA), await stateOf(BOB)]).toEqual([
      [0, null],
      [0, null],
    ]);
  });

  it("do not subscribe again whom the import has found opted out, with resubscribe", async () => {
    await unsubscribe(ADA);
    await unsubscribe(BOB);
    const { importId } = (await load([`${ADA},,no`], { resubscribe: "true" })).body;
    const { body } = await load([`${ADA},a@example.com,yes`, `${BOB},,yes`], { importId, resubscribe: "true" });
    expect(body).toMatchObject({ imported: 2, newAddress: 1, becameSubscribed: 1, keptUnsubscribed: 0 });
    expect([await stateOf(ADA), await stateOf(BOB)]).toEqual([
      [0, "a@example.com"],
      [1, null],
    ]);
  });

  it("leave alone who has subscribed since the import opted the number out", async () => {
    const { importId } = (await load([`${ADA},,no`])).body;
    await world.post("/text/subscribe", client, { phone_numbers: [ADA], sendPurpose: "again" });
    await load([`${ADA},,yes`], { importId });
    expect(await stateOf(ADA)).toEqual([1, null]);
    expect(await undo(importId)).toMatchObject({ restored: 0, changedSince: 1 });
  });

  it("are undone as far as nobody has spoken between them", async () => {
    await load([`${ADA},a@example.com`, `${BOB},b@example.com`]);
    const { importId } = (await load([`${ADA},c@example.com`, `${BOB},d@example.com`])).body;
    await unsubscribe(ADA);
    await load([`${ADA},e@example.com,no`, `${BOB},f@example.com`], { importId });
    expect(await undo(importId)).toMatchObject({ restored: 2, changedSince: 0 });
    expect([await stateOf(ADA), await stateOf(BOB)]).toEqual([
      [0, "c@example.com"],
      [1, "b@example.com"],
    ]);
  });

  it("may be dry, and then store nothing", async () => {
    const { importId } = (await load([`${ADA},,no`])).body;
    const dry = await load([`${ADA},,yes`, BOB], { importId, dryRun: "true" });
    const { importId: _, ...counts } = (await load([`${ADA},,yes`, BOB], { importId })).body;
    expect(dry.body).toMatchObject(counts);
  });

  it.each([
    ["unknown", async () => "00000000-0000-4000-8000-000000000000"],
    ["no id", async () => "../brand"],
    [
      "of another website",
      async () => {
        await world.website("shop");
        return (await load([ADA], {}, "shop")).body.importId;
      },
    ],
  ])("are refused where it is %s", async (_, make) => {
    const importId = await make();
    expect(await load([BOB], { importId })).toMatchObject({
      status: 400,
      body: { code: 40001, message: "importId: must be the id of an import into this website" },
    });
    expect(await stateOf(BOB)).toBeNull();
  });

  it("are refused after an undo, and with another resubscribe", async () => {
    const { importId } = (await load([ADA])).body;
    expect(await load([BOB], { importId, resubscribe: "true" })).toMatchObject({
      status: 400,
      body: { code: 40001, message: "resubscribe: must be false, as in the first request of the import" },
    });
    await undo(importId);
    const closed = {
      status: 409,
      body: {
        code: 40901,
        message: "The import was undone, and takes no more rows. Send the file as a new import, without importId.",
      },
    };
    expect(await load([BOB], { importId })).toMatchObject(closed);
    expect(await load([BOB], { importId, dryRun: "true" })).toMatchObject(closed);
    expect(await count()).toBe(0);
  });
});

describe("an import that breaks off", () => {
  it("tells what it has stored where a later row refuses the file, and its undo takes that back", async () => {
    const rows = [...numbers(12_000), `${ADA},,maybe`];
    const { status, body } = await load(rows);
    const { importId = "" } = body.import ?? {};
    expect([status, body]).toMatchObject([
      400,
      {
        code: 40001,
        message: `subscribed: must be true or false; line 12002 has "maybe". Stored before that: the first 10000 rows of this file, in the import ${importId}. An undo takes them back. To go on, send the file again with importId=${importId}: what is stored stays as it is.`,
        import: { storedRows: 10_000 },
      },
    ]);
    expect(await count()).toBe(10_000);
    expect(await undo(importId)).toMatchObject({ restored: 10_000, isComplete: true });
    expect(await count()).toBe(0);
  });

  it("has stored nothing, and begun nothing, where a row of its first part refuses the file; nor by a dry run", async () => {
    expect((await load([...numbers(4000), `${ADA},,maybe`])).body.import).toBeUndefined();
    expect((await load([...numbers(12_000), `${ADA},,maybe`], { dryRun: "true" })).body.import).toBeUndefined();
    expect(await world.rows("SELECT * FROM imports")).toEqual([]);
    expect(await world.rows("SELECT * FROM audit_log WHERE action = 'import'")).toEqual([]);
  });

  it.each(["before", "after"])("goes on with its importId where the database fails in the middle: %s", async (when) => {
    vi.spyOn(Math, "random").mockReturnValue(0);
    const { deps } = world;
    let parts = 0;
    const batch = async (statements: D1PreparedStatement[]) => {
      // After the entry in the audit log, the beginning of the import, and its first part.
      const isLost = ++parts > 3;
      if (isLost && when === "before") throw new Error("D1_ERROR: Network connection lost.");
      const results = await env.DB.batch(statements);
      if (isLost) throw new Error("D1_ERROR: Network connection lost.");
      return results;
    };
    world.deps = { ...deps, db: { prepare: (sql: string) => env.DB.prepare(sql), batch } as unknown as D1Database };
    const broken = await load(numbers(6000));
    world.deps = deps;
    const { importId = "", storedRows } = broken.body.import ?? {};
    expect([broken.status, broken.body.code, storedRows]).toEqual([503, 50300, 5000]);
    const stored = when === "before" ? 5000 : 6000;
    expect(await count()).toBe(stored);
    const { body } = await load([...numbers(6000), `${ADA},,no`], { importId });
    expect(body).toMatchObject({ importId, imported: 6001, newOptedOut: 1, unchanged: stored });
    expect(body.newSubscribed).toBe(6000 - stored);
    expect(await undo(importId)).toMatchObject({ restored: 6001, changedSince: 0 });
    expect(await count()).toBe(0);
  });
});
