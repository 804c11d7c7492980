// Worlds with several databases.
import { env } from "cloudflare:workers";
import { makeDatabase } from "../src/deps.ts";
import { remakeSchema } from "./stores.ts";
import { strictDatabase } from "./strict/database.ts";
import type { TestClient, World } from "./world.ts";

/** What is bound for a database in the tests. */
export function boundDatabase(database: string): D1Database {
  if (database === "DB") return env.DB;
  return (env as unknown as Record<string, D1Database>)[database.replace("DB", "OTHER")] as D1Database;
}

/** Binds DB_2 and so on, empty and with the schema. @param count with the first, at most 8 */
export async function bindDatabases(world: World, count: number): Promise<void> {
  const names = Array.from({ length: count - 1 }, (_, index) => `DB_${index + 2}`);
  for (const name of names) await remakeSchema(boundDatabase(name));
  useDatabases(world, (name) => strictDatabase(boundDatabase(name)), names);
}

/** Replaces what is bound. */
export function useDatabases(world: World, bind: (database: string) => D1Database, names = otherNames(world)): void {
  world.deps = { ...world.deps, others: new Map(names.map((name) => [name, makeDatabase(name, bind(name))])) };
}

export const otherNames = (world: World): string[] => [...world.deps.others.keys()];

export async function rowsOf(database: string, sql: string): Promise<Record<string, unknown>[]> {
  return (await boundDatabase(database).prepare(sql).all()).results;
}

/** A subscriber of every website. */
export const ADA = "+12125550100";

/** A website with one client, a message and its link, in the database that it was given. */
export interface Brand {
  websiteId: string;
  database: string;
  client: TestClient;
  sender: string;
  phone: string;
  messageId: string;
  link: string;
}

/** With two subscribers: its own, and ADA. */
export async function makeBrand(world: World, index: number): Promise<Brand> {
  const websiteId = `w${index}`;
  const sender = `+1646555${String(index).padStart(4, "0")}`;
  const put = await world.operator("PUT", `/websites/${websiteId}`, { name: websiteId, carrier: "sandbox", sender });
  const { database } = (await put.json()) as { database: string };
  const phone = `+171855${52_000 + index}`;
  await world.subscribers(websiteId, [`${phone},p${index}@example.com`, `${ADA},ada@example.com`]);
  const client = await world.client(websiteId, { callbackUrl: `https://${websiteId}.example.com/` });
  const messageId = await world.send(client, { phone, clickUrl: `https://shop.example.com/${websiteId}` });
  const [row] = await rowsOf(database, `SELECT code FROM links WHERE message_id = '${messageId}'`);
  return { websiteId, database, client, sender, phone, messageId, link: `/l/${row?.code}` };
}
