import { beforeEach, expect, it } from "vitest";
import type { SessionAnswers } from "../../src/operator/answers/operators.ts";
import { OF_THE_CONSOLE, signIn } from "../console.ts";
import { failingDatabase } from "../failing-database.ts";
import { World } from "../world.ts";

let world: World;

beforeEach(async () => {
  world = await World.create();
});

const list = async (headers?: Record<string, string>) => {
  const answer = headers
    ? await world.fetch("/operator/sessions", { headers })
    : await world.operator("GET", "/sessions");
  return ((await answer.json()) as SessionAnswers["OperatorSessionList"]).sessions;
};
const look = async (headers: Record<string, string>) => (await world.fetch("/operator/websites", { headers })).status;

it("lists who is signed in, the latest first, and which session asks", async () => {
  const ada = await signIn(world, "ada");
  const began = world.now;
  world.advance(3600);
  const bob = await signIn(world, "bob", "viewer");
  expect(await list(ada)).toEqual([
    {
      ...{ sessionId: expect.any(String), operator: "bob", role: "viewer", isThis: false },
      createdAt: new Date(world.now).toISOString(),
      lastUsedAt: new Date(world.now).toISOString(),
      expiresAt: new Date(world.now + 43_200_000).toISOString(),
    },
    {
      ...{ sessionId: expect.any(String), operator: "ada", role: "operator", isThis: true },
      createdAt: new Date(began).toISOString(),
      lastUsedAt: new Date(world.now).toISOString(),
      expiresAt: new Date(began + 43_200_000).toISOString(),
    },
  ]);
  expect((await list(bob)).map(({ isThis }) => isThis)).toEqual([true, false]);
  expect((await list()).map(({ isThis }) => isThis)).toEqual([false, false]);
  await world.operator("DELETE", "/tokens/bob");
  expect((await list()).map(({ operator }) => operator)).toEqual(["ada"]);
  world.advance(8 * 3600);
  expect(await list()).toHaveLength(1);
  world.advance(3 * 3600);
  expect(await list()).toEqual([]);
});

it("ends one, from a session too, and no other", async () => {
  const ada = await signIn(world, "ada");
  world.advance(1);
  const bob = await signIn(world, "bob");
  const [ofBob] = await list();
  const answer = await world.fetch(`/operator/sessions/${ofBob?.sessionId}`, {
    method: "DELETE",
    headers: { ...ada, ...OF_THE_CONSOLE },
  });
  expect(await answer.json()).toEqual({ sessionId: ofBob?.sessionId, operator: "bob" });
  expect([await look(ada), await look(bob)]).toEqual([200, 401]);
  expect((await world.operator("DELETE", `/sessions/${ofBob?.sessionId}`)).status).toBe(404);
});

it("is ended once, where D1 answers only the second time", async () => {
  await signIn(world, "ada");
  const [session] = await list();
  const { db } = world.deps;
  world.deps = { ...world.deps, db: failingDatabase(db, 1, "after", undefined, "batches") };
  expect((await world.operator("DELETE", `/sessions/${session?.sessionId}`)).status).toBe(200);
  world.deps = { ...world.deps, db };
  expect(await list()).toEqual([]);
  expect(await world.rows("SELECT 1 FROM audit_log WHERE action = 'end-session'")).toHaveLength(1);
});
