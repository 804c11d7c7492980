import { afterEach, beforeEach, describe, expect, inject, it, vi } from "vitest";
import { Comparer } from "./compare.ts";
import { type Fault, Injector } from "./injector.ts";
import { type Scene, Stage } from "./stage.ts";
import { printSummary } from "./summary.ts";

/** Shorter than a run may last; longer than one; longer than a job of the queue is repeated. */
const OUTAGES_MINUTES = inject("faultSeeds") > 1 ? [1, 2, 5, 12, 40, 150] : [12];

/** A job of the queue is tried again after 5 seconds to 5 minutes. */
const STEP_SECONDS = inject("faultSeeds") > 1 ? 10 : 20;

let stage: Stage;
let scene: Scene;

beforeEach(async () => {
  stage = await Stage.create(10);
  scene = stage.scene("a long outage");
});

afterEach(() => {
  vi.restoreAllMocks();
});

/**
 * The store is away from a call of the flow on, which may take effect all the same, and for minutes after: queues and
 * sweeps meet it too.
 */
async function outage(
  { minutes, nth, when }: { minutes: number; nth: number; when: Fault["when"] },
  work: () => Promise<unknown>,
): Promise<void> {
  const injector = new Injector({ nth, when, lasts: "on its binding", afterwards: "before" });
  stage.world.deps = injector.wrap(stage.deps);
  await work();
  for (let second = 0; second < minutes * 60; second += STEP_SECONDS) {
    stage.world.advance(STEP_SECONDS);
    await stage.runQueues();
    if (second % 60 === 0) await stage.world.sweep();
  }
  injector.mend();
  stage.world.deps = stage.deps;
}

/** What is wrong, when all has come to rest. */
async function findings(): Promise<string[]> {
  await stage.recover();
  await stage.end();
  const comparer = await Comparer.read(stage);
  const { violations, counts } = comparer.compare([scene]);
  const { messages, callbacks } = Object.groupBy(stage.queues.dead, ({ queue }) => queue);
  printSummary(
    `${expect.getState().currentTestName}: ${JSON.stringify(counts)}, dead: ${messages?.length ?? 0} jobs, ${callbacks?.length ?? 0} callbacks`,
  );
  return [...violations, ...(await comparer.strays())];
}

/** The short form takes the harder half: what fails has taken effect all the same. */
const WHENS = inject("faultSeeds") > 1 ? (["before", "after"] as const) : (["after"] as const);

describe.each(OUTAGES_MINUTES)("a store that is away for %d minutes", (minutes) => {
  it.each(WHENS)(
    "as a text comes without an Idempotency-Key, from %s it is stored: repeated, it goes out once",
    async (when) => {
      await outage({ minutes, nth: 3, when }, () => scene.send());
      expect(await findings()).toEqual([]);
    },
  );

  it.each(WHENS)(
    "as a text comes with an Idempotency-Key, from %s it is stored: repeated, it goes out once",
    async (when) => {
      const headers = { "idempotency-key": "k" };
      await outage({ minutes, nth: 3, when }, () => scene.send({ headers }));
      expect(await findings()).toEqual([]);
    },
  );

  it.each(WHENS)("as a message is claimed, from %s the claim: it goes out afterwards, once", async (when) => {
    await scene.send();
    await outage({ minutes, nth: 2, when }, () => stage.runQueues("messages"));
    expect(await findings()).toEqual([]);
  });

  it.each(WHENS)(
    "as the outcomes are stored, from %s they are: the queue holds them until they can be",
    async (when) => {
      const refused = scene.wish(stage.person().phone);
      stage.outside.behaviours.set(String(refused.to), () => ({ kind: "refused", reason: "no such number" }));
      const later = scene.wish(stage.person().phone);
      stage.outside.behaviours.set(String(later.to), ({ attempt, messageId }) =>
        attempt === 1 ? { kind: "later", reason: "busy" } : { kind: "accepted", carrierMessageId: messageId },
      );
      await scene.sendAll([refused, later, scene.wish(stage.person().phone)]);
      await outage({ minutes, nth: 3, when }, () => stage.runQueues("messages"));
      expect(await findings()).toEqual([]);
    },
  );

  it.each(WHENS)("as callbacks are claimed, from %s the claim: each is posted afterwards, once", async (when) => {
    await scene.sendAll([1, 2, 3].map(() => scene.wish(stage.stranger(), "NOT_FOUND")));
    await outage({ minutes, nth: 1, when }, () => stage.runQueues("callbacks"));
    expect(await findings()).toEqual([]);
  });
});
