import { beforeEach, expect, it } from "vitest";
import { World } from "../world.ts";

const SENDER = "+12125550199";
const NOBODYS = {
  websites: [],
  messagesPerMinute: null,
  messagesPerDay: null,
  waiting: 0,
  pausedUntil: null,
  why: null,
};

let world: World;

beforeEach(async () => {
  world = await World.create();
});

const put = (body: object, sender = SENDER, carrier = "sandbox") =>
  world.operator("PUT", `/senders/${carrier}/${encodeURIComponent(sender)}`, body);
const list = async () => (await (await world.operator("GET", "/senders")).json<{ senders: object[] }>()).senders;

it("sets what is given, keeps what is left out, and removes what is null", async () => {
  const sender = { ...NOBODYS, carrier: "sandbox", sender: SENDER };
  expect(await list()).toEqual([]);
  const answers = [
    { messagesPerMinute: 75, messagesPerDay: 2000 },
    { messagesPerMinute: 60 },
    { messagesPerDay: null },
    {},
  ];
  const set = [];
  for (const body of answers) set.push(await (await put(body)).json());
  expect(set).toEqual([
    { ...sender, messagesPerMinute: 75, messagesPerDay: 2000 },
    { ...sender, messagesPerMinute: 60, messagesPerDay: 2000 },
    { ...sender, messagesPerMinute: 60 },
    { ...sender, messagesPerMinute: 60 },
  ]);
  expect(await list()).toEqual([{ ...sender, messagesPerMinute: 60 }]);
  expect(await (await put({ messagesPerMinute: null })).json()).toEqual(sender);
  expect(await list()).toEqual([]);
});

it("lists each sender of a website, with its waiting texts and why it pauses", async () => {
  const phones = ["+12125550100", "+12125550101"];
  for (const [name, sender] of [
    ["brand", SENDER],
    ["outlet", SENDER],
    ["shop", "My Shop"],
  ] as const)
    await world.website(name, { carrier: "sandbox", sender });
  await world.website("shop", { fallback: { carrier: "sandbox", sender: "+12125550198" } });
  await world.website("shop", { fallback: { carrier: "sandbox", sender: SENDER } });
  await world.subscribers("outlet", phones);
  const client = await world.client("outlet");
  for (const phone of phones) await world.send(client, { phone });
  const until = world.now + 60_000;
  const pause = "INSERT INTO carrier_pauses (carrier, sender, about, failures, failed_at, cause, open_until) VALUES";
  await world.rows(
    `${pause} ('sandbox', ?1, 'sender', 3, 0, '21611', ?2), ('sandbox', '', 'carrier', 3, 0, 'old', 0)`,
    SENDER,
    until,
  );
  expect(await list()).toEqual([
    {
      ...{ ...NOBODYS, carrier: "sandbox", sender: SENDER, websites: ["brand", "outlet", "shop"], waiting: 2 },
      pausedUntil: new Date(until).toISOString(),
      why: `sender ${SENDER} at sandbox keeps failing: its circuit breaker is open (21611)`,
    },
    { ...NOBODYS, carrier: "sandbox", sender: "My Shop", websites: ["shop"] },
  ]);
});

it.each([
  [{ messagesPerMinute: 0 }, "messagesPerMinute"],
  [{ messagesPerMinute: 1.5 }, "messagesPerMinute"],
  [{ messagesPerDay: -1 }, "messagesPerDay"],
  [{ messagesPerDay: "many" }, "messagesPerDay"],
])("refuses %j", async (body, field) => {
  const answer = await put(body);
  expect([answer.status, await answer.json()]).toMatchObject([400, { code: 40001, details: [{ field }] }]);
  expect(await list()).toEqual([]);
});

it("knows no carrier that is not set up", async () => {
  expect((await put({ messagesPerMinute: 1 }, SENDER, "nobody")).status).toBe(404);
  expect((await put({ messagesPerMinute: 1 }, SENDER, "constructor")).status).toBe(404);
});
