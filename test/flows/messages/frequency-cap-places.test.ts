/** A message ends over the frequency cap only for texts that went: one that had the place, and came to nothing, has ended no other. */
import { beforeEach, describe, expect, it } from "vitest";
import { CAP_PAUSE_SECONDS } from "../../../src/domain/messages/retry-policy.ts";
import { ACCEPTED, ToldCarrier } from "../../told-carrier.ts";
import { type TestClient, World } from "../../world.ts";

const [SHORT, LONG] = ["+541155550100", "+5491155550100"];
const ADA = "+12125550100";
const LATER = { kind: "later", reason: "busy", retryAfterSeconds: 300 } as const;

let world: World;
let client: TestClient;
let carrier: ToldCarrier;

beforeEach(async () => {
  world = await World.create();
  client = await world.brand([ADA, SHORT, LONG]);
  await world.website("brand", { frequencyCap: { count: 1, hours: 24 } });
  carrier = new ToldCarrier(world);
});

async function accept(phone: string): Promise<string> {
  const messageId = await world.send(client, { phone });
  world.jobs.length = 0;
  world.advance(1);
  return messageId;
}

async function stateOf(messageId: string): Promise<string> {
  const [row] = await world.rows("SELECT status, reason_code FROM messages WHERE message_id = ?1", messageId);
  return String(row?.reason_code ?? row?.status);
}

const deliver = (messageIds: string[]) => world.deliver("textgate-messages", [{ kind: "deliver", messageIds }]);

async function pass(seconds: number): Promise<void> {
  world.advance(seconds);
  await world.runQueues();
}

describe.each([
  ["one number", ADA, ADA],
  ["two forms of a number", SHORT, LONG],
  ["two forms of a number, the longer one first", LONG, SHORT],
])("two messages of one claim to %s", (_, one, other) => {
  it("go and end by the cap once the first is accepted", async () => {
    const [first, second] = [await accept(one), await accept(other)];
    await deliver([first, second]);
    expect([await stateOf(first), await stateOf(second)]).toEqual(["SENDING", "PENDING_TO_SEND"]);
    await pass(CAP_PAUSE_SECONDS);
    expect([await stateOf(second), carrier.submitted]).toEqual(["FREQUENCY_CAP", [first]]);
  });

  it("change places where the carrier takes the first later", async () => {
    const [first, second] = [await accept(one), await accept(other)];
    carrier.answer = ({ messageId }) => (messageId === first ? LATER : ACCEPTED);
    await deliver([first, second]);
    await pass(CAP_PAUSE_SECONDS);
    expect([await stateOf(first), await stateOf(second)]).toEqual(["PENDING_TO_SEND", "SENDING"]);
    await pass(300);
    expect([await stateOf(first), carrier.submitted]).toEqual(["FREQUENCY_CAP", [first, second]]);
  });

  it("leave the place to the second where the carrier refuses nothing, and the first is cancelled", async () => {
    const [first, second] = [await accept(one), await accept(other)];
    carrier.answer = ({ messageId }) => (messageId === first ? LATER : ACCEPTED);
    await deliver([first, second]);
    await world.post("/text/message/cancel", client, { messageId: first });
    await pass(CAP_PAUSE_SECONDS);
    expect([await stateOf(first), await stateOf(second)]).toEqual(["CANCELLED", "SENDING"]);
  });

  it("are tried again by the sweep where the job of the second is lost", async () => {
    const [first, second] = [await accept(one), await accept(other)];
    await deliver([first, second]);
    world.jobs.length = 0;
    for (let minute = 0; minute < 8; minute++) {
      await pass(60);
      await world.sweep();
    }
    expect([await stateOf(first), await stateOf(second)]).toEqual(["SENDING", "FREQUENCY_CAP"]);
  });
});

it("a message waits while another run submits one, and ends once that is accepted", async () => {
  const [first, second] = [await accept(LONG), await accept(SHORT)];
  const hanging = carrier.hangOnce();
  const running = deliver([first]);
  await carrier.untilSubmitted(1);
  await deliver([second]);
  expect(await stateOf(second)).toBe("PENDING_TO_SEND");
  hanging.end(ACCEPTED);
  await running;
  await pass(CAP_PAUSE_SECONDS);
  expect([await stateOf(second), carrier.submitted]).toEqual(["FREQUENCY_CAP", [first]]);
});

it("the operator sees why it waits", async () => {
  const [first, second] = [await accept(ADA), await accept(ADA)];
  await deliver([first, second]);
  const waiting = await (await world.operator("GET", "/waiting?website=brand")).json();
  expect(JSON.stringify(waiting)).toContain("the frequency cap has no place for it");
});
