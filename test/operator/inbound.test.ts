import { beforeEach, expect, it } from "vitest";
import { receiveInbound } from "../../src/flows/people/receive-inbound.ts";
import type { InboundAnswers } from "../../src/operator/answers/inbound.ts";
import { seed } from "../seed.ts";
import { World } from "../world.ts";

const ADA = "+12125550100";
const OURS = "+12125550000";
const NOBODY = "+12125550077";

let world: World;
let texts: number;

beforeEach(async () => {
  world = await World.create();
  texts = 0;
  await world.website("brand", { sender: OURS });
});

/** A text from Ada, a second after the one before. */
async function text(words: string, to = OURS): Promise<void> {
  const about = { from: ADA, to: [to], keyword: null, answeredByCarrier: false };
  const inbound = { ...about, text: words, carrierMessageId: `in-${++texts}` };
  await world.invoke("fetch", () => receiveInbound(world.deps, "sandbox", inbound));
  world.advance(1);
}

type Page = InboundAnswers["InboundTextList"] | InboundAnswers["TextsWithoutEffect"];

const list = async (path: string) => ((await (await world.operator("GET", path)).json()) as Page).texts;

it("lists the texts to a website page by page, the latest first", async () => {
  for (let index = 0; index <= 101; index++) await text(`text ${index}`);
  await text("to nobody", NOBODY);
  const first = await list("/websites/brand/inbound");
  expect(first.map((it) => it.text)).toEqual(Array.from({ length: 100 }, (_, index) => `text ${101 - index}`));
  expect(first[0]).toEqual({
    ...{
      from: ADA,
      to: OURS,
      text: "text 101",
      keyword: null,
      maybeOptOut: false,
      withoutEffect: null,
      carrier: "sandbox",
      carrierMessageId: "in-102",
    },
    receivedAt: new Date(world.now - 2000).toISOString(),
    decided: null,
  });
  const second = await list(`/websites/brand/inbound?before=${first.at(-1)?.receivedAt}`);
  expect(second.map((it) => it.text)).toEqual(["text 1", "text 0"]);
});

it("lists texts without effect with the website that they reached, if any", async () => {
  await text("what is this?");
  await text("to nobody", NOBODY);
  const answer = await list("/inbound/without-effect");
  expect(answer).toMatchObject([{ websiteId: null, to: NOBODY, text: "to nobody" }]);
});

it("refuses a wrong time, an unknown website, and anybody but the operator", async () => {
  for (const path of ["/websites/brand/inbound", "/inbound/without-effect"]) {
    expect([path, (await world.operator("GET", `${path}?before=soon`)).status]).toEqual([path, 400]);
    expect([path, (await world.fetch(`/operator${path}`)).status]).toEqual([path, 401]);
  }
  expect((await world.operator("GET", "/websites/none/inbound")).status).toBe(404);
});

it("loses none of one millisecond where a page ends", async () => {
  const sender = {
    carrier: "'sandbox'",
    sender: `'${ADA}'`,
    recipient: "''",
    text: "'hm'",
    received_at: "1000 - i / 70",
  };
  await seed(world, "inbound_texts", 250, { ...sender, website_id: "'brand'", carrier_message_id: "'a' || i" });
  await seed(world, "inbound_texts", 250, { ...sender, website_id: "''", carrier_message_id: "'b' || i" });
  for (const path of ["/websites/brand/inbound", "/inbound/without-effect"]) {
    const found: string[] = [];
    let before = "";
    for (let pages = 0; pages < 5; pages++) {
      const { texts } = (await (await world.operator("GET", `${path}?before=${before}`)).json()) as {
        texts: { carrierMessageId: string; receivedAt: string }[];
      };
      found.push(...texts.map(({ carrierMessageId }) => carrierMessageId));
      before = texts.at(-1)?.receivedAt ?? before;
    }
    expect([path, found.length, new Set(found).size]).toEqual([path, 250, 250]);
  }
});
