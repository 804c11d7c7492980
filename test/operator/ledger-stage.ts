// Entries of a ledger, page by page.
import { expect } from "vitest";
import { seed } from "../seed.ts";
import { type TestClient, World } from "../world.ts";

export let world: World;
export let client: TestClient;

export async function begin(): Promise<void> {
  world = await World.create();
  client = await world.brand();
}

export const call = (query = "", websiteId = "brand") => world.operator("GET", `/websites/${websiteId}/ledger${query}`);

/** Rows of one website, each with the time that the expression says. */
export const add = (count: number, changedAt: string, websiteId = "brand", fields: Record<string, string> = {}) =>
  seed(world, "subscription_changes", count, {
    ...{ website_id: `'${websiteId}'`, phone: "16465550000 + i", subscribed: "i % 2", changed_at: changedAt },
    ...{ source: "'import'", proof: "'an import'", ...fields },
  });

export const file = async (query = "") => {
  const answer = await call(`?format=csv${query}`);
  expect(answer.headers.get("content-type")).toBe("text/csv; charset=utf-8");
  expect(answer.headers.get("content-disposition")).toBe('attachment; filename="brand-ledger.csv"');
  const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(await answer.arrayBuffer());
  expect(text).toMatch(/^\ufeff/);
  return text.slice(1).split("\r\n");
};
