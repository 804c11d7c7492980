/**
 * The sweep and an operator end messages that they have found. A run may claim one of these between the find and the end: then
 * its text goes out, and its status must say so.
 */
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { failingDatabase, racingDatabase } from "../../failing-database.ts";
import { ACCEPTED, ToldCarrier } from "../../told-carrier.ts";
import { type TestClient, World } from "../../world.ts";

const ADA = "+12125550100";
const QUEUE = "textgate-messages";

let world: World;
let client: TestClient;
let carrier: ToldCarrier;
/** Where the other run is. */
let isolate: World;
let running: Promise<unknown> | undefined;
let end: ReturnType<ToldCarrier["hangOnce"]>["end"];

beforeEach(async () => {
  world = await World.create();
  client = await world.brand([ADA]);
  isolate = await World.another(world);
  carrier = new ToldCarrier(world, isolate);
  running = undefined;
  vi.spyOn(globalThis, "fetch").mockImplementation(async () => new Response("thanks"));
});

afterEach(() => {
  vi.restoreAllMocks();
});

const send = async () => {
  const messageId = await world.send(client, { phone: ADA });
  world.jobs.length = 0;
  return messageId;
};

/** Another run claims the message and submits it; its carrier takes its time. */
async function submitElsewhere(messageId: string): Promise<void> {
  ({ end } = carrier.hangOnce());
  running = isolate.deliver(QUEUE, [{ kind: "deliver", messageIds: [messageId] }]);
  await Promise.race([carrier.untilSubmitted(1), running]);
}

/** Something ends messages, and as soon as it has found this one, another run acts. */
async function race(messageId: string, ends: () => Promise<unknown>, act: () => Promise<unknown>): Promise<void> {
  const { deps } = world;
  const racing = racingDatabase(deps.db, messageId, act);
  world.deps = { ...deps, db: racing.db };
  await ends();
  world.deps = deps;
  expect(racing.hasActed()).toBe(true);
}

/** The carrier refuses what it was given: nothing but its refusal may be told then. */
async function expectWhatTheCarrierSays(messageId: string, otherwise: object): Promise<void> {
  end({ kind: "refused", reason: "no such number" });
  await running;
  const isSubmitted = carrier.submitted.length > 0;
  const message = await (await world.operator("GET", `/messages/${messageId}`)).json();
  expect(message).toMatchObject(
    isSubmitted ? { status: "FAILED_TO_SEND", reason: "CARRIER_REFUSED", reasonDetail: "no such number" } : otherwise,
  );
  expect((await world.events(client)).map(({ status }) => status)).toEqual([(message as { status: string }).status]);
}

describe("a message that a run claims while it is about to be ended is told as the run ends it", () => {
  it("by the sweep, at its deadline", async () => {
    const messageId = await send();
    world.advance(world.deps.config.submitWithinMilliseconds / 1000);
    // The run has asked in time, and its claim comes late.
    isolate.now = world.now - 1000;
    await race(
      messageId,
      () => world.sweep(),
      () => submitElsewhere(messageId),
    );
    await expectWhatTheCarrierSays(messageId, { status: "FAILED_TO_SEND", reason: "CARRIER_UNAVAILABLE" });
  });

  it("by an operator, who cancels waiting messages", async () => {
    const messageId = await send();
    let cancelled: unknown;
    const cancel = async () => {
      ({ cancelled } = await (await world.operator("POST", "/websites/brand/cancel", {})).json<{
        cancelled: number;
      }>());
    };
    await race(messageId, cancel, () => submitElsewhere(messageId));
    expect(cancelled).toBe(carrier.submitted.length > 0 ? 0 : 1);
    await expectWhatTheCarrierSays(messageId, { status: "FAILED_TO_SEND", reason: "CANCELLED" });
  });

  it("by the sweep, after a run that was cut off: its claim is released, and another run takes it", async () => {
    const messageId = await send();
    const { deps } = world;
    world.deps = { ...deps, db: failingDatabase(deps.db, Number.POSITIVE_INFINITY, "after", undefined, "batches") };
    await world.deliver(QUEUE, [{ kind: "deliver", messageIds: [messageId] }]);
    world.deps = deps;
    const releases = world.jobs.splice(0).map(({ body }) => body);
    expect(releases).toMatchObject([{ kind: "release" }]);
    const submitAfterRelease = async () => {
      isolate.now = world.now;
      await isolate.deliver(QUEUE, releases);
      await submitElsewhere(messageId);
    };
    world.advance(17 * 60);
    await world.sweep();
    world.advance(91);
    await race(messageId, () => world.sweep(), submitAfterRelease);
    await expectWhatTheCarrierSays(messageId, { status: "SENDING", reason: "OUTCOME_UNKNOWN" });
  });
});

describe("a message whose run could not store its outcome", () => {
  /** Its job is late: the sweep counts another one as due soon. The first one comes before that. */
  async function late(): Promise<void> {
    world.advance(61);
    await world.sweep();
    world.jobs.length = 0;
  }

  /** A sweep has found that another run was cut off, and then a job has released its claim. */
  async function releasedLate(messageId: string): Promise<void> {
    const { deps } = world;
    world.deps = { ...deps, db: failingDatabase(deps.db, Number.POSITIVE_INFINITY, "after", undefined, "batches") };
    await world.deliver(QUEUE, [{ kind: "deliver", messageIds: [messageId] }]);
    world.deps = deps;
    world.advance(17 * 60);
    await world.sweep();
    const releases = world.jobs.splice(0).map(({ body }) => body);
    await world.deliver(QUEUE, releases);
  }

  it.each([
    ["its job was late", late],
    ["its claim was released late", releasedLate],
  ])("is ended by no sweep before the job that has the outcome has run: %s", async (_, before) => {
    const messageId = await send();
    await before(messageId);
    carrier.answer = () => ({ kind: "later", reason: "busy" });
    const { deps } = world;
    let batches = 0;
    const batch = async (statements: D1PreparedStatement[]) => {
      if (++batches > 1) throw new Error("D1_ERROR: Network connection lost.");
      return deps.db.batch(statements);
    };
    world.deps = { ...deps, db: { prepare: (sql: string) => deps.db.prepare(sql), batch } as unknown as D1Database };
    await world.deliver(QUEUE, [{ kind: "deliver", messageIds: [messageId] }]);
    world.deps = deps;
    const records = world.jobs.splice(0).map(({ body }) => body);
    expect(records).toMatchObject([{ kind: "record" }]);
    // The store is away for twenty minutes. The sweep is first, and the job comes within a minute and a half.
    world.advance(20 * 60);
    await world.sweep();
    await world.deliver(QUEUE, records);
    carrier.answer = () => ACCEPTED;
    world.advance(60);
    await world.runQueues();
    expect(carrier.submitted).toEqual([messageId, messageId]);
    expect(await world.statusOf(messageId)).toBe("SENDING");
    expect(await world.rows("SELECT reason_code FROM messages")).toEqual([{ reason_code: null }]);
  });
});
