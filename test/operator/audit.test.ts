import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { CALLS } from "../../src/calls.ts";
import { sandbox } from "../../src/carriers/sandbox.ts";
import { clientSettingsSchema } from "../../src/domain/clients/client.ts";
import { websiteFields } from "../../src/domain/clients/website.ts";
import { keepDeadJobs } from "../../src/flows/operations/dead-jobs.ts";
import type { AuditAnswers } from "../../src/operator/answers/operators.ts";
import { sessionIdOf } from "../console.ts";
import { countingDatabase } from "../counting-database.ts";
import { bindDatabases } from "../databases.ts";
import { failingDatabase } from "../failing-database.ts";
import { seed } from "../seed.ts";
import { dumpStores } from "../stores.ts";
import { SEND, type TestClient, World } from "../world.ts";
import { ADA, type Change, changesBy } from "./audit-changes.ts";

let world: World;
let client: TestClient;

beforeEach(async () => {
  vi.spyOn(globalThis, "fetch").mockImplementation(async () => new Response("thanks"));
  world = await World.create();
  client = await world.brand([`${ADA},ada@example.com`]);
});

afterEach(() => {
  vi.restoreAllMocks();
});

const audit = async (query = "") =>
  (await (await world.operator("GET", `/audit${query}`)).json()) as AuditAnswers["AuditPage"];
const changes = () => changesBy(world, client);
const latest = async () => (await audit()).entries[0];

async function keepDeadJob(): Promise<string> {
  const job = { id: "dead-1", timestamp: new Date(world.now), attempts: 1, body: { kind: "deliver", messageIds: [] } };
  await keepDeadJobs(world.deps, "textgate-messages-dead", [job] as unknown as Parameters<typeof keepDeadJobs>[2]);
  const [row] = await world.rows("SELECT id FROM dead_jobs");
  return String(row?.id);
}

/** Makes what a call changes, and calls. */
async function make({ route, path, body, type }: Change): Promise<Response> {
  const [method = "", pattern = ""] = route.split(" ");
  const values = {
    websiteId: "brand",
    clientId: client.clientId,
    phone: ADA,
    carrier: "sandbox",
    jobId: "",
    importId: "",
    personId: ADA,
    sessionId: "",
    messageId: "",
  };
  if (/cancel|reveal|\/:phone$/.test(route)) values.messageId = await world.send(client, { phone: ADA });
  if (route.includes("decide")) {
    await world.rows(
      `INSERT INTO inbound_texts (website_id, carrier, carrier_message_id, sender, recipient, text, received_at, applied, maybe_opt_out)
       VALUES ('brand', 'sandbox', 'in-1', ?1, '', 'please stop it', 1, 1, 1)`,
      ADA,
    );
  }
  if (route.endsWith("/reachable"))
    await world.rows("INSERT INTO number_faults VALUES ('brand', ?1, 3, '30005', 1, 1)", Number(ADA.slice(1)));
  if (path?.endsWith("/brand-b")) await world.rows("INSERT INTO accounts VALUES ('brand-b', 'twilio', '{}', '', 1, 1)");
  if (route.includes("dead-jobs")) values.jobId = await keepDeadJob();
  if (route.includes("imports")) {
    const stored = await world.subscribers("brand", ["+12125550107"]);
    values.importId = ((await stored.json()) as { importId: string }).importId;
  }
  if (route.endsWith("/release")) await world.operator("POST", "/websites/brand/hold", body);
  if (route.includes("sessions")) values.sessionId = await sessionIdOf(world, "cleo");
  if (path?.endsWith("/bob")) await world.operator("POST", "/tokens", { name: "bob" });
  const filled = path ?? pattern.replaceAll(/:(\w+)/g, (_, name: keyof typeof values) => values[name]);
  await beforeCall();
  return world.operator(method, filled.replace("/operator", ""), body, type);
}

let beforeCall: () => Promise<void>;
beforeEach(() => {
  beforeCall = async () => {};
});

const INDEXES = Array.from({ length: 28 }, (_, index) => index);

