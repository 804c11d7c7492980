/** An undo gives back what was, and takes nothing from anybody who has spoken since. */
import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, it } from "vitest";
import { receiveInbound } from "../../../src/flows/people/receive-inbound.ts";
import { failingDatabase, heldDatabase } from "../../failing-database.ts";
import { type Call, runningAround } from "../../late-tries.ts";
import { type TestClient, World } from "../../world.ts";

const ADA = "+12125550100";
const BOB = "+12125550101";
const EVE = "+12125550102";
const OURS = "+12125550000";

let world: World;
let client: TestClient;

beforeEach(async () => {
  world = await World.create();
  await world.website("brand", { carrier: "sandbox", sender: OURS });
  client = await world.client("brand");
});

interface ImportAnswer {
  importId: string;
  newSubscribed: number;
  unchanged: number;
}
/** An import that changes whatever an import can change. */
const load = async (...lines: string[]) =>
  (await (await world.subscribers("brand", lines, "?resubscribe=true")).json()) as ImportAnswer;
const importId = async (...lines: string[]) => (await load(...lines)).importId;
const undo = async (id: string) => {
  const answer = await world.operator("POST", `/imports/${id}/undo`);
  return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
};
const undone = (restored: number, changedSince = 0, restoredBefore = 0, isComplete = true) => ({
  status: 200,
  body: { restored, changedSince, restoredBefore, isComplete },
});
const post = (path: string, body: object) => world.post(path, client, body);
const subscribe = (...phone_numbers: string[]) => post("/text/subscribe", { phone_numbers, sendPurpose: "again" });
const unsubscribe = (...phone_numbers: string[]) => post("/text/unsubscribe", { phone_numbers });
const erase = (phone: string) => world.operator("DELETE", `/websites/brand/people/${phone}`);
const removeEmail = (phone: string) => world.operator("DELETE", `/websites/brand/people/${phone}/email`);

let texts = 0;
const text = (words: string, from = ADA) =>
  world.invoke("fetch", () =>
    receiveInbound(world.deps, "sandbox", {
      ...{ carrierMessageId: `in-${++texts}`, from, to: [OURS], text: words, keyword: null, answeredByCarrier: false },
    }),
  );

const stateOf = async (phone = ADA) => {
  const sql = "SELECT subscribed, email FROM subscriptions WHERE website_id = 'brand' AND phone = ?1";
  const [row] = await world.rows(sql, Number(phone.slice(1)));
  return row ? [row.subscribed, row.email] : null;
};
const ledger = () =>
  world.rows("SELECT phone, was_subscribed, subscribed, source, proof FROM subscription_changes ORDER BY change_id");

describe("an undo", () => {
  it("restores state and address, and takes away who was new", async () => {
    await load(`${ADA},ada@example.com`, `${BOB},bob@example.com,false`);
    const id = await importId(`${ADA},new@example.com,false`, `${BOB},,true`, EVE);
    expect(await undo(id)).toEqual(undone(3));
    expect([await stateOf(), await stateOf(BOB), await stateOf(EVE)]).toEqual([
      [1, "ada@example.com"],
      [0, "bob@example.com"],
      null,
    ]);
    const rows = (await ledger()).filter(({ proof }) => proof === id).map((row) => Object.values(row).slice(0, 4));
    expect(rows).toEqual([
      [12125550101, 0, 1, "import"],
      [12125550102, null, 1, "import"],
      [12125550100, 1, 0, "import"],
      [12125550101, 1, 0, "undo"],
      [12125550102, 1, 0, "undo"],
      [12125550100, 0, 1, "undo"],
    ]);
  });

  it("restores nothing more the second time, and says so", async () => {
    const id = await importId(ADA, BOB);
    await unsubscribe(BOB);
    expect(await undo(id)).toEqual(undone(1, 1));
    const before = await ledger();
    expect(await undo(id)).toEqual(undone(0, 1, 1));
    expect(await ledger()).toEqual(before);
  });

  it("gives an address back to the number that had it last", async () => {
    await load(`${ADA},shared@example.com`);
    await load(`${BOB},shared@example.com`);
    const id = await importId(`${ADA},,false`, `${EVE},shared@example.com`);
    await undo(id);
    const message = await world.send(client, { email: "shared@example.com" });
    expect(await world.rows("SELECT phone FROM messages WHERE message_id = ?1", message)).toEqual([
      { phone: Number(BOB.slice(1)) },
    ]);
  });

  it("is told to nobody, as the import was not", async () => {
    await world.client("brand", { callbackUrl: "https://brand.example.com/", events: ["subscription.changed"] });
    const id = await importId(ADA);
    await undo(id);
    expect(await world.rows("SELECT * FROM events WHERE body IS NOT NULL")).toEqual([]);
  });

  it("does not know an import that never was", async () => {
    const answer = await undo("00000000-0000-4000-8000-000000000000");
    expect(answer).toMatchObject({ status: 404, body: { code: 40401, message: "There is no such import." } });
  });
});

