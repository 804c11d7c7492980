import { describe, expect, it } from "vitest";
import { clearMove, finishMove, workOnPiece } from "../moves.ts";
import { abort, call, look, move, prepare, until, world } from "./moving.ts";

prepare();

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

  it("takes along an import that goes on after it, and is undone as a whole", async () => {
    const load = async (phone: string, query = "") =>
      (await (await world.subscribers("brand", [phone], query)).json()) as { importId: string; newSubscribed: number };
    const { importId } = await load("+12125550100");
    await move("DB_2");
    await finishMove(world, "brand");
    expect(await load("+12125550101", `?importId=${importId}`)).toMatchObject({ importId, newSubscribed: 1 });
    expect(await call("POST", `/imports/${importId}/undo`)).toMatchObject({ status: 200, restored: 2 });
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
});
