import { beforeEach, describe, expect, it } from "vitest";
import { bindDatabases } from "../databases.ts";
import { losingFirst } from "../late-tries.ts";
import { clearMove, finishMove, workOnPiece } from "../moves.ts";
import { World } from "../world.ts";

let world: World;

beforeEach(async () => {
  world = await World.create();
  await bindDatabases(world, 3);
  await world.sweep();
  for (const websiteId of ["brand", "near"]) await world.website(websiteId, { carrier: "sandbox", database: "DB" });
});

const call = async (method: string, path: string, body?: object): Promise<Record<string, unknown>> => {
  const answer = await world.operator(method, path, body);
  return { status: answer.status, ...((await answer.json()) as object) };
};
const move = (database: string, websiteId = "brand") => call("POST", `/websites/${websiteId}/move`, { database });
const look = () => call("GET", "/websites/brand/move");
const abort = () => call("POST", "/websites/brand/move/abort");
const refused = (why: string) => ({ status: 409, code: 40902, message: `The website is not moved: ${why}.` });
const until = (state: string) => finishMove(world, "brand", (is) => is === state);
const ABORTED = { state: "failed", problem: "an operator has aborted it" };

describe("a move", () => {
  it("is shown from its beginning to a day after its end", async () => {
    expect(await look()).toMatchObject({ status: 404 });
    const begun = { from: "DB", to: "DB_2", state: "paused", totalRows: null, copiedRows: 0, endedAt: null };
    expect(await move("DB_2")).toMatchObject({ status: 202, ...begun });
    await until("comparing");
    expect(await look()).toMatchObject({ state: "comparing", copiedRows: 1, totalRows: 1, problem: null });
    await finishMove(world, "brand");
    expect(await look()).toMatchObject({ state: "done", comparedRows: 1, endedAt: expect.any(String) });
    expect((await call("GET", "/websites/brand")).database).toBe("DB_2");
    const { websites } = (await call("GET", "/websites")) as unknown as { websites: { websiteId: string }[] };
    expect(websites.map(({ websiteId }) => websiteId)).toEqual(["brand", "near"]);
    await clearMove(world, "brand");
    expect(await look()).toMatchObject({ status: 404 });
  });

  it("is safe to repeat: it goes on, and is done once", async () => {
    expect((await move("DB_2")).state).toBe("paused");
    const { startedAt } = await move("DB_2");
    expect(world.jobs.map(({ body }) => body)).toEqual([1, 2].map(() => ({ kind: "move", websiteId: "brand" })));
    await until("copying");
    expect(await move("DB_2")).toMatchObject({ status: 202, state: "copying", startedAt });
    await finishMove(world, "brand");
    for (let press = 0; press < 2; press++)
      expect(await move("DB_2")).toMatchObject({ status: 202, state: "done", startedAt });
  });

  it("takes along that an import is over: right after it, the import is undone", async () => {
    const { importId } = (await (await world.subscribers("brand", ["+12125550100"])).json()) as { importId: string };
    const importedAt = world.now;
    await move("DB_2");
    await finishMove(world, "brand");
    expect(world.now - importedAt).toBeLessThan(5 * 60_000);
    expect(await call("POST", `/imports/${importId}/undo`)).toMatchObject({
      status: 200,
      restored: 1,
      isComplete: true,
    });
    expect(await call("GET", "/websites/brand/people/+12125550100")).toMatchObject({ subscribed: false });
  });

  it("takes along an import that goes on after it, and is undone as a whole", async () => {
    const load = async (phone: string, query = "") =>
      (await (await world.subscribers("brand", [phone], query)).json()) as { importId: string; newSubscribed: number };
    const { importId } = await load("+12125550100");
    await move("DB_2");
    await finishMove(world, "brand");
    expect(await load("+12125550101", `?importId=${importId}`)).toMatchObject({ importId, newSubscribed: 1 });
    expect(await call("POST", `/imports/${importId}/undo`)).toMatchObject({ status: 200, restored: 2 });
  });

  it("that was refused does not begin, whenever a lost try of it runs", async () => {
    await move("DB_2");
    const start = async () =>
      expect(await move("DB_3", "near")).toMatchObject(refused("another website is being moved: one moves at a time"));
    const runLate = await losingFirst(world, start, "INSERT INTO moves");
    world.advance(1);
    await abort();
    await runLate();
    expect(await world.rows("SELECT website_id FROM moves")).toEqual([{ website_id: "brand" }]);
    expect((await move("DB_3", "near")).status).toBe(202);
  });

  it("is in the list of moves", async () => {
    expect(await call("GET", "/moves")).toMatchObject({ status: 200, moves: [] });
    await move("DB_2");
    const { websiteId, to, state } = (await look()) as unknown as Record<string, unknown>;
    expect(await call("GET", "/moves")).toMatchObject({ status: 200, moves: [{ websiteId, to, state }] });
  });

  it("is refused with a reason", async () => {
    expect(await move("DB")).toMatchObject(refused("it is in DB already"));
    expect(await move("DB_9")).toMatchObject({ status: 400 });
    expect(await move("DB_2", "unknown")).toMatchObject({ status: 404 });
    expect((await move("DB_2")).status).toBe(202);
    expect(await move("DB_3")).toMatchObject(refused("it is on its way to DB_2"));
    expect(await move("DB_2", "near")).toMatchObject(refused("another website is being moved: one moves at a time"));
    await finishMove(world, "brand");
    expect((await move("DB_3")).message).toMatch(/DB keeps its old rows until 2026-.*: move it back there, or wait/);
    expect(await move("DB")).toMatchObject({ status: 202, state: "paused", from: "DB_2", to: "DB" });
  });

  it("ignores what it does not know of its body, and says what it lacks", async () => {
    const path = "/websites/brand/move";
    for (const body of [{}, { database: null }, { database: 2 }])
      expect(await call("POST", path, body)).toMatchObject({
        status: 400,
        details: [{ field: "database", message: "is required, and must be a string" }],
      });
    const answer = await world.operator("POST", path, { database: "DB_2", force: true });
    expect([answer.status, answer.headers.get("ignored-fields")]).toEqual([202, "force"]);
  });

  it("that nothing works on is a problem", async () => {
    await move("DB_2");
    world.jobs.length = 0;
    world.advance(301);
    const { details } = (await call("GET", "/health")) as unknown as { details: { problem: string }[] };
    expect(details.filter(({ problem }) => problem === "move-stuck")).toMatchObject([
      { websiteId: "brand", cause: "paused" },
    ]);
    await world.sweep();
    await finishMove(world, "brand");
    expect(await look()).toMatchObject({ state: "done" });
  });
});

