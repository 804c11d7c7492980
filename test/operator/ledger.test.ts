/** The ledger of a website by time: whole, in order, bounded, masked for a viewer, and audited as a file. */
import fc from "fast-check";
import { beforeEach, describe, expect, it } from "vitest";
import type { LedgerAnswers } from "../../src/operator/ledger.ts";
import { countingDatabase } from "../counting-database.ts";
import { bindDatabases, makeBrand } from "../databases.ts";
import { add, begin, call, client, file, world } from "./ledger-stage.ts";

type Page = LedgerAnswers["LedgerPage"];

const ADA = "+12125550100";
const BOB = "+12125550101";
const AT = "2026-11-21T12:00:00.000Z";
const FORM = 'Checkbox, "version 3"';
const HEAD = "change_id,at,phone,was_subscribed,subscribed,address_changed,source,proof,consented_at,evidence";

beforeEach(begin);

const page = async (query = "", websiteId = "brand") => (await (await call(query, websiteId)).json()) as Page;

const subscribe = (phone: string, fields: object = {}) =>
  world.post("/text/subscribe", client, { phone_numbers: [phone], sendPurpose: "join", ...fields });

const unsubscribe = (phone: string) => world.post("/text/unsubscribe", client, { phone_numbers: [phone] });

const audit = () =>
  world.rows("SELECT operator, website_id, after, outcome FROM audit_log WHERE action = 'export-ledger'");

async function pages(query: string): Promise<Page["changes"]> {
  const all: Page["changes"] = [];
  for (let next: string | null = ""; next !== null; ) {
    const found: Page = await page(`?${query}${next && `&cursor=${next}`}`);
    all.push(...found.changes);
    next = found.next;
  }
  return all;
}

