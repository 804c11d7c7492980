/** What people wrote to any website, over several databases. */
import fc from "fast-check";
import { beforeEach, describe, expect, it } from "vitest";
import { COUNTED_TEXTS } from "../../src/domain/people/counting-limits.ts";
import { receiveInbound } from "../../src/flows/people/receive-inbound.ts";
import type { InboundListAnswers } from "../../src/operator/answers/inbound.ts";
import { OF_THE_CONSOLE, signIn } from "../console.ts";
import { countingDatabase } from "../counting-database.ts";
import { bindDatabases, boundDatabase, useDatabases } from "../databases.ts";
import { failingDatabase } from "../failing-database.ts";
import { seed } from "../seed.ts";
import { World } from "../world.ts";

const [ADA, BOB] = ["+12125550100", "+12125550101"];
const OURS = "+12125550000";
const DATABASES = ["DB", "DB_2", "DB_3"];
const MAYBE = "would you please stop this";

type Page = InboundListAnswers["InboundPage"];

let world: World;
let texts: number;

beforeEach(async () => {
  world = await World.create();
  texts = 0;
});

async function text(words: string, from = ADA, to = OURS): Promise<void> {
  const about = { from, to: [to], keyword: null, answeredByCarrier: false };
  const inbound = { ...about, text: words, carrierMessageId: `in-${++texts}` };
  await world.invoke("fetch", () => receiveInbound(world.deps, "sandbox", inbound));
  world.advance(1);
}

const list = async (query: Record<string, string> = {}): Promise<Page> => {
  const answer = await world.operator("GET", `/inbound?${new URLSearchParams(query)}`);
  expect(answer.status).toBe(200);
  return answer.json();
};

const wordsOf = ({ texts: found }: Page) => found.map((it) => it.text);

it.each(["nobody", "No one"])("is no list of a website that is unknown: %s", async (website) => {
  const answer = await world.operator("GET", `/inbound?${new URLSearchParams({ website })}`);
  expect([answer.status, await answer.json()]).toMatchObject([404, { message: expect.stringContaining("website") }]);
});

it("shows each text with its website, and the message that it may answer", async () => {
  const client = await world.brand([ADA, BOB]);
  await world.website("brand", { name: "The Brand", sender: OURS });
  const early = await world.send(client, { phone: ADA, sendPurpose: "early" });
  world.advance(60);
  await world.send(client, { phone: BOB });
  await world.runQueues();
  await text("who is this?");
  world.advance(60);
  await world.send(client, { phone: ADA, sendPurpose: "not yet submitted" });
  await text("hello?");
  await text("is anybody there?", ADA, "+12125550077");
  const { texts: found, next, toDecide } = await list();
  expect([next, toDecide]).toEqual([null, 0]);
  const inReplyTo = { messageId: early, sendPurpose: "early" };
  expect(found).toMatchObject([
    { text: "is anybody there?", websiteId: null, websiteName: null, inReplyTo: null },
    { text: "hello?", websiteId: "brand", websiteName: "The Brand", inReplyTo, from: ADA, decided: null },
    { text: "who is this?", websiteId: "brand", inReplyTo },
  ]);
});

it("shows no reply to a keyword as what a text answers, neither its own nor an earlier one", async () => {
  const client = await world.brand([ADA]);
  await world.website("brand", { sender: OURS });
  const campaign = await world.send(client, { phone: ADA, sendPurpose: "campaign" });
  await world.runQueues();
  await text("HELP");
  await world.runQueues();
  world.advance(60);
  await text("thanks");
  const inReplyTo = { messageId: campaign, sendPurpose: "campaign" };
  await text("STOP");
  await world.runQueues();
  expect((await list()).texts.map((it) => [it.text, it.inReplyTo])).toEqual([
    ["STOP", inReplyTo],
    ["thanks", inReplyTo],
    ["HELP", inReplyTo],
  ]);
});

it("shows a message that did not arrive as what a text may answer, as the event of the text does", async () => {
  const client = await world.brand([ADA]);
  await world.website("brand", { sender: OURS });
  const messageId = await world.send(client, { phone: ADA });
  await world.runQueues();
  await world.rows("UPDATE messages SET status = 'FAILED_TO_DELIVERY' WHERE message_id = ?", messageId);
  await text("hello?");
  expect((await list()).texts).toMatchObject([{ inReplyTo: { messageId } }]);
});

