import { beforeEach, describe, expect, it } from "vitest";
import { sha256Hex } from "../../src/platform/secrets.ts";
import { SEND, type TestClient, World } from "../world.ts";

// What the version before keeps in send_keys is known after an upgrade, and what this version keeps after a rollback.

const ADA = "+12125550100";
const HEADERS = { "idempotency-key": "k:1_%" };

let world: World;
let client: TestClient;

beforeEach(async () => {
  world = await World.create();
  client = await world.brand([`${ADA},ada@example.com`]);
});

const items = (count: number) =>
  Array.from({ length: count }, (_, index) => ({ ...SEND, phone: ADA, text: `no ${index}` }));
const bulk = (messages: unknown[], as = client) => world.post("/text/bulk/message/send", as, { messages }, HEADERS);
const idsOf = async (answer: Response) =>
  ((await answer.json()) as { successSent: { messageId: string }[] }).successSent.map(({ messageId }) => messageId);
const sendKeys = () =>
  world.rows("SELECT send_key, body_hash, message_id, expires_at FROM send_keys ORDER BY send_key");
const count = async () => (await world.rows("SELECT count(*) AS n FROM messages"))[0]?.n;

/** As the version before stores it: ids that follow from website and key, and no row of a newer table. */
async function makeOld(): Promise<string[]> {
  const hex = await sha256Hex(`bulk brand ${HEADERS["idempotency-key"]}`);
  const first = `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
  const nth = (index: number) =>
    first.slice(0, -8) + ((Number.parseInt(first.slice(-8), 16) + index) % 2 ** 32).toString(16).padStart(8, "0");
  const ids = await idsOf(await bulk(items(600)));
  const renamed = ids.map((id, index) => ({ id, old: nth(index) }));
  await world.rows(
    `UPDATE messages SET message_id = (SELECT value ->> 'old' FROM json_each(?1) WHERE value ->> 'id' = message_id)`,
    JSON.stringify(renamed),
  );
  for (const table of ["idempotency_keys", "bulk_parts"]) await world.rows(`DELETE FROM ${table}`);
  return renamed.map(({ old }) => old);
}

describe("a bulk request of the version before", () => {
  it("is answered with its ids when it is repeated, and stored once", async () => {
    const old = await makeOld();
    expect(await idsOf(await bulk(items(600)))).toEqual(old);
    expect(await count()).toBe(600);
    expect((await bulk(items(601))).status).toBe(409);
    expect((await bulk([...items(599), { ...SEND, phone: ADA, text: "another" }])).status).toBe(409);
  });

  it("is not the request of another client with the same key", async () => {
    await makeOld();
    const other = await world.client("brand");
    expect((await bulk(items(3), other)).status).toBe(200);
    expect(await count()).toBe(603);
  });

  it("is forgotten when its 24 hours are over", async () => {
    const old = await makeOld();
    world.advance(24 * 3600);
    expect(await idsOf(await bulk(items(600)))).not.toEqual(old);
    expect(await count()).toBe(1200);
  });
});

it("is told each key that is claimed, so that it finds them after a rollback", async () => {
  const body = JSON.stringify({ ...SEND, phone: ADA });
  const { messageId } = (await (await world.post("/text/message/send", client, body, HEADERS)).json()) as {
    messageId: string;
  };
  await bulk(items(600));
  const expires_at = world.now + 24 * 3_600_000;
  expect(await sendKeys()).toEqual([
    {
      send_key: "bulk:0:k:1_%",
      body_hash: await sha256Hex(JSON.stringify(items(500))),
      message_id: expect.any(String),
      expires_at,
    },
    { send_key: "bulk:1:k:1_%", body_hash: expect.any(String), message_id: expect.any(String), expires_at },
    { send_key: "bulk:end:k:1_%", body_hash: await sha256Hex("600"), message_id: expect.any(String), expires_at },
    { send_key: "key:k:1_%", body_hash: await sha256Hex(body), message_id: messageId, expires_at },
  ]);
});

it("shares what suppresses duplicates, in both directions", async () => {
  await world.website("brand", { duplicateWindowHours: 2 });
  const first = await world.send(client, { phone: ADA });
  const content = await sha256Hex(JSON.stringify([SEND.text, SEND.sendPurpose]));
  const row = { send_key: `same:${content}:12125550100`, message_id: first, expires_at: world.now + 2 * 3_600_000 };
  expect(await sendKeys()).toEqual([{ ...row, body_hash: "" }]);
  await world.rows("DELETE FROM duplicate_keys");
  expect(await world.send(client, { phone: ADA })).toBe(first);
  expect(await sendKeys()).toEqual([{ ...row, body_hash: "repeated" }]);
});
