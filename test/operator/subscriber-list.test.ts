import { beforeEach, describe, expect, it } from "vitest";
import type { SubscriberListAnswers } from "../../src/operator/answers/people.ts";
import { FILE_ROWS } from "../../src/operator/csv-file.ts";
import { countingDatabase } from "../counting-database.ts";
import { bindDatabases, makeBrand } from "../databases.ts";
import { racingDatabase } from "../failing-database.ts";
import { seed } from "../seed.ts";
import { type TestClient, World } from "../world.ts";

type Page = SubscriberListAnswers["SubscriberPage"];

const ADA = "+12125550100";
const BOB = "+12125550101";
const AT = "2026-11-21T12:00:00.000Z";

let world: World;
let client: TestClient;

beforeEach(async () => {
  world = await World.create();
  client = await world.brand([`${ADA},ada@example.com,true`, `${BOB},,false`]);
});

const page = async (query = "", websiteId = "brand") =>
  (await (await world.operator("GET", `/websites/${websiteId}/subscribers${query}`)).json()) as Page;
const audit = () =>
  world.rows("SELECT operator, website_id, outcome FROM audit_log WHERE action = 'export-subscribers'");

/** Further numbers from 1 646 555 0000 on. */
async function add(count: number): Promise<void> {
  const changed = `${world.now}`;
  await seed(world, "subscription_changes", count, {
    ...{ change_id: "1000 + i", website_id: "'brand'", phone: "16465550000 + i", subscribed: "i % 2" },
    ...{ changed_at: changed, source: "'api'", proof: "'a request'" },
  });
  await seed(world, "subscriptions", count, {
    ...{ website_id: "'brand'", phone: "16465550000 + i", subscribed: "i % 2", change_id: "1000 + i" },
  });
}

describe("the list of a website's people", () => {
  it("says what each is, since when and by what, and counts who is subscribed", async () => {
    world.advance(60);
    await world.post("/text/unsubscribe", client, { phone_numbers: [ADA] });
    expect(await page()).toEqual({
      total: 0,
      subscribers: [
        { phone: ADA, email: "ada@example.com", subscribed: false, since: "2026-11-21T12:01:00.000Z", source: "api" },
        { phone: BOB, email: null, subscribed: false, since: AT, source: "import" },
      ],
      next: null,
    });
    expect(await audit()).toEqual([]);
  });

  it("has each number once, page by page, and no other website's", async () => {
    await world.brand(["+12125550199"], "shop");
    await add(250);
    const phones: string[] = [];
    let query = "";
    for (let pages = 0; pages < 3; pages++) {
      const { subscribers, next, total } = await page(query);
      phones.push(...subscribers.map(({ phone }) => phone));
      expect(total).toBe(pages === 0 ? 126 : null);
      expect(next === null).toBe(pages === 2);
      expect(next ?? "").not.toContain("6465550");
      query = `?cursor=${next}`;
    }
    expect(phones).toHaveLength(252);
    expect(new Set(phones).size).toBe(252);
    expect(phones).not.toContain("+12125550199");
    expect((await page("", "shop")).subscribers.map(({ phone }) => phone)).toEqual(["+12125550199"]);
  });

  it("reads a page alone, however many there are", async () => {
    await add(3000);
    const { next } = await page();
    const { db, take } = countingDatabase(world.deps.db);
    world.deps = { ...world.deps, db };
    await page(`?cursor=${next}`);
    const { rowsRead, rowsWritten } = take();
    expect(rowsRead).toBeLessThan(100 * 4);
    expect(rowsWritten).toBe(0);
  });

  it("is found in the other database", async () => {
    await bindDatabases(world, 2);
    await makeBrand(world, 1);
    const brand = await makeBrand(world, 2);
    const { subscribers } = await page("", brand.websiteId);
    expect(subscribers.map(({ phone }) => phone)).toContain(brand.phone);
  });

  it.each(["?cursor=x", "?cursor=999999", "?format=xml"])("is refused for %s", async (query) => {
    expect((await world.operator("GET", `/websites/brand/subscribers${query}`)).status).toBe(400);
  });

  it("is for an operator, and of a website that there is", async () => {
    expect((await world.fetch("/operator/websites/brand/subscribers")).status).toBe(401);
    expect((await world.operator("GET", "/websites/nobody/subscribers")).status).toBe(404);
  });
});

describe("the file of a website's people", () => {
  const file = async () => {
    const answer = await world.operator("GET", "/websites/brand/subscribers?format=csv");
    expect(answer.headers.get("content-type")).toBe("text/csv; charset=utf-8");
    // A text that is decoded has no byte order mark any more.
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(await answer.arrayBuffer());
  };

  it("has all of them, is audited, and changes nothing where it is imported", async () => {
    await add(5200);
    const csv = await file();
    const lines = csv.trimEnd().split("\r\n");
    expect(lines).toHaveLength(5203);
    expect(lines.slice(0, 3)).toEqual([
      "\ufeffphone_numbers,email,subscribed,since,source",
      `"${ADA}","ada@example.com","true","${AT}","import"`,
      `"${BOB}","","false","${AT}","import"`,
    ]);
    expect(new Set(lines).size).toBe(5203);
    expect(await audit()).toEqual([{ operator: "OPERATOR_TOKEN", website_id: "brand", outcome: "done" }]);
    const again = await world.operator("POST", "/websites/brand/subscribers?dryRun=true", csv, "text/csv");
    expect(await again.json()).toMatchObject({ imported: 5202, unchanged: 5202, invalidPhoneNumbers: [] });
  });

  it("brings back addresses that look like formulas, as they were", async () => {
    const addresses = [
      "+eve@example.com",
      "-eve@example.com",
      "=eve@example.com",
      "'+eve@example.com",
      "'eve@example.com",
    ];
    // Each as writeCsv writes it.
    await world.subscribers(
      "brand",
      addresses.map((address, index) => `+1212555011${index},${/^'?[+=-]/.test(address) ? "'" : ""}${address},true`),
    );
    const stored = () => world.rows("SELECT email FROM subscriptions WHERE email LIKE '%eve%' ORDER BY phone");
    expect(await stored()).toEqual(addresses.map((email) => ({ email })));
    const again = await world.operator("POST", "/websites/brand/subscribers?dryRun=true", await file(), "text/csv");
    expect(await again.json()).toMatchObject({ imported: 7, unchanged: 7 });
    await world.subscribers("brand", ["+12125550110,+adam-eve@example.com,true"]);
    expect((await stored())[0]).toEqual({ email: "+adam-eve@example.com" });
  });

  it("has each number once where the last of a page is erased before the next page is read", async () => {
    await add(5200);
    const last = "+16465554997";
    const isolate = await World.another(world);
    const erase = () => isolate.operator("DELETE", `/websites/brand/people/${last}`);
    const racing = racingDatabase(world.deps.db, "16465554997", erase);
    world.deps = { ...world.deps, db: racing.db };
    const lines = (await file()).trimEnd().split("\r\n");
    expect(racing.hasActed()).toBe(true);
    expect(lines[FILE_ROWS]).toMatch(last);
    expect(lines).toHaveLength(5203);
    expect(new Set(lines).size).toBe(5203);
  });

  it("of a website without people has its first line", async () => {
    await world.rows("DELETE FROM subscriptions");
    expect(await file()).toBe("\ufeffphone_numbers,email,subscribed,since,source\r\n");
  });
});