it("lists and counts those to decide, until they are decided or the person has opted out", async () => {
  await world.brand([ADA, BOB]);
  await world.website("brand", { sender: OURS });
  await world.brand([ADA], "shop");
  await world.website("shop", { sender: "+12125550001" });
  await text(MAYBE);
  await text(MAYBE, BOB);
  await text("hello");
  await text(MAYBE, ADA, "+12125550001");
  expect(await list({ toDecide: "true" })).toMatchObject({ texts: { length: 3 }, toDecide: 3 });
  expect(await list({ toDecide: "true", website: "shop" })).toMatchObject({
    texts: [{ websiteId: "shop" }],
    toDecide: 1,
  });
  expect((await list({ website: "shop" })).texts).toHaveLength(1);
  await text("STOP", BOB);
  const [first] = (await list({ toDecide: "true", website: "brand" })).texts;
  expect(first).toMatchObject({ from: ADA, maybeOptOut: true });
  const { carrier, carrierMessageId } = first as Page["texts"][number];
  await world.operator("POST", "/inbound/decide", { websiteId: "brand", carrier, carrierMessageId, optOut: false });
  expect(await list({ toDecide: "true" })).toMatchObject({ texts: [{ websiteId: "shop" }], toDecide: 1 });
  expect((await list()).texts.find((it) => it.carrierMessageId === carrierMessageId)).toMatchObject({
    maybeOptOut: false,
    decided: { optOut: false, operator: "OPERATOR_TOKEN" },
  });
});

