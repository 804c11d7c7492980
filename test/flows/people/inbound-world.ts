/** A website that people text, in a world of its own for each test, with one database or several. */
import { receiveInbound } from "../../../src/flows/people/receive-inbound.ts";
import { bindDatabases, boundDatabase, otherNames } from "../../databases.ts";
import { World } from "../../world.ts";

export const ADA = "+12125550100";
export const BOB = "+12125550101";
export const STRANGER = "+12125550199";
export const OURS = "+12125550000";
export const HOUR = 3600;

export let world: World;
/** Where each website is, where there are several databases. */
let places: Map<string, string>;

export async function begin(databases: number): Promise<void> {
  world = await World.create();
  places = new Map();
  if (databases > 1) await bindDatabases(world, databases);
  await website("brand", { sender: OURS, helpText: "Write to us" });
}

/** Where there are several databases, the next of them has it. */
export async function website(websiteId: string, settings: Record<string, unknown> = {}): Promise<void> {
  const databases = ["DB", ...otherNames(world)];
  const database = places.get(websiteId) ?? databases[places.size % databases.length] ?? "DB";
  places.set(websiteId, database);
  await world.website(websiteId, { ...settings, ...(databases.length > 1 ? { database } : {}) });
}

/** The rows of all databases. */
export async function rows(sql: string, ...parameters: unknown[]): Promise<Record<string, unknown>[]> {
  const own = await world.rows(sql, ...parameters);
  const others = otherNames(world).map((name) =>
    boundDatabase(name)
      .prepare(sql)
      .bind(...parameters)
      .all<Record<string, unknown>>(),
  );
  return [...own, ...(await Promise.all(others)).flatMap(({ results }) => results)];
}

let texts = 0;
export const text = (words: string, { from = ADA, to = OURS, id = `in-${++texts}`, carrier = "sandbox" } = {}) =>
  world.invoke("fetch", () =>
    receiveInbound(world.deps, carrier, {
      carrierMessageId: id,
      from,
      to: [to],
      text: words,
      keyword: null,
      answeredByCarrier: false,
    }),
  );

const byTime = (a: Record<string, unknown>, b: Record<string, unknown>) => Number(a.at) - Number(b.at);

export const replies = async () =>
  (
    await rows(
      "SELECT text, status, accepted_at AS at FROM messages WHERE send_purpose = 'keyword-reply' ORDER BY rowid",
    )
  )
    .sort(byTime)
    .map(({ text, status }) => ({ text, status }));

/** What was answered, by website, in order. */
export const answers = async () =>
  (
    await rows(
      "SELECT website_id AS id, accepted_at AS at FROM messages WHERE send_purpose = 'keyword-reply' ORDER BY rowid",
    )
  )
    .sort(byTime)
    .map(({ id }) => id);

export const stateOf = async (phone = ADA, websiteId = "brand") =>
  (
    await rows(
      "SELECT subscribed FROM subscriptions WHERE website_id = ?1 AND phone = ?2",
      websiteId,
      Number(phone.slice(1)),
    )
  )[0]?.subscribed;

/** The websites that have the texts, in order; `""` for a text that is for nobody. */
export const readers = async () =>
  (await rows("SELECT website_id AS id, text, received_at AS at FROM inbound_texts"))
    .sort(byTime)
    .map(({ id, text }) => [id, text]);

export const withoutEffect = () =>
  world.logs.map((line) => JSON.parse(line)).filter(({ event }) => event === "inbound.keyword-without-effect");

/** The website has texted these numbers. */
export async function texted(websiteId: string, ...phones: string[]): Promise<void> {
  const client = await world.client(websiteId);
  for (const phone of phones) await world.send(client, { phone });
  await world.runQueues();
  world.advance(60);
}