describe("every call that changes something", () => {
  it("is in the table of this test", () => {
    const paths = CALLS.flatMap(({ method, path, isRead }) =>
      path.startsWith("/operator/") && method !== "GET" && !isRead ? [`${method} ${path}`] : [],
    );
    expect([...new Set(changes().map(({ route }) => route))].sort()).toEqual(paths.sort());
    expect(changes()).toHaveLength(INDEXES.length);
  });

  it.each(INDEXES)("has one entry, with who, what and the request: number %i", async (index) => {
    const change = changes()[index] as Change;
    let before = 0;
    beforeCall = async () => {
      before = (await audit()).entries.length;
    };
    const answer = await make(change);
    expect([change.route, answer.ok]).toEqual([change.route, true]);
    const { entries } = await audit();
    expect([change.route, entries.length]).toEqual([change.route, before + 1]);
    const who = { operator: "OPERATOR_TOKEN", requestId: answer.headers.get("x-request-id"), outcome: "done" };
    expect(entries[0]).toMatchObject({ ...change.entry, ...who, at: new Date(world.now).toISOString() });
  });

  it.each(INDEXES)(
    "is refused, and changes nothing, where the audit log cannot be written: number %i",
    async (index) => {
      const change = changes()[index] as Change;
      let before = "";
      beforeCall = async () => {
        await world.rows("DROP TABLE audit_log");
        world.jobs.length = 0;
        before = await dumpStores(world);
      };
      const answer = await make(change);
      expect([change.route, answer.status]).toEqual([change.route, 500]);
      expect(await dumpStores(world)).toBe(before);
      expect(world.jobs).toEqual([]);
    },
  );
});

describe("a change of settings", () => {
  /** Each setting with two values. */
  const WEBSITE: Record<string, [first: unknown, second: unknown]> = {
    name: ["Brand", "The Brand"],
    carrier: ["sandbox", "kannel"],
    sender: ["+12125550111", null],
    helpText: [null, "Call us."],
    duplicateWindowHours: [24, 48],
    optOutWords: [["GENUG"], ["GENUG", "SCHLUSS"]],
    timeZone: ["America/New_York", "Europe/Berlin"],
    allowedCountries: [["US"], null],
    linkOrigin: ["https://go.example.com", "https://to.example.com"],
    frequencyCap: [
      { count: 1, hours: 24 },
      { count: 2, hours: 24 },
    ],
    transactionalPurposes: [["receipt"], ["receipt", "reset"]],
    sendingHours: [{ profile: "us-strict", whenClosed: "delay" }, null],
    fallback: [
      { carrier: "kannel", sender: "+12125550188" },
      { carrier: "sandbox", sender: "+12125550188" },
    ],
    dailyLimit: [1000, 2000],
    unreachableAfter: [5, null],
  };
  const CLIENT: typeof WEBSITE = {
    name: ["Klaviyo", "Braze"],
    callbackUrl: ["https://one.example.com", "https://two.example.com"],
    operations: [["send"], ["send", "status"]],
    events: [["message.status"], ["message.clicked"]],
    suspended: [false, true],
  };
  const firstOf = (settings: typeof WEBSITE) =>
    Object.fromEntries(Object.entries(settings).map(([name, [first]]) => [name, first]));

  it("is of any of these settings, and of no other", () => {
    // A website stays in its database.
    const { database: _, ...shape } = websiteFields.shape;
    expect(Object.keys(WEBSITE).sort()).toEqual(Object.keys(shape).sort());
    expect(Object.keys(CLIENT).sort()).toEqual(Object.keys(clientSettingsSchema(false).shape).sort());
  });

  it.each([
    ["PUT", "website", WEBSITE],
    ["PATCH", "client", CLIENT],
  ] as const)("has only what differs in its entry, however much is given: %s of a %s", async (method, of, settings) => {
    world.deps = { ...world.deps, carriers: { ready: { sandbox, kannel: sandbox }, missing: {} } };
    const path = of === "website" ? "/websites/brand" : `/clients/${client.clientId}`;
    const first = firstOf(settings);
    const change = async (more: object) => {
      world.advance(1);
      const answer = await world.operator(method, path, { ...first, ...more });
      expect([more, answer.status]).toEqual([more, 200]);
      const { before, after } = (await latest()) ?? {};
      return { before, after };
    };
    await change({});
    expect(await change({})).toEqual({ before: {}, after: {} });
    const given = { ...first };
    for (const [name, [before, after]] of Object.entries(settings)) {
      given[name] = after;
      expect(await change(given)).toEqual({ before: { [name]: before }, after: { [name]: after } });
    }
  });
});