describe("page by page", () => {
  /** Ids as a carrier may give them: with what a cursor is written with. */
  const idOf = (index: number) => ["SM", "~", ",", ".", "%2C", "é "][index % 6] + String(index).padStart(4, "0");

  it("has each text once, the newest first, over all databases", async () => {
    await bindDatabases(world, DATABASES.length);
    const one = fc.record({
      ...{ place: fc.nat(2), website: fc.nat(3), at: fc.nat(6) },
      ...{ maybe: fc.constantFrom(true, true, false), isOut: fc.constantFrom(false, false, true) },
    });
    const search = fc.record({
      website: fc.option(fc.integer({ min: 1, max: 2 }), { freq: 1 }),
      toDecide: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(fc.array(one), fc.array(one, { minLength: 450, maxLength: 600 })),
        search,
        async (rows, { website, toDecide }) => {
          const made = rows.map((it, index) => ({ ...it, id: idOf(index), sender: `+1212555${1000 + index}` }));
          for (const [place, database] of DATABASES.entries())
            await store(
              database,
              made.filter((it) => it.place === place),
            );
          const waits = (it: (typeof made)[number]) => it.maybe && it.website > 0 && !it.isOut;
          const here = made.filter((it) => website === null || it.website === website);
          const expected = here.filter((it) => !toDecide || waits(it));

          const found: Page["texts"] = [];
          let total: number | null = null;
          for (let before: string | null = "", pages = 0; before !== null; pages++) {
            const page: Page = await list({
              ...(website !== null && { website: `w${website}` }),
              ...{ toDecide: String(toDecide), before },
            });
            found.push(...page.texts);
            if (pages === 0) total = page.toDecide;
            else expect(page.toDecide).toBeNull();
            expect(pages).toBeLessThan(10);
            before = page.next;
          }
          expect(found.map((it) => it.carrierMessageId).toSorted()).toEqual(expected.map(({ id }) => id).toSorted());
          const times = found.map(({ receivedAt }) => receivedAt);
          expect(times).toEqual(times.toSorted().toReversed());
          expect(total).toBe(here.filter(waits).length);
        },
      ),
      { numRuns: 20, endOnFailure: true },
    );
  });

  type Row = { id: string; website: number; at: number; maybe: boolean; isOut: boolean; sender: string };

  async function store(database: string, rows: Row[]): Promise<void> {
    const db = boundDatabase(database);
    const given = JSON.stringify(
      rows.map(({ id, website, at, maybe, isOut, sender }) => {
        return [id, website === 0 ? "" : `w${website}`, world.now + at, maybe ? 1 : 0, isOut ? 1 : 0, sender];
      }),
    );
    await db.batch([
      ...["inbound_texts", "subscriptions"].map((table) => db.prepare(`DELETE FROM ${table}`)),
      db
        .prepare(
          `INSERT INTO inbound_texts (website_id, carrier, carrier_message_id, sender, recipient, text, received_at, maybe_opt_out)
           SELECT value ->> 1, 'sandbox', value ->> 0, value ->> 5, '${OURS}', 'hi', value ->> 2, value ->> 3 FROM json_each(?1)`,
        )
        .bind(given),
      db
        .prepare(
          `INSERT INTO subscriptions (website_id, phone, subscribed, change_id)
           SELECT value ->> 1, CAST(substr(value ->> 5, 2) AS INTEGER), 1 - (value ->> 4), 0 FROM json_each(?1)
           WHERE value ->> 1 <> ''`,
        )
        .bind(given),
    ]);
  }

  it("reads some hundred rows, however many texts there are", async () => {
    const now = String(world.now);
    const text = { carrier: "'sandbox'", sender: `'${ADA}'`, recipient: `'${OURS}'`, text: "'hi'" };
    const ids = { website_id: "'w' || (i % 3)", carrier_message_id: "'in-' || i" };
    await seed(world, "inbound_texts", 5000, {
      ...text,
      ...ids,
      received_at: `${now} - i / 500`,
      maybe_opt_out: "i % 2",
    });
    await world.website("w1");
    const { db, take } = countingDatabase(world.deps.db);
    world.deps = { ...world.deps, db };
    const { next, toDecide } = await list();
    expect(toDecide).toBe(COUNTED_TEXTS);
    expect(take().rowsRead).toBeLessThan(COUNTED_TEXTS * 4 + 1000);
    for (const query of [{}, { website: "w1" }, { toDecide: "true" }] as Record<string, string>[]) {
      await list({ ...query, before: next ?? "" });
      expect(take().rowsRead, JSON.stringify(query)).toBeLessThan(1500);
    }
  });

  it("has the texts of the other databases where one is away", async () => {
    await bindDatabases(world, 2);
    await store("DB", [{ id: "1", website: 1, at: 0, maybe: true, isOut: false, sender: ADA }]);
    useDatabases(world, (name) => failingDatabase(boundDatabase(name), 1000));
    expect(await list()).toMatchObject({ texts: { length: 1 }, toDecide: 1, unavailableDatabases: ["DB_2"] });
  });
});

it("masks the numbers for whoever is signed in, and the texts for a viewer", async () => {
  await world.brand([ADA]);
  await world.website("brand", { sender: OURS });
  await text("who is this?");
  for (const [role, words] of [
    ["operator", "who is this?"],
    ["viewer", "•••••"],
  ] as const) {
    const headers = { ...OF_THE_CONSOLE, ...(await signIn(world, role, role)) };
    const page = (await (await world.fetch("/operator/inbound", { headers })).json()) as Page;
    expect([role, page.texts[0]?.from, page.texts[0]?.text]).toEqual([role, "+1212•••••00", words]);
    expect(page.texts[0]?.personId).toMatch(/./);
  }
});

it("refuses a wrong place, and anybody but the operator", async () => {
  for (const query of ["before=soon", "before=1,w,%25zz,x", "before=1,w,sandbox", "toDecide=maybe"])
    expect([query, (await world.operator("GET", `/inbound?${query}`)).status]).toEqual([query, 400]);
  expect((await world.fetch("/operator/inbound")).status).toBe(401);
});

it("goes on after the last text of a page", async () => {
  await world.website("brand", { sender: OURS });
  for (let index = 0; index <= 101; index++) await text(`text ${index}`);
  const first = await list();
  expect(wordsOf(first)).toEqual(Array.from({ length: 100 }, (_, index) => `text ${101 - index}`));
  expect(wordsOf(await list({ before: first.next ?? "" }))).toEqual(["text 1", "text 0"]);
});
