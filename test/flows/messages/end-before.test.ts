/** A claimed message that may not be submitted: what is stored of it, and when it is not claimed at all. */
import { beforeEach, describe, expect, it } from "vitest";
import { ToldCarrier } from "../../told-carrier.ts";
import { type TestClient, World } from "../../world.ts";
import { claimAs } from "./cap-stage.ts";

const ADA = "+12125550100";
const NEVER_SUBMITTED = { attempts: 0, carrier: null, claim: null, claimed_at: null, submissions: null };

let world: World;
let client: TestClient;
let carrier: ToldCarrier;

beforeEach(async () => {
  world = await World.create();
  client = await world.brand([ADA]);
  carrier = new ToldCarrier(world);
});

async function accept(): Promise<string> {
  const messageId = await world.send(client, { phone: ADA });
  world.jobs.length = 0;
  world.advance(1);
  return messageId;
}

const deliver = (messageIds: string[]) => world.deliver("textgate-messages", [{ kind: "deliver", messageIds }]);
const optOut = () => world.subscribers("brand", [`${ADA},,false`]);

async function stored(messageId: string) {
  const [row] = await world.rows("SELECT * FROM messages WHERE message_id = ?1", messageId);
  return row;
}

/** What an operator sees of its submissions and carrier is that it had none. */
describe("nothing of a submission is stored of a message", () => {
  it("whose person has opted out, and its event has the reason", async () => {
    const messageId = await accept();
    await optOut();
    await deliver([messageId]);
    const ended = { status: "NOT_SUBSCRIBED", reason_code: "OPTED_OUT", due_at: null };
    expect(await stored(messageId)).toMatchObject({ ...NEVER_SUBMITTED, ...ended });
    expect(await world.events(client)).toMatchObject([{ messageId, status: "NOT_SUBSCRIBED", reason: "OPTED_OUT" }]);
    expect(carrier.submitted).toEqual([]);
  });

  it("for which the cap has no place, beside one that is submitted", async () => {
    await world.website("brand", { frequencyCap: { count: 1, hours: 24 } });
    const [first, second] = [await accept(), await accept()];
    await deliver([second, first]);
    expect(await stored(second)).toMatchObject({ ...NEVER_SUBMITTED, status: "PENDING_TO_SEND", reason_code: null });
    expect(await stored(first)).toMatchObject({ attempts: 1, carrier: "sandbox", status: "SENDING" });
    expect(carrier.submitted).toEqual([first]);
  });
});

it("a message that was tried before keeps its carrier and its attempts", async () => {
  carrier.answer = () => ({ kind: "later", reason: "busy", retryAfterSeconds: 60 });
  const messageId = await accept();
  await deliver([messageId]);
  await optOut();
  world.advance(61);
  await deliver([messageId]);
  const { submissions, ...row } = { ...(await stored(messageId)) };
  expect(row).toMatchObject({ attempts: 1, carrier: "sandbox", status: "NOT_SUBSCRIBED", reason_code: "OPTED_OUT" });
  expect(JSON.parse(String(submissions))).toMatchObject([{ attempt: 1, outcome: "later" }]);
});

it("a message that an operator holds is not claimed: it ends once it is released", async () => {
  const messageId = await accept();
  await world.operator("POST", "/websites/brand/hold", {});
  await optOut();
  await deliver([messageId]);
  expect(await world.statusOf(messageId)).toBe("PENDING_TO_SEND");
  await world.operator("POST", "/websites/brand/release", {});
  await world.runQueues();
  expect([await world.statusOf(messageId), carrier.submitted]).toEqual(["NOT_SUBSCRIBED", []]);
});

it("a message whose run is cut off after its claim has an unknown outcome, although it would not have been submitted", async () => {
  const messageId = await accept();
  await optOut();
  expect(await claimAs(world, "cut off", [messageId])).toMatchObject([{ messageId, before: { code: "OPTED_OUT" } }]);
  await world.pass(40);
  expect(await stored(messageId)).toMatchObject({ status: "SENDING", reason_code: "OUTCOME_UNKNOWN" });
  expect(carrier.submitted).toEqual([]);
});
