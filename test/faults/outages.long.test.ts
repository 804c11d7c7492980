import { afterEach, beforeEach, describe, expect, inject, it, vi } from "vitest";
import { findings, outage } from "./outages.ts";
import { type Scene, Stage } from "./stage.ts";

/** Shorter than a run may last; longer than one; longer than a job of the queue is repeated. */
const OUTAGES_MINUTES = inject("faultSeeds") > 1 ? [1, 2, 5, 12, 40, 150] : [12];

let stage: Stage;
let scene: Scene;

beforeEach(async () => {
  stage = await Stage.create(10);
  scene = stage.scene("a long outage");
});

afterEach(() => {
  vi.restoreAllMocks();
});

/** A push takes the harder half: what fails has taken effect all the same. */
const WHENS = inject("faultSeeds") > 1 ? (["before", "after"] as const) : (["after"] as const);

describe.each(OUTAGES_MINUTES)("a store that is away for %d minutes", (minutes) => {
  it.each(WHENS)(
    "as a text comes without an Idempotency-Key, from %s it is stored: repeated, it goes out once",
    async (when) => {
      await outage(stage, { minutes, nth: 3, when }, () => scene.send());
      expect(await findings(stage, scene)).toEqual([]);
    },
  );

  it.each(WHENS)(
    "as a text comes with an Idempotency-Key, from %s it is stored: repeated, it goes out once",
    async (when) => {
      const headers = { "idempotency-key": "k" };
      await outage(stage, { minutes, nth: 3, when }, () => scene.send({ headers }));
      expect(await findings(stage, scene)).toEqual([]);
    },
  );

  it.each(WHENS)("as a message is claimed, from %s the claim: it goes out afterwards, once", async (when) => {
    await scene.send();
    await outage(stage, { minutes, nth: 2, when }, () => stage.runQueues("messages"));
    expect(await findings(stage, scene)).toEqual([]);
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
      await outage(stage, { minutes, nth: 3, when }, () => stage.runQueues("messages"));
      expect(await findings(stage, scene)).toEqual([]);
    },
  );

  it.each(WHENS)("as callbacks are claimed, from %s the claim: each is posted afterwards, once", async (when) => {
    await scene.sendAll([1, 2, 3].map(() => scene.wish(stage.stranger(), "NOT_FOUND")));
    await outage(stage, { minutes, nth: 1, when }, () => stage.runQueues("callbacks"));
    expect(await findings(stage, scene)).toEqual([]);
  });
});
