/** How submissions ended is stored once, however late: while the store is away, a job keeps it. */
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Submission } from "../../../src/carriers/carrier.ts";
import { failingDatabase } from "../../failing-database.ts";
import { ACCEPTED, ToldCarrier } from "../../told-carrier.ts";
import { type TestClient, World } from "../../world.ts";

const PEOPLE = Array.from({ length: 30 }, (_, index) => `+1212555${1000 + index}`);
const [ADA = "", BOB = ""] = PEOPLE;
const QUEUE = "textgate-messages";
const BUSY: Submission = { kind: "later", reason: "busy", retryAfterSeconds: 120 };

let world: World;
let client: TestClient;
let carrier: ToldCarrier;

beforeEach(async () => {
  world = await World.create();
  client = await world.brand(PEOPLE);
  carrier = new ToldCarrier(world);
  vi.spyOn(globalThis, "fetch").mockImplementation(async () => new Response("thanks"));
});

afterEach(() => {
  vi.restoreAllMocks();
});

const sendTo = async (people: string[]) => {
  const messageIds: string[] = [];
  for (const phone of people) messageIds.push(await world.send(client, { phone }));
  world.jobs.length = 0;
  return messageIds;
};
const deliver = (messageIds: string[], isolate = world) => isolate.deliver(QUEUE, [{ kind: "deliver", messageIds }]);
const take = (kind: string) => world.jobs.splice(0).flatMap(({ body }) => (body.kind === kind ? [body] : []));

/** The carrier answers, and from its first answer to the end of the run the store is away. @returns what the run came to */
async function deliverWhileStoreGoesAway(messageIds: string[], answer: ToldCarrier["answer"]) {
  // The run holds these very deps.
  const { deps } = world;
  const { db } = deps;
  carrier.answer = (message) => {
    deps.db = failingDatabase(db, Number.POSITIVE_INFINITY);
    return answer(message);
  };
  const result = await deliver(messageIds);
  deps.db = db;
  carrier.answer = () => ACCEPTED;
  return result;
}

describe("a run of several claims whose store goes away after the first", () => {
  it("keeps what became of the first in a job: each text goes out once, with the carrier's id", async () => {
    const messageIds = await sendTo(PEOPLE);
    const accept: ToldCarrier["answer"] = ({ messageId }) => ({ ...ACCEPTED, carrierMessageId: `c-${messageId}` });
    expect(await deliverWhileStoreGoesAway(messageIds, accept)).toEqual({ acknowledged: 0, retried: 1 });
    const first = [...carrier.submitted];
    expect(first.length).toBeLessThan(PEOPLE.length);
    world.advance(60);
    await world.runQueues();
    await deliver(messageIds);
    expect(carrier.submitted.toSorted()).toEqual(messageIds.toSorted());
    for (const messageId of first) {
      const message = await (await world.operator("GET", `/messages/${messageId}`)).json();
      expect(message).toMatchObject({ status: "SENDING", reason: null, carrierMessageId: `c-${messageId}` });
    }
  });
});

describe("a job that keeps how submissions ended", () => {
  it("opts out who has opted out at the carrier, and has the others tried again at their time", async () => {
    const [toAda = "", toBob = ""] = await sendTo([ADA, BOB]);
    const optedOut: Submission = { kind: "refused", reason: "unsubscribed recipient", optedOut: true };
    await deliverWhileStoreGoesAway([toAda, toBob], ({ to }) => (to === ADA ? optedOut : BUSY));
    const answeredAt = world.now;
    world.advance(10);
    await world.deliver(QUEUE, take("record"));
    expect(await world.statusOf(toAda)).toBe("FAILED_TO_SEND");
    const subscriptions = await world.post("/text/subscription/status", client, { phone_numbers: [ADA, BOB] });
    expect(await subscriptions.json()).toMatchObject({
      phoneNumberStatuses: [
        { phoneNumber: ADA, subscriptionStatus: false },
        { phoneNumber: BOB, subscriptionStatus: true },
      ],
    });
    expect(world.jobs).toEqual([{ body: { kind: "deliver", messageIds: [toBob] }, at: answeredAt + 120_000 }]);
    world.advance(110);
    await world.runQueues();
    expect(carrier.submitted.filter((messageId) => messageId === toBob)).toHaveLength(2);
    expect(await world.statusOf(toBob)).toBe("SENDING");
  });

  it("leaves a message alone that another run has claimed since", async () => {
    const [messageId = ""] = await sendTo([ADA]);
    await deliverWhileStoreGoesAway([messageId], () => BUSY);
    const jobs = take("record");
    await world.deliver(QUEUE, jobs);
    world.advance(121);
    const { end } = carrier.hangOnce();
    const running = deliver([messageId]);
    await carrier.untilSubmitted(2);
    // Queues deliver at least once.
    await world.deliver(QUEUE, jobs);
    world.advance(1);
    const isolate = await World.another(world);
    isolate.deps = { ...isolate.deps, carriers: world.deps.carriers };
    await deliver([messageId], isolate);
    expect(carrier.submitted).toEqual([messageId, messageId]);
    end({ kind: "refused", reason: "no such number" });
    await running;
    const message = await (await world.operator("GET", `/messages/${messageId}`)).json();
    expect(message).toMatchObject({
      status: "FAILED_TO_SEND",
      reasonDetail: "no such number",
      attempts: 2,
      submissions: [{ outcome: "later" }, { outcome: "refused" }],
    });
  });
});
