/** The list of what is scheduled: each message once, the soonest first, over pages and databases. */
import fc from "fast-check";
import { beforeEach, expect, it } from "vitest";
import { bindDatabases, makeBrand } from "../databases.ts";
import { World } from "../world.ts";

const [ADA, BOB] = ["+12125550100", "+12125550101"];

interface Scheduled {
  messages: { messageId: string; scheduledFor: string; phone: string; websiteId: string; waits: { because: string } }[];
  next: string | null;
}

let world: World;

beforeEach(async () => {
  world = await World.create();
});

const list = async (query = ""): Promise<Scheduled> => (await world.operator("GET", `/scheduled${query}`)).json();
const idsOf = ({ messages }: Scheduled) => messages.map(({ messageId }) => messageId);
const inSeconds = (seconds: number) => new Date(world.now + seconds * 1000).toISOString();

it("has the soonest first, of all websites, of one, or of one number, and why each waits", async () => {
  const [client, other] = [await world.brand([ADA, BOB]), await world.brand([ADA], "other")];
  const late = await world.send(client, { phone: ADA, sendAt: inSeconds(9000) });
  const soon = await world.send(client, { phone: BOB, sendAt: inSeconds(600) });
  const theirs = await world.send(other, { phone: ADA, sendAt: inSeconds(1200) });
  await world.send(client, { phone: ADA });
  expect(idsOf(await list())).toEqual([soon, theirs, late]);
  expect(idsOf(await list("?website=brand"))).toEqual([soon, late]);
  expect(idsOf(await list(`?phone=${encodeURIComponent(ADA)}`))).toEqual([theirs, late]);
  expect(idsOf(await list(`?website=brand&phone=${encodeURIComponent(ADA)}`))).toEqual([late]);
  expect((await list()).messages[0]).toMatchObject({
    ...{
      websiteId: "brand",
      websiteName: "brand",
      phone: BOB,
      status: "PENDING_TO_SEND",
      scheduledFor: inSeconds(600),
    },
    waits: { until: inSeconds(600), because: "its sendAt" },
  });
  await world.operator("POST", `/messages/${soon}/cancel`);
  expect(idsOf(await list())).toEqual([theirs, late]);
});

it("refuses a website, a number and a cursor that are none", async () => {
  const statusOf = async (query: string) => (await world.operator("GET", `/scheduled${query}`)).status;
  expect([await statusOf("?website=nobody"), await statusOf("?phone=1"), await statusOf("?cursor=x")]).toEqual([
    404, 400, 400,
  ]);
});

it("has each message once over all pages, whatever their times", async () => {
  const client = await world.brand([ADA]);
  await fc.assert(
    fc.asyncProperty(fc.array(fc.integer({ min: 10, max: 60 }), { minLength: 1, maxLength: 250 }), async (minutes) => {
      await world.rows("DELETE FROM scheduled_messages");
      const messages = minutes.map((minute) => ({
        ...{ phone: ADA, text: "Hello", callbackData: "", sendPurpose: "sale" },
        sendAt: inSeconds(minute * 60),
      }));
      const answer = await world.post("/text/bulk/message/send", client, { messages });
      const { successSent } = await answer.json<{ successSent: { index: number; messageId: string }[] }>();
      const expected = successSent
        .toSorted(
          (a, b) => (minutes[a.index] as number) - (minutes[b.index] as number) || (a.messageId < b.messageId ? -1 : 1),
        )
        .map(({ messageId }) => messageId);
      const seen: string[] = [];
      for (let cursor: string | null = ""; cursor !== null; ) {
        const page = await list(`?cursor=${cursor}`);
        seen.push(...idsOf(page));
        cursor = page.next;
      }
      expect(seen).toEqual(expected);
    }),
    { numRuns: 8 },
  );
});

it("merges several databases", async () => {
  await bindDatabases(world, 2);
  const brands = [await makeBrand(world, 1), await makeBrand(world, 2)];
  expect(new Set(brands.map(({ database }) => database)).size).toBe(2);
  const times = [900, 600, 700, 800];
  const ids: string[] = [];
  for (const [index, seconds] of times.entries()) {
    const { client } = brands[index % 2] as (typeof brands)[number];
    ids.push(await world.send(client, { phone: ADA, sendAt: inSeconds(seconds) }));
  }
  expect(idsOf(await list())).toEqual([ids[1], ids[2], ids[3], ids[0]]);
});
