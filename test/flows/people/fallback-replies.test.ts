/** People answer the sender that has texted them: what comes to the fallback of a website is for the website. */
import { afterEach, beforeEach, expect, it } from "vitest";
import { mockSockets } from "../../carriers/carrier-world.ts";
import { twilio } from "../../carriers/twilio.ts";
import { refuse, SenderStage } from "../messages/sender-stage.ts";

mockSockets();

const PERSON = "+12125550100";
const SPARE = "+12125550077";

let at: SenderStage;

beforeEach(async () => {
  at = await SenderStage.create();
  await at.at.world.website("shop", { fallback: { carrier: "twilio", sender: SPARE } });
});

afterEach(() => at.end());

const isSubscribed = async (...websites: string[]) => {
  const rows = await at.at.world.rows("SELECT website_id, subscribed FROM subscriptions WHERE phone = 12125550100");
  return websites.map((id) => rows.find((row) => row.website_id === id)?.subscribed === 1);
};

const stop = () => at.at.inbound("STOP", { from: PERSON, to: SPARE });

it("a STOP opts out of the website that has it as its fallback, and of no other", async () => {
  await at.send(at.shop, [PERSON]);
  expect(at.from(SPARE)).toHaveLength(1);
  expect((await stop()).status).toBe(200);
  expect(await isSubscribed("shop", "brand")).toEqual([false, true]);
});

it("a STOP opts out of the website after it has another fallback, too", async () => {
  await at.send(at.shop, [PERSON]);
  await at.at.world.website("shop", { fallback: null });
  await stop();
  expect(await isSubscribed("shop", "brand")).toEqual([false, true]);
});

it("a STOP opts out of the website beside the one whose own sender that is, which has texted the person, too", async () => {
  const outlet = await at.makeWebsite("outlet", SPARE);
  await at.send(outlet, [PERSON]);
  await at.send(at.shop, [PERSON]);
  await stop();
  expect(await isSubscribed("shop", "outlet", "brand")).toEqual([false, false, true]);
});

it("the answer to the STOP goes by the fallback, while the sender of the website pauses", async () => {
  at.at.answer = ({ from }) => (from === SPARE ? twilio.accepts() : refuse(21611));
  await at.send(at.shop, [PERSON]);
  const sent = at.from(SPARE).length;
  await stop();
  await at.at.world.runQueues();
  expect(at.from(SPARE)).toHaveLength(sent + 1);
});
