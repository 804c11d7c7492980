import { expect } from "vitest";
import type { Carrier, OutboundMessage, Submission } from "../src/carriers/carrier.ts";
import { sandbox } from "../src/carriers/sandbox.ts";
import { strictCarrier } from "./strict/bindings.ts";
import type { World } from "./world.ts";

/** Other programs may have the machine. */
export const PATIENCE_MILLISECONDS = 10_000;

export const ACCEPTED: Submission = { kind: "accepted", carrierMessageId: "c-1" };

/** A carrier that answers as the test says. */
export class ToldCarrier implements Carrier {
  readonly validateSender = sandbox.validateSender;
  readonly readReceipts = sandbox.readReceipts;
  readonly readInbound = sandbox.readInbound;
  /** The ids of what was submitted, in that order. */
  readonly submitted: string[] = [];
  answer: (message: OutboundMessage) => Submission | Promise<Submission> = () => ACCEPTED;

  /** In place of the sandbox, in each of these isolates. */
  constructor(...worlds: World[]) {
    const carriers = { ready: { sandbox: strictCarrier(this) }, missing: {} };
    for (const world of worlds) world.deps = { ...world.deps, carriers };
  }

  async submit(message: OutboundMessage): Promise<Submission> {
    this.submitted.push(message.messageId);
    return this.answer(message);
  }

  /** The next submission has no answer until the test gives it. The later ones are answered as before. */
  hangOnce(): { end(answer: Submission): void } {
    const { answer } = this;
    const late = Promise.withResolvers<Submission>();
    this.answer = () => {
      this.answer = answer;
      return late.promise;
    };
    return { end: late.resolve };
  }

  async untilSubmitted(count: number): Promise<void> {
    await expect.poll(() => this.submitted.length, { interval: 5, timeout: PATIENCE_MILLISECONDS }).toBe(count);
  }
}
