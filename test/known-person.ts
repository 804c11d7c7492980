// A person of whom the stores have all that they can have.
import { receiveInbound } from "../src/flows/people/receive-inbound.ts";
import type { TestClient, World } from "./world.ts";

export const ADA = "+12125550100";
export const OURS = "+12125550000";

let texts = 0;

/** A text from Ada; to a number that no website has, unless it is ours. */
export async function text(world: World, words: string, to = OURS): Promise<void> {
  const about = { from: ADA, to: [to], keyword: null, answeredByCarrier: false };
  const inbound = { ...about, text: words, carrierMessageId: `in-${++texts}` };
  await world.invoke("fetch", () => receiveInbound(world.deps, "sandbox", inbound));
}

/** Ada is known to brand by all that a website can know of somebody, to shop by a message, to other not at all. */
export async function makeKnown(world: World): Promise<TestClient> {
  await text(world, "STOP", "+12125550177");
  await world.website("brand", { carrier: "sandbox", sender: OURS, duplicateWindowHours: 24 });
  await world.subscribers("brand", [`${ADA},ada@example.com`]);
  const client = await world.client("brand", {
    callbackUrl: "https://brand.example.com/callbacks",
    events: ["message.status", "message.clicked", "message.received"],
  });
  await world.send(client, { phone: ADA, text: "For Ada", clickUrl: "https://example.com/" });
  await world.runQueues();
  const [link] = await world.rows("SELECT code FROM links");
  await world.fetch(`/l/${link?.code}`, { headers: { "user-agent": "Mozilla/5.0 (iPhone) Safari/604.1" } });
  await text(world, "Is this you?");
  await world.send(await world.brand([], "shop"), { phone: ADA });
  await world.brand(["+12125550199"], "other");
  return client;
}

/** Every row of every table that has the number or the address. */
export async function rowsAbout(world: World, tables: string[]): Promise<Record<string, Record<string, unknown>[]>> {
  const found = tables.map(async (table) => {
    const rows = await world.rows(`SELECT * FROM "${table}"`);
    return [table, rows.filter((row) => /12125550100|ada@example/.test(JSON.stringify(row)))] as const;
  });
  return Object.fromEntries((await Promise.all(found)).filter(([, rows]) => rows.length > 0));
}

export const listTables = async (world: World) =>
  (await world.rows("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE '\\_cf%' ESCAPE '\\'")).map(
    ({ name }) => String(name),
  );
