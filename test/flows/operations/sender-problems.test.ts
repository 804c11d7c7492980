/** What an operator sees while a sender, or the account, is beyond its limit at the carrier. */
import { afterEach, beforeEach, expect, it } from "vitest";
import { mockSockets } from "../../carriers/carrier-world.ts";
import { twilio } from "../../carriers/twilio.ts";
import { FULL, refuse, SenderStage } from "../messages/sender-stage.ts";

mockSockets();

let at: SenderStage;

beforeEach(async () => {
  at = await SenderStage.create();
});

afterEach(() => at.end());

interface Health {
  problems: string[];
  details: Record<string, unknown>[];
  carriers: { carrier: string }[];
}

async function look(): Promise<Health> {
  const health = await (await at.at.world.operator("GET", "/health")).json<Health>();
  const isOurs = (problem: unknown) => problem !== "sweep-late";
  const details = health.details.filter(({ problem }) => isOurs(problem));
  return { ...health, details, problems: health.problems.filter(isOurs) };
}

const twilioIn = ({ carriers }: Health) => carriers.find(({ carrier }) => carrier === "twilio");
const CAUSE = "twilio: HTTP 429, 21611: Why";

it("the sender is named with its website and the carrier's words, and the carrier has no problem", async () => {
  await at.send(at.shop);
  const health = await look();
  const paused = { carrier: "twilio", sender: FULL, websiteId: "shop", cause: CAUSE, nextTryAt: expect.any(String) };
  expect(health.details).toMatchObject([{ problem: "sender-paused", ...paused }]);
  expect(twilioIn(health)).toMatchObject({
    ...{ pause: null, isUnauthorized: false, lastHour: { later: 0, limited: at.from(FULL).length } },
    senderPauses: [{ sender: FULL, websiteIds: ["shop"], cause: CAUSE }],
  });
  const metrics = await (await at.at.world.operator("GET", "/metrics")).text();
  expect(metrics).toContain('textgate_senders_paused{carrier="twilio"} 1');
  expect(metrics).toContain('textgate_carrier_paused{carrier="twilio"} 0');
  at.at.answer = twilio.accepts;
  await at.pass(2);
  expect((await look()).problems).toEqual([]);
});

it("the overview names the website, and counts its texts that wait", async () => {
  await at.send(at.shop);
  await at.pass(2);
  const overview = await (await at.at.world.operator("GET", "/overview")).json<{ problems: Health["details"] }>();
  const found = overview.problems.filter(({ problem }) => problem === "sender-paused");
  expect(found).toMatchObject([{ sender: FULL, websiteNames: ["shop"], affected: 20 }]);
});

it("a sender of several websites is one problem, which names them", async () => {
  await at.makeWebsite("outlet", FULL);
  await at.send(at.shop);
  const cause = expect.stringMatching(/^websites (shop, outlet|outlet, shop): twilio: HTTP 429, 21611/);
  expect((await look()).details).toMatchObject([{ problem: "sender-paused", sender: FULL, websiteId: null, cause }]);
});

it("the account is named as such, and no sender", async () => {
  at.at.answer = () => refuse(20429);
  await at.send(at.shop);
  const health = await look();
  expect(health.problems).not.toContain("sender-paused");
  const [paused] = health.details.filter(({ problem }) => problem === "carrier-paused");
  expect(paused).toMatchObject({ carrier: "twilio", sender: null, cause: "our account: twilio: HTTP 429, 20429: Why" });
  expect(twilioIn(health)).toMatchObject({ pause: { about: "account" }, senderPauses: [] });
});

it.each([
  ["no funds", 90010, 400],
  ["no permission", 70051, 403],
])("an account with %s is told at once, as rejected", async (_, code, status) => {
  at.at.answer = () => refuse(code, status);
  await at.at.world.send(at.shop, { phone: "+12125550100" });
  await at.at.world.runQueues();
  expect((await look()).problems).toEqual(["carrier-credentials"]);
});
