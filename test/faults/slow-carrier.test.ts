import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { OutboundMessage, Submission } from "../../src/carriers/carrier.ts";
import { type Scene, Stage } from "./stage.ts";

let stage: Stage;
let scene: Scene;

beforeEach(async () => {
  stage = await Stage.create(100);
  scene = stage.scene("a slow carrier");
});

afterEach(() => {
  vi.restoreAllMocks();
});

describe("a job of 100 messages at a carrier that takes 20 seconds for each", () => {
  it("texts nobody who has said STOP meanwhile, be their message claimed with the others", async () => {
    const people = Array.from({ length: 100 }, () => stage.person().phone);
    const last = String(people.at(-1));
    let stopped: Promise<void> | undefined;
    const answerSlowly = async ({ messageId }: OutboundMessage): Promise<Submission> => {
      stopped ??= scene.text(last, "STOP").then(() => stage.world.advance(20));
      await stopped;
      return { kind: "accepted", carrierMessageId: messageId };
    };
    for (const phone of people) stage.outside.behaviours.set(phone, answerSlowly);
    await scene.sendAll(people.map((phone) => scene.wish(phone)));
    await stage.runQueues("messages");
    expect(stage.outside.afterStop.map(({ to }) => to)).toEqual([]);
    const [message] = await stage.world.rows(
      "SELECT status FROM messages WHERE phone = ?1 AND is_reply = 0",
      Number(last.slice(1)),
    );
    expect(message).toEqual({ status: "NOT_SUBSCRIBED" });
    expect(stage.outside.submitted.filter(({ text }) => text.startsWith("m"))).toHaveLength(99);
  });
});
