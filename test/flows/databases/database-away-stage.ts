// Three databases, each of which a test breaks and repairs.
import { expect, vi } from "vitest";
import { type Brand, bindDatabases, boundDatabase, makeBrand, otherNames, useDatabases } from "../../databases.ts";
import { strictDatabase } from "../../strict/database.ts";
import { World } from "../../world.ts";

export let world: World;

/** Where callbacks were posted. */
export let posts: string[];

export async function begin(): Promise<void> {
  world = await World.create();
  vi.spyOn(globalThis, "fetch").mockImplementation(async (url) => {
    posts.push(String(url));
    return new Response("thanks");
  });
  await beginBrands();
}

/** A database that a test breaks and repairs. */
export class Breakable {
  isAway = false;
  isSilent = false;
  readonly db: D1Database;

  constructor(db: D1Database) {
    const ask = async <T>(run: () => Promise<T>): Promise<T> => {
      if (this.isSilent) return new Promise(() => {});
      if (this.isAway) throw new Error("D1_ERROR: Network connection lost.");
      return run();
    };
    const wrap = (statement: D1PreparedStatement): D1PreparedStatement =>
      new Proxy(statement, {
        get: (target, name) => {
          if (name === "bind") return (...values: unknown[]) => wrap(target.bind(...values));
          if (name === "all") return () => ask(() => target.all());
          return name === "original" ? target : Reflect.get(target, name);
        },
      });
    const batch = (statements: D1PreparedStatement[]) =>
      ask(() => db.batch(statements.map((it) => (it as unknown as { original: D1PreparedStatement }).original)));
    this.db = { prepare: (sql: string) => wrap(db.prepare(sql)), batch } as unknown as D1Database;
  }
}

export let databases: Map<string, Breakable>;
export let brands: Map<string, Brand>;

async function beginBrands(): Promise<void> {
  posts = [];
  await bindDatabases(world, 3);
  databases = new Map(otherNames(world).map((name) => [name, new Breakable(strictDatabase(boundDatabase(name)))]));
  databases.set("DB", new Breakable(world.deps.db));
  useDatabases(world, (name) => databases.get(name)?.db as D1Database);
  world.deps = { ...world.deps, db: databases.get("DB")?.db as D1Database };
  brands = new Map();
  for (let index = 0; index < 3; index++) {
    const brand = await makeBrand(world, index);
    brands.set(brand.database, brand);
  }
  expect([...brands.keys()].sort()).toEqual(["DB", "DB_2", "DB_3"]);
  await world.runQueues();
  await world.sweep();
  posts = [];
}

export const setAway = (database: string, isAway: boolean) => {
  (databases.get(database) as Breakable).isAway = isAway;
};
