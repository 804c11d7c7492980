import { beforeEach, describe, expect, it } from "vitest";
import type { ImportListAnswers, SubscriberAnswers } from "../../src/operator/answers/imports.ts";
import { bindDatabases, makeBrand } from "../databases.ts";
import { World } from "../world.ts";

let world: World;

beforeEach(async () => {
  world = await World.create();
  await world.website("brand");
});

type Answer = SubscriberAnswers["ImportAnswer"];

const load = async (lines: string[], query = "", websiteId = "brand") =>
  (await (await world.subscribers(websiteId, lines, query)).json()) as Answer;
const list = async (query = "") =>
  (await (await world.operator("GET", `/imports${query}`)).json()) as ImportListAnswers["ImportList"];

describe("the list of imports", () => {
  it.each(["nobody", "No one"])("is none of a website that is unknown: %s", async (website) => {
    const answer = await world.operator("GET", `/imports?${new URLSearchParams({ website })}`);
    expect([answer.status, await answer.json()]).toMatchObject([404, { message: expect.stringContaining("website") }]);
  });

  it("says what was imported, by whom, and what came of it", async () => {
    await load(["+12125550100"]);
    await world.rows("UPDATE subscriptions SET subscribed = 0, opted_out_by_person = 1");
    world.advance(60);
    const lines = ["+12125550100", "+12125550101", "+12125550102", "nope", "nope"];
    const { importId } = await load(lines, "?file=people.csv");
    expect((await list()).imports[0]).toEqual({
      ...{ importId, websiteId: "brand", websiteName: "brand", file: "people.csv", operator: "OPERATOR_TOKEN" },
      ...{
        at: "2026-11-21T12:01:00.000Z",
        rows: 5,
        newSubscribed: 2,
        newOptedOut: 0,
        becameSubscribed: 0,
        becameOptedOut: 0,
      },
      ...{ keptUnsubscribed: 1, refused: 2, undoneAt: null },
    });
    await load(["+12125550103"], `?importId=${importId}`);
    expect((await list()).imports).toMatchObject([
      { importId, rows: 6, newSubscribed: 3 },
      { file: null, rows: 1, newSubscribed: 1 },
    ]);
    world.advance(60);
    await world.operator("POST", `/imports/${importId}/undo`);
    expect((await list()).imports[0]).toMatchObject({ importId, undoneAt: "2026-11-21T12:02:00.000Z" });
  });

  it("counts a piece of a file once, however often it is sent", async () => {
    const { importId } = await load([]);
    const piece = ["+12125550100", "+12125550101", "nope"];
    const first = await load(piece, `?importId=${importId}&part=1`);
    // Its answer was lost: it is sent again, and nothing is new any more.
    const again = await load(piece, `?importId=${importId}&part=1`);
    expect([first.newSubscribed, again.newSubscribed, again.unchanged]).toEqual([2, 0, 2]);
    expect((await list()).imports).toMatchObject([
      { importId, rows: 3, newSubscribed: 2, keptUnsubscribed: 0, refused: 1 },
    ]);
    await load(["+12125550102"], `?importId=${importId}&part=2`);
    expect((await list()).imports).toMatchObject([{ importId, rows: 4, newSubscribed: 3, refused: 1 }]);
  });

  it("counts a number as new once, whichever of the requests of a piece has stored it, and whether its end was stored", async () => {
    const { importId } = await load(["+12125550100"]);
    const { deps } = world;
    const lost = (sql: string) => {
      if (sql.includes("SELECT counted_request")) throw new Error("D1_ERROR: constraint failed");
      return deps.db.prepare(sql);
    };
    world.deps = { ...deps, db: { prepare: lost, batch: (some) => deps.db.batch(some) } as D1Database };
    await load(["+12125550101", "+12125550102"], `?importId=${importId}&part=2`);
    world.deps = deps;
    await load(["+12125550101", "+12125550102"], `?importId=${importId}&part=2`);
    await load(["+12125550102", "+12125550103"], `?importId=${importId}&part=3`);
    expect((await list()).imports).toMatchObject([{ importId, rows: 5, newSubscribed: 4 }]);
  });

  it.each(["0", "-1", "1.5", "one", "1000001"])("counts no part that is no number from 1 on: %s", async (part) => {
    const { importId } = await load([]);
    expect(await load(["+12125550100"], `?importId=${importId}&part=${part}`)).toMatchObject({
      code: 40001,
      details: [{ field: "part" }],
    });
    expect((await list()).imports).toMatchObject([{ rows: 0 }]);
  });

  it("has an import whose counts are not stored, and no dry run", async () => {
    await load(["+12125550100"], "?dryRun=true");
    expect((await list()).imports).toEqual([]);
    await load(["+12125550100"]);
    await world.rows(
      "UPDATE imports SET file_rows = NULL, new_subscribed = NULL, kept_unsubscribed = NULL, refused = NULL",
    );
    expect((await list()).imports).toMatchObject([
      { rows: null, newSubscribed: null, keptUnsubscribed: null, refused: null },
    ]);
  });

  it("is paged over all databases, and by website", async () => {
    await bindDatabases(world, 2);
    const brands = [await makeBrand(world, 1), await makeBrand(world, 2)];
    for (let n = 0; n < 3; n++) {
      for (const { websiteId } of brands) {
        world.advance(1);
        await load(["+12125550177"], `?file=${n}`, websiteId);
      }
    }
    const named = ({ imports }: ImportListAnswers["ImportList"]) =>
      imports.flatMap(({ file, websiteId }) => (file ? [`${file} ${websiteId}`] : []));
    expect(named(await list())).toEqual(["2 w2", "2 w1", "1 w2", "1 w1", "0 w2", "0 w1"]);
    expect(named(await list("?website=w2"))).toEqual(["2 w2", "1 w2", "0 w2"]);
  });

  it("goes on where a page ended", async () => {
    for (let n = 0; n < 101; n++) {
      await world.rows(
        `INSERT INTO imports (import_id, website_id, resubscribes, after_id, last_id, operator, begun_at)
         VALUES (?1, 'brand', 0, 0, 0, 'ada', ?2)`,
        `00000000-0000-4000-8000-${String(n).padStart(12, "0")}`,
        world.now,
      );
    }
    const first = await list();
    const second = await list(`?cursor=${first.next}`);
    expect([first.imports.length, second.imports.length, second.next]).toEqual([100, 1, null]);
    expect(new Set([...first.imports, ...second.imports].map(({ importId }) => importId)).size).toBe(101);
  });

  it("refuses a wrong cursor, a name that is too long, and anybody but the operator", async () => {
    expect((await world.operator("GET", "/imports?cursor=x")).status).toBe(400);
    expect((await world.fetch("/operator/imports")).status).toBe(401);
    expect(await load(["+12125550100"], `?file=${"x".repeat(201)}`)).toMatchObject({ details: [{ field: "file" }] });
  });
});