describe("the ledger", () => {
  it("has every change with its proof, and those of a time that is asked for", async () => {
    await subscribe(ADA, { consentedAt: "2026-11-02T18:04:00-05:00", evidence: FORM });
    world.advance(60);
    await unsubscribe(ADA);
    const proof = expect.stringMatching(/^request [0-9a-f-]{36}/);
    const joined = {
      ...{ phone: ADA, changeId: 1, from: null, to: true, at: AT, addressChanged: false, source: "api", proof },
      ...{ consentedAt: "2026-11-02T23:04:00.000Z", evidence: FORM },
    };
    const left = { phone: ADA, changeId: 2, from: true, to: false, at: "2026-11-21T12:01:00.000Z", source: "api" };
    expect(await page()).toEqual({ changes: [joined, { ...left, proof, addressChanged: false }], next: null });
    const ids = async (query: string) => (await page(query)).changes.map(({ changeId }) => changeId);
    expect(await ids(`?to=2026-11-21T12:01:00Z`)).toEqual([1]);
    expect(await ids(`?from=2026-11-21T12:01:00Z`)).toEqual([2]);
    expect(await ids(`?from=${AT}&to=2026-11-21T12:01:00.001Z`)).toEqual([1, 2]);
    expect(await ids(`?from=2026-11-21T12:01:01Z`)).toEqual([]);
    expect(await audit()).toEqual([]);
  });

  it("has each row once, page by page, in the order of time, whatever the order of the numbers", async () => {
    const time = fc.integer({ min: 0, max: 6 }).map((minutes) => world.now - minutes * 60_000);
    await fc.assert(
      fc.asyncProperty(fc.array(time, { minLength: 90, maxLength: 330 }), time, time, async (times, one, other) => {
        await world.rows("DELETE FROM subscription_changes");
        await add(times.length, `json_extract('${JSON.stringify(times)}', '$[' || i || ']')`);
        await add(150, "1", "shop");
        const [from, until] = [Math.min(one, other), Math.max(one, other)];
        const found = await pages(`from=${new Date(from).toISOString()}&to=${new Date(until).toISOString()}`);
        const given = times.map((at, index) => ({ at, phone: `+${16_465_550_000 + index}` }));
        const expected = given.filter(({ at }) => at >= from && at < until).sort((a, b) => a.at - b.at);
        expect(found.map(({ at, phone }) => ({ at: Date.parse(at), phone }))).toEqual(expected);
      }),
      { numRuns: 12 },
    );
  });

  it("reads no more rows than it answers, also where thousands have one time", async () => {
    await add(4000, "1000");
    await add(4000, "1000", "shop");
    let query = "?limit=";
    const { db, take } = countingDatabase(world.deps.db);
    world.deps = { ...world.deps, db };
    for (let nth = 0; nth < 4; nth++) {
      const { next, changes } = await page(query);
      expect(changes).toHaveLength(100);
      const { calls, rowsRead, rowsWritten } = take();
      expect({ calls, rowsWritten }).toEqual({ calls: 2, rowsWritten: 0 });
      expect(rowsRead).toBeLessThanOrEqual(220);
      query = `?cursor=${next}`;
    }
  });

  it("has nothing of an erased person", async () => {
    await subscribe(ADA, { evidence: FORM });
    await subscribe(BOB);
    await world.operator("DELETE", `/websites/brand/people/${ADA}`);
    expect((await page()).changes.map(({ phone }) => phone)).toEqual([BOB]);
    expect(await (await call("?format=csv")).text()).not.toContain(ADA);
  });

  it("is found in the other database", async () => {
    await bindDatabases(world, 2);
    for (const brand of [await makeBrand(world, 1), await makeBrand(world, 2)]) {
      const { websiteId, phone } = brand;
      expect((await page("", websiteId)).changes.map((change) => change.phone)).toContain(phone);
    }
  });

  it.each(["?cursor=x", "?cursor=1-2-3", "?from=soon", "?to=soon", "?format=xml"])(
    "is refused for %s",
    async (query) => {
      expect((await call(query)).status).toBe(400);
    },
  );

  it("is for an operator, and of a website that there is", async () => {
    expect((await world.fetch("/operator/websites/brand/ledger")).status).toBe(401);
    expect((await call("", "nobody")).status).toBe(404);
  });

  it("is masked for a viewer, who gets no file", async () => {
    await subscribe(ADA, { evidence: `Text from ${ADA}` });
    const made = await world.operator("POST", "/tokens", { name: "vera", role: "viewer" });
    const { token } = (await made.json()) as { token: string };
    const look = (query: string) =>
      world.fetch(`/operator/websites/brand/ledger${query}`, { headers: { authorization: `Bearer ${token}` } });
    const body = await (await look("")).text();
    expect(body).not.toContain(ADA.slice(1));
    const [change] = (JSON.parse(body) as Page).changes;
    expect(change).toMatchObject({ phone: "+1212•••••00", evidence: "•••••", personId: expect.any(String) });
    expect([(await look("?format=csv")).status, await audit()]).toEqual([403, []]);
  });
});

describe("the file of a ledger", () => {
  it("has its rows with their proofs, no formula, and is audited with its time", async () => {
    await subscribe(ADA, { consentedAt: "2026-11-02T18:04:00-05:00", evidence: "=1+1" });
    const [head, row, end] = await file("&from=2026-11-21T00:00:00Z");
    const proof = (await page()).changes[0]?.proof;
    expect([head, row, end]).toEqual([
      HEAD,
      `1,"${AT}","${ADA}","","true","false","api","${proof}","2026-11-02T23:04:00.000Z","'=1+1"`,
      "",
    ]);
    const [entry] = await audit();
    expect(entry).toMatchObject({ operator: "OPERATOR_TOKEN", website_id: "brand", outcome: "done" });
    const after = { from: "2026-11-21T00:00:00.000Z", to: new Date(world.now + 1).toISOString() };
    expect(JSON.parse(String(entry?.after))).toEqual(after);
  });

  it("of a website without changes has its first line", async () => {
    expect(await file()).toEqual([HEAD, ""]);
  });

  it("costs two calls and 1.1 rows for each row at most", async () => {
    await add(9000, "1000");
    const { db, take } = countingDatabase(world.deps.db);
    world.deps = { ...world.deps, db };
    await file();
    const { rowsRead } = take();
    expect(rowsRead).toBeLessThanOrEqual(1.1 * 9000);
  });
});
