import { beforeEach, describe, expect, it } from "vitest";
import { bindDatabases } from "../../databases.ts";
import { finishMove } from "../../moves.ts";
import { World } from "../../world.ts";

let world: World;

beforeEach(async () => {
  world = await World.create();
  await bindDatabases(world, 2);
  await world.sweep();
  for (const websiteId of ["brand", "near"]) await world.website(websiteId, { carrier: "sandbox", database: "DB" });
});

const call = async (method: string, path: string, body?: object): Promise<Record<string, unknown>> => {
  const answer = await world.operator(method, path, body);
  return { status: answer.status, ...((await answer.json()) as object) };
};
const move = (database: string, websiteId = "brand") => call("POST", `/websites/${websiteId}/move`, { database });
const refused = (why: string) => ({ status: 409, code: 40902, message: `The website is not moved: ${why}.` });

describe("a move", () => {
  it("is shown from its beginning to the end of the way back", async () => {
    expect(await call("GET", "/websites/brand/move")).toMatchObject({ status: 404 });
    expect(await move("DB_2")).toMatchObject({ status: 200, from: "DB", to: "DB_2", step: "prepare", rowsTotal: null });
    await finishMove(world, "brand", (step) => step === "check");
    expect(await call("GET", "/websites/brand/move")).toMatchObject({
      ...{ step: "check", waitsFor: "the rows to be compared", rowsCopied: 1, rowsTotal: 1, logLength: 0 },
      ...{ isFenced: false, movedAt: null, canGoBackUntil: null, error: null },
    });
    await finishMove(world, "brand");
    const day = 24 * 3_600_000;
    const { movedAt, ...kept } = await call("GET", "/websites/brand/move");
    expect(kept).toMatchObject({
      step: "kept",
      canGoBackUntil: new Date(Date.parse(String(movedAt)) + day).toISOString(),
    });
    const website = await call("GET", "/websites/brand");
    expect(website.database).toBe("DB_2");
    const { websites } = (await call("GET", "/websites")) as unknown as { websites: { websiteId: string }[] };
    expect(websites.map(({ websiteId }) => websiteId)).toEqual(["brand", "near"]);
    world.advance(24 * 3600 + 1);
    expect(await call("POST", "/websites/brand/move-back")).toMatchObject(
      refused("it was not moved within the last 24 hours"),
    );
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

  it("is refused with a reason", async () => {
    expect(await move("DB")).toMatchObject(refused("it is in DB already"));
    expect(await move("DB_9")).toMatchObject({ status: 400 });
    expect(await move("DB_2", "unknown")).toMatchObject({ status: 404 });
    expect(await call("POST", "/websites/brand/move-back")).toMatchObject({ status: 409 });
    expect((await move("DB_2")).status).toBe(200);
    expect(await move("DB_2")).toMatchObject(refused("it is on its way to DB_2"));
    expect(await move("DB_2", "near")).toMatchObject(refused("another website is being moved: one moves at a time"));
    await finishMove(world, "brand");
    expect((await move("DB")).message).toMatch(/its last move is kept until 2026-/);
  });

  it("that nothing works on is a problem", async () => {
    await move("DB_2");
    world.jobs.length = 0;
    world.advance(301);
    const { details } = (await call("GET", "/health")) as unknown as { details: { problem: string }[] };
    expect(details.filter(({ problem }) => problem === "move-stuck")).toMatchObject([
      { websiteId: "brand", cause: "prepare" },
    ]);
    await world.sweep();
    await finishMove(world, "brand");
    expect(await call("GET", "/websites/brand/move")).toMatchObject({ step: "kept" });
  });
});
