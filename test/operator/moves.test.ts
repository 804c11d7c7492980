import { describe, expect, it } from "vitest";
import { finishMove } from "../moves.ts";
import { abort, call, look, move, prepare, until, world } from "./moving.ts";

prepare();

const refused = (why: string) => ({ status: 409, code: 40902, message: `The website is not moved: ${why}.` });

describe("a move", () => {
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
});

describe("an abort", () => {
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