describe("what changes nothing", () => {
  it.each([
    ["a look", "GET", "/websites/brand", undefined],
    ["a dry run", "POST", "/websites/brand/cancel", { dryRun: true }],
    ["an invalid change", "PUT", "/websites/brand", { carrier: "nobody" }],
    ["an unknown client", "PATCH", `/clients/${"0".repeat(32)}`, { suspended: true }],
    ["an unknown dead job", "POST", "/dead-jobs/nobody/put-back", undefined],
    ["an unknown token", "DELETE", "/tokens/nobody", undefined],
  ])("has no entry: %s", async (_, method, path, body) => {
    const before = (await audit()).entries.length;
    await world.operator(method, path, body);
    expect((await audit()).entries).toHaveLength(before);
  });

  it("has no entry: a hold of what is held", async () => {
    await world.operator("POST", "/websites/brand/hold", {});
    const first = await latest();
    await world.operator("POST", "/websites/brand/hold", {});
    expect(await latest()).toEqual(first);
  });
});

describe("a change whose end is not known", () => {
  it("that D1 answers only the second time has one entry, with what was before", async () => {
    const { db } = world.deps;
    for (const [method, path, body, before] of [
      ["PUT", "/websites/brand", { name: "New name" }, { name: "brand" }],
      ["PATCH", `/clients/${client.clientId}`, { suspended: true }, { suspended: false }],
      ["POST", `/clients/${client.clientId}/rotate`, {}, null],
    ] as const) {
      const count = (await audit()).entries.length;
      world.deps = { ...world.deps, db: failingDatabase(db, 1, "after", undefined, "batches") };
      world.advance(1);
      expect((await world.operator(method, path, body)).status).toBe(200);
      world.deps = { ...world.deps, db };
      const { entries } = await audit();
      expect(entries).toHaveLength(count + 1);
      expect(entries[0]).toMatchObject({ before });
    }
  });

  /** D1 that fails for statements that match. */
  const breaking = (matches: RegExp) => {
    const { db } = world.deps;
    const prepare = (sql: string) => {
      if (matches.test(sql)) throw new Error("D1_ERROR: broken");
      return db.prepare(sql);
    };
    world.deps = { ...world.deps, db: { prepare, batch: db.batch.bind(db) } as unknown as D1Database };
    return () => {
      world.deps = { ...world.deps, db };
    };
  };

  it("and that fails says so: a part may be done", async () => {
    const repair = breaking(/INSERT INTO subscriptions/);
    const answer = await world.subscribers("brand", ["+12125550133"]);
    expect(answer.status).toBeGreaterThanOrEqual(500);
    repair();
    const requestId = answer.headers.get("x-request-id");
    expect(await latest()).toMatchObject({ action: "import", outcome: "failed", requestId });
  });

  it("and whose outcome cannot be stored is in the log as begun, and is answered", async () => {
    const repair = breaking(/UPDATE audit_log/);
    expect((await world.operator("POST", "/carriers/sandbox/try")).status).toBe(200);
    repair();
    expect(await latest()).toMatchObject({ action: "try-carrier", outcome: null });
    expect(world.logs.join()).toContain("audit.not-ended");
  });
});