describe("what was said after the import stays", () => {
  it.each([
    ["a STOP", () => text("STOP"), [0, "ada@example.com"]],
    ["an opt-out by a client", () => unsubscribe(ADA), [0, "ada@example.com"]],
    ["another address", () => load(`${ADA},other@example.com`), [1, "other@example.com"]],
    ["the removal of the address", () => removeEmail(ADA), [1, null]],
  ])("%s", async (_, say, state) => {
    const id = await importId(`${ADA},ada@example.com`);
    await say();
    expect(await undo(id)).toEqual(undone(0, 1));
    expect(await stateOf()).toEqual(state);
  });

  it("a STOP of who was opted out by the import", async () => {
    await subscribe(ADA);
    const id = await importId(`${ADA},,false`);
    await text("STOP");
    expect(await undo(id)).toEqual(undone(0, 1));
    expect(await stateOf()).toEqual([0, null]);
  });

  it.each<[string, string, () => Promise<unknown>, unknown]>([
    ["a subscription by a client", `${ADA},,true`, () => subscribe(ADA), null],
    ["a START", `${ADA},,true`, () => text("START"), null],
    ["a subscription by another import", `${ADA},,true`, () => load(ADA), null],
    ["an opt-out by a client", `${ADA},,false`, () => unsubscribe(ADA), null],
    ["an opt-out by another import", `${ADA},,false`, () => world.subscribers("brand", [`${ADA},,false`]), null],
  ])("but not what changes nothing: %s is no row of the ledger", async (_, line, say, state) => {
    const id = await importId(line);
    const before = await ledger();
    await say();
    expect(await ledger()).toEqual(before);
    expect(await undo(id)).toEqual(undone(1));
    expect(await stateOf()).toEqual(state);
  });

  it("an erasure: neither an undo nor an import brings the number back", async () => {
    await load(`${ADA},ada@example.com`);
    const id = await importId(`${ADA},new@example.com,false`, BOB);
    await erase(ADA);
    expect(await undo(id)).toEqual(undone(1));
    expect(await stateOf()).toBeNull();
    expect(await (await world.subscribers("brand", [ADA])).json()).toMatchObject({ optedOutNumbers: [ADA] });
  });

  it("but for another import that is undone before", async () => {
    await load(`${ADA},a@example.com`);
    const first = await importId(`${ADA},b@example.com,false`);
    const second = await importId(`${ADA},c@example.com,true`, BOB);
    expect(await undo(second)).toEqual(undone(2));
    expect(await stateOf()).toEqual([0, "b@example.com"]);
    expect(await undo(first)).toEqual(undone(1));
    expect(await stateOf()).toEqual([1, "a@example.com"]);
  });

  it("and an import does not take back a number that another import has set since, until that is undone", async () => {
    await subscribe(ADA);
    const first = await importId(`${ADA},,false`);
    const second = await importId(`${ADA},,true`);
    expect(await undo(first)).toEqual(undone(0, 1));
    expect(await stateOf()).toEqual([1, null]);
    expect(await undo(second)).toEqual(undone(1));
    expect(await stateOf()).toEqual([0, null]);
  });

  it("and START does not subscribe whom only an undone import knew, where websites share the sender", async () => {
    await world.website("shop", { carrier: "sandbox", sender: OURS });
    await world.subscribers("shop", [ADA]);
    await undo(await importId(ADA));
    await text("STOP");
    await text("START");
    expect((await stateOf())?.[0]).toBe(0);
  });
});