describe("an abort", () => {
  it.each(["paused", "copying", "comparing"])("ends a move that is %s, and is safe to repeat", async (state) => {
    await world.subscribers("brand", ["+12125550100"]);
    await move("DB_2");
    if (state !== "paused") await until(state);
    expect(await abort()).toMatchObject({ status: 200, ...ABORTED });
    // It is open again at once.
    expect((await call("PUT", "/websites/brand", { name: "Brand" })).status).toBe(200);
    for (let press = 0; press < 2; press++) expect(await abort()).toMatchObject({ status: 200, ...ABORTED });
    world.advance(60);
    await world.sweep();
    for (let piece = 0; piece < 60; piece++) await workOnPiece(world, "brand");
    expect(await look()).toMatchObject(ABORTED);
    expect((await call("GET", "/websites/brand")).database).toBe("DB");
    expect((await call("GET", "/health")).problems).not.toContain("move-stuck");
    // What it has left is cleared: the website may move to any database.
    expect(await move("DB_3")).toMatchObject({ status: 202, state: "paused" });
    await finishMove(world, "brand");
    expect(await look()).toMatchObject({ state: "done", to: "DB_3" });
  });

  it("comes too late once the website is in the target", async () => {
    expect(await abort()).toMatchObject({ status: 404 });
    await move("DB_2");
    await until("switched");
    const late = refused("it is in DB_2 already: move it back to DB");
    expect(await abort()).toMatchObject(late);
    await finishMove(world, "brand");
    expect(await abort()).toMatchObject(late);
  });
});