describe("the audit log", () => {
  it("has no secret, no text, no key of a URL and no whole number", async () => {
    const isLast = ({ route }: Change) => /PATCH|rotate/.test(route);
    for (const change of changes().toSorted((a, b) => Number(isLast(a)) - Number(isLast(b)))) {
      world.advance(60);
      expect([change.route, (await make(change)).ok]).toEqual([change.route, true]);
    }
    world.advance(60);
    const rotated = (await (await world.operator("POST", `/clients/${client.clientId}/rotate`, {})).json()) as object;
    const text = JSON.stringify(await world.rows("SELECT * FROM audit_log"));
    expect(text.length).toBeGreaterThan(1000);
    const issued = [client.clientSecret, client.callbackSecret, ...Object.values(rotated).map(String)];
    const hidden = [...issued, "a-key", "of-theirs", "ada@example.com", "2125550100", SEND.text, "op_"];
    for (const secret of hidden) expect([secret, text.includes(secret)]).toEqual([secret, false]);
  });

  it("pages through all of it, newest first, and by website, client or operator", async () => {
    await world.website("shop", { carrier: "sandbox" });
    const columns = { operator: "'ada'", action: "'put-website'", website_id: "'shop'", request_id: "'request-' || i" };
    await seed(world, "audit_log", 103, { ...columns, stored_at: `${world.now}` });
    world.advance(1);
    await world.operator("PUT", "/websites/shop", { name: "shop 103" });
    const first = await audit();
    expect(first.entries).toHaveLength(100);
    expect(first.entries[0]?.after).toEqual({ name: "shop 103" });
    const second = await audit(`?cursor=${first.next}`);
    expect(second.next).toBeNull();
    const all = [...first.entries, ...second.entries];
    const [row] = await world.rows("SELECT count(*) AS count FROM audit_log");
    expect(new Set(all.map(({ requestId }) => requestId)).size).toBe(row?.count);
    expect((await audit("?website=brand")).entries.map(({ action }) => action)).toEqual([
      "create-client",
      "import",
      "put-website",
    ]);
    expect((await audit(`?client=${client.clientId}`)).entries).toHaveLength(1);
    expect((await audit(`?client=${client.clientId.toUpperCase()}`)).entries).toHaveLength(1);
    expect((await audit("?by=nobody")).entries).toEqual([]);
    for (const query of ["?website=nobody", "?client=nobody", `?client=${"0".repeat(32)}`]) {
      expect((await world.operator("GET", `/audit${query}`)).status).toBe(404);
    }
    for (const query of ["?cursor=x", "?website=brand&by=ada"]) {
      expect((await world.operator("GET", `/audit${query}`)).status).toBe(400);
    }
  });

  it.each([1, 2])(
    "has each once, page by page, where a later row has an earlier time: %i databases",
    async (databases) => {
      if (databases === 2) await bindDatabases(world, 2);
      await world.rows("DELETE FROM audit_log");
      const columns = { operator: "'ada'", action: "'import'", website_id: "'brand'", request_id: "'request-' || i" };
      await seed(world, "audit_log", 250, { ...columns, stored_at: `${world.now} + i / 3 * 3 - i % 3` });
      const found: string[] = [];
      let cursor: string | null = "";
      while (cursor !== null) {
        const page: AuditAnswers["AuditPage"] = await audit(`?cursor=${cursor}`);
        found.push(...page.entries.map(({ requestId }) => requestId));
        cursor = page.next;
      }
      expect(found).toEqual(Array.from({ length: 250 }, (_, index) => `request-${249 - index}`));
    },
  );

  it("shows the last ten changes on the page of a website and of a client", async () => {
    for (let n = 0; n < 12; n++) {
      world.advance(1);
      await world.operator("PATCH", `/clients/${client.clientId}`, { suspended: n % 2 === 0 });
    }
    // The page of a website also has the counts of its texts.
    for (const [path, others] of [
      ["/websites/brand", 110],
      [`/clients/${client.clientId}`, 0],
    ] as const) {
      const counted = countingDatabase(world.deps.db);
      world.deps = { ...world.deps, db: counted.db };
      const page = (await (await world.operator("GET", path)).json()) as { changes: AuditAnswers["AuditEntry"][] };
      expect(page.changes).toHaveLength(10);
      expect(page.changes[0]).toMatchObject({ before: { suspended: true }, after: { suspended: false } });
      expect(counted.take().rowsRead).toBeLessThanOrEqual(2 + 1 + 2 * 10 + others);
    }
    expect((await world.operator("GET", `/clients/${"0".repeat(32)}`)).status).toBe(404);
  });
});