describe("an address that was removed", () => {
  it("is nowhere in the ledger, and comes back by no undo", async () => {
    await load(`${ADA},ada@example.com`);
    const id = await importId(`${ADA},new@example.com`);
    await removeEmail(ADA);
    await undo(id);
    expect(await stateOf()).toEqual([1, null]);
    expect(JSON.stringify(await world.rows("SELECT * FROM subscription_changes"))).not.toContain("@");
  });
});

describe("an import that is not over", () => {
  /** An import that waits before its second part; its numbers take two. */
  async function holdImport() {
    // After the entry in the audit log, the beginning of the import, and its first part.
    const { db, reached, release } = heldDatabase(env.DB, 4);
    const isolate = await World.another(world);
    isolate.deps = { ...isolate.deps, db };
    const lines = Array.from({ length: 8000 }, (_, index) => `+1212${5_600_000 + index}`);
    const answer = isolate.subscribers("brand", lines);
    await reached;
    const [row] = await world.rows("SELECT import_id FROM imports");
    return { id: String(row?.import_id), answer, release };
  }
  const count = async () => (await world.rows("SELECT count(*) AS n FROM subscriptions"))[0]?.n;

  it("is closed by its undo, at once: what it has stored is taken back, and it stores nothing more", async () => {
    const { id, answer, release } = await holdImport();
    expect(await count()).toBe(5000);
    expect(await undo(id)).toEqual(undone(5000));
    release();
    const ended = await answer;
    expect([ended.status, await ended.json()]).toMatchObject([
      409,
      { code: 40901, import: { importId: id, storedRows: 5000 } },
    ]);
    expect(await count()).toBe(0);
    expect(await undo(id)).toEqual(undone(0, 0, 5000));
  });

  it("is closed by its undo, although it has stored nothing yet", async () => {
    const id = await importId();
    expect(await undo(id)).toEqual(undone(0));
    const more = await world.subscribers("brand", [ADA], `?importId=${id}&resubscribe=true`);
    expect([more.status, await more.json()]).toMatchObject([409, { code: 40901 }]);
    expect(await stateOf()).toBeNull();
  });

  it("has undone what it has stored, where the store fails it", async () => {
    const isolate = await World.another(world);
    const part = async ({ sql, run }: Call) => {
      const results = await run();
      if (sql.some((one) => one.includes("INTO subscription_changes")))
        throw new Error("D1_ERROR: Network connection lost.");
      return results;
    };
    isolate.deps = { ...isolate.deps, db: runningAround(env.DB, part) };
    expect((await isolate.subscribers("brand", [ADA])).status).toBe(503);
    const [row] = await world.rows("SELECT import_id FROM imports");
    expect(await undo(String(row?.import_id))).toEqual(undone(1));
    expect(await stateOf()).toBeNull();
  });
});

describe("an import of several steps", () => {
  it("is counted once, and undone once, though its transactions are run twice", async () => {
    const isolate = await World.another(world);
    const twice = () => {
      isolate.deps = { ...isolate.deps, db: failingDatabase(env.DB, 1, "after", undefined, "batches") };
    };
    twice();
    const stored = (await (await isolate.subscribers("brand", [ADA, BOB])).json()) as ImportAnswer;
    expect(stored).toMatchObject({ newSubscribed: 2, unchanged: 0 });
    twice();
    const answer = await isolate.operator("POST", `/imports/${stored.importId}/undo`);
    expect(await answer.json()).toEqual(undone(2).body);
    expect((await ledger()).map(({ source }) => source)).toEqual(["import", "import", "undo", "undo"]);
  });

  it("is undone by calls that begin no step after 20 seconds", async () => {
    const id = await importId(ADA);
    // A step has so many ids of the ledger, whosever they are.
    await world.rows("UPDATE sqlite_sequence SET seq = seq + 25000 WHERE name = 'subscription_changes'");
    await world.subscribers("brand", [BOB], `?importId=${id}&resubscribe=true`);
    const { db } = world.deps;
    const batch = (statements: D1PreparedStatement[]) => {
      world.advance(21);
      return db.batch(statements);
    };
    world.deps = { ...world.deps, db: { prepare: (sql: string) => db.prepare(sql), batch } as unknown as D1Database };
    expect(await undo(id)).toEqual(undone(1, 0, 0, false));
    expect([await stateOf(ADA), await stateOf(BOB)]).toEqual([null, [1, null]]);
    expect(await undo(id)).toEqual(undone(1, 0, 1));
    expect(await stateOf(BOB)).toBeNull();
  });
});
