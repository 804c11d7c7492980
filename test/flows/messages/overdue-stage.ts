// A website whose texts are submitted, and some of whose jobs and receipts are lost.
import { expect } from "vitest";
import type { Submission } from "../../../src/carriers/carrier.ts";
import { ACCEPTED, ToldCarrier } from "../../told-carrier.ts";
import { type TestClient, World } from "../../world.ts";

export const PEOPLE = Array.from({ length: 8 }, (_, index) => `+1212555010${index}`);
export const MINUTE = 60;
export const HOUR = 3600;
export const DAY = 24 * HOUR;
export const LATER: Submission = { kind: "later", reason: "busy", retryAfterSeconds: 10 * MINUTE };

export const ACTIONS = ["send", "lost", "later", "receipt", "sweep", "cancel"] as const;

export interface Step {
  action: (typeof ACTIONS)[number];
  /** Before it. */
  seconds: number;
  pick: number;
}

export class OverdueStage {
  submission: Submission = ACCEPTED;
  readonly world: World;
  readonly client: TestClient;

  private constructor(world: World, client: TestClient) {
    this.world = world;
    this.client = client;
    new ToldCarrier(world).answer = () => this.submission;
  }

  static async begin(): Promise<OverdueStage> {
    const world = await World.create();
    return new OverdueStage(world, await world.brand(PEOPLE));
  }

  async submitted(phone = PEOPLE[0]): Promise<string> {
    const messageId = await this.world.send(this.client, { phone });
    await this.world.runQueues();
    return messageId;
  }

  /** @returns a message whose job is lost */
  async lost(phone = PEOPLE[0]): Promise<string> {
    const messageId = await this.world.send(this.client, { phone });
    this.world.jobs.length = 0;
    return messageId;
  }

  /** Claims all that wait, as a run that is cut off. */
  async cutOff(): Promise<void> {
    const claim = "UPDATE messages SET claimed_at = ?1, claim = 'a run', carrier = 'sandbox', attempts = 1";
    await this.world.rows(claim, this.world.now);
  }

  async receive(messageId: string, status: string): Promise<void> {
    const receipt = { messageId, status, reason: null, carrierMessageId: null, optedOut: false };
    await this.world.deliver("textgate-receipts", [{ kind: "receipts", carrier: "sandbox", receipts: [receipt] }]);
  }

  async sweepAfter(seconds: number): Promise<void> {
    this.world.advance(seconds);
    await this.world.runQueues();
    await this.world.sweep();
  }

  /** Takes the steps, and expects that each message without a final receipt is ended within a day of its submission, and an hour. */
  async play(steps: Step[]): Promise<void> {
    await this.#remove("true");
    const ids: string[] = [];
    for (const step of steps) await this.#take(step, ids);
    this.submission = ACCEPTED;
    for (const seconds of [0, 601, HOUR, DAY]) await this.sweepAfter(seconds);
    const open = "SELECT * FROM messages WHERE status IN ('SENDING', 'PENDING_TO_SEND')";
    expect(await this.world.rows(open)).toEqual([]);
  }

  async #take({ action, seconds, pick }: Step, ids: string[]): Promise<void> {
    this.world.advance(seconds);
    this.submission = action === "later" ? LATER : ACCEPTED;
    const id = ids[pick % Math.max(1, ids.length)];
    if (action === "lost") ids.push(await this.lost(PEOPLE[pick]));
    if (action === "send" || action === "later") ids.push(await this.submitted(PEOPLE[pick]));
    if (action === "receipt" && id) await this.receive(id, pick % 2 === 0 ? "DELIVERED" : "SENDING");
    if (action === "sweep") await this.world.sweep();
    if (action === "cancel") await this.#remove("rowid = (SELECT rowid FROM messages ORDER BY rowid DESC LIMIT 1)");
  }

  #remove(which: string) {
    return this.world.rows(`DELETE FROM messages WHERE ${which}`);
  }
}