describe("the preview of an import", () => {
  it("says of the first 20 rows what becomes of each, and the counts add up to the rows", async () => {
    await load(["+12125550100,old@example.com", "+12125550101", "+12125550102", "+12125550103"]);
    await world.rows("UPDATE subscriptions SET subscribed = 0, opted_out_by_person = 1 WHERE phone = 12125550102");
    await world.rows("UPDATE subscriptions SET subscribed = 0 WHERE phone = 12125550103");
    const lines = [
      ...["+12125550100,new@example.com,", "+12125550101,,", "+12125550102,,", "+12125550103,,", "nope,,"],
      ...["+12125550109,,", "+12125550110,,false", "+12125550109,,"],
    ];
    const { preview, ...answer } = await load(lines, "?dryRun=true");
    expect(preview?.map(({ line, becomes }) => [line, becomes])).toEqual([
      [2, "newAddress"],
      [3, "unchanged"],
      [4, "keptUnsubscribed"],
      [5, "keptUnsubscribed"],
      [6, "refused"],
      [7, "newSubscribed"],
      [8, "newOptedOut"],
      [9, "newSubscribed"],
    ]);
    expect(preview?.[0]).toEqual({
      ...{ line: 2, phone: "+12125550100", email: "new@example.com", becomes: "newAddress", reason: null },
      ...{ consentedAt: null, evidence: null },
    });
    expect(preview?.[2]?.reason).toMatch(/START/);
    expect(preview?.[4]).toMatchObject({ phone: "nope", reason: expect.stringContaining("must be an E.164") });
    const { imported, keptUnsubscribed, refused = 0, repeated = 0, rows } = answer;
    expect(imported + keptUnsubscribed + refused + repeated).toBe(rows);
    expect([rows, refused, repeated]).toEqual([8, 1, 1]);
  });

  it("counts no row as refused whose number is of an earlier numbering plan, and opted out", async () => {
    const old = "+1212555010";
    await load(["+12125550100"]);
    await world.rows("UPDATE subscriptions SET phone = ?1", Number(old));
    await world.rows("UPDATE subscription_changes SET phone = ?1", Number(old));
    const lines = [`${old},,false`, `${old},,false`, "nope,,false", "+12125550109,,", "+12125550109,,"];
    const dry = await load(lines, "?dryRun=true");
    expect(dry).toMatchObject({
      rows: 5,
      newSubscribed: 1,
      becameOptedOut: 1,
      unchanged: 0,
      keptUnsubscribed: 0,
      refused: 1,
      repeated: 2,
    });
    expect(dry.preview?.map(({ becomes }) => becomes)).toEqual([
      "becameOptedOut",
      "becameOptedOut",
      "refused",
      "newSubscribed",
      "newSubscribed",
    ]);
    world.advance(60);
    const { importId } = await load(lines);
    expect((await list()).imports).toMatchObject([{ importId, rows: 5, newSubscribed: 1, refused: 1 }, {}]);
  });

  it("has no more than 20 rows, and is of a dry run alone", async () => {
    const lines = Array.from({ length: 30 }, (_, index) => `+121255501${10 + index}`);
    expect((await load(lines, "?dryRun=true")).preview).toHaveLength(20);
    expect(await load(lines)).not.toHaveProperty("preview");
  });
});
