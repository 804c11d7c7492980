import { expect } from "vitest";
import type { Carrier, Submission } from "../../../src/carriers/carrier.ts";
import { sandbox } from "../../../src/carriers/sandbox.ts";
import { Random } from "../../random.ts";
import { strictCarrier } from "../../strict/bindings.ts";
import { type TestClient, World } from "../../world.ts";

export const OWN = { carrier: "north", sender: "+12065550100" };
export const FALLBACK = { carrier: "south", sender: "+12065550199" };
export const PHONES = Array.from({ length: 12 }, (_, index) => `+121255501${String(index).padStart(2, "0")}`);

export type Side = "north" | "south";

export const ACCEPTED: Submission = { kind: "accepted", carrierMessageId: null };
export const FULL: Submission = { kind: "later", reason: "its queue is full", failing: "sender" };
export const DOWN: Submission = { kind: "later", reason: "connection refused", failing: "carrier" };
export const UNKNOWN: Submission = { kind: "unknown", reason: "timeout", failing: "carrier" };

export const refusedBy = (about: "sender" | "account" | "carrier"): Submission => ({
  kind: "refused",
  reason: "not allowed",
  about,
});

const ANSWERS: Submission[] = [
  ...[ACCEPTED, FULL, DOWN, UNKNOWN, refusedBy("sender"), refusedBy("carrier")],
  { kind: "refused", reason: "no such number" },
  { kind: "later", reason: "no more requests", exhausted: true },
];

/** A website with a fallback at another carrier. */
export class FallbackStage {
  readonly world: World;
  client: TestClient = { clientId: "", clientSecret: "", callbackSecret: "" };
  /** What each carrier answers. */
  answer: Record<Side, (messageId: string) => Submission> = { north: () => ACCEPTED, south: () => ACCEPTED };
  readonly submitted: { side: Side; messageId: string; from: string | null; kind: Submission["kind"] }[] = [];

  private constructor(world: World) {
    this.world = world;
    const make = (side: Side): Carrier => ({
      ...sandbox,
      submit: async ({ messageId, from }) => {
        const answer = this.answer[side](messageId);
        this.submitted.push({ side, messageId, from, kind: answer.kind });
        return answer;
      },
    });
    const ready = { north: strictCarrier(make("north")), south: strictCarrier(make("south")) };
    world.deps = { ...world.deps, carriers: { ready, missing: {} } };
  }

  static async create(fallback: object | null = FALLBACK): Promise<FallbackStage> {
    const it = new FallbackStage(await World.create());
    await it.world.website("brand", { ...OWN, fallback });
    await it.world.subscribers("brand", PHONES);
    it.client = await it.world.client("brand");
    return it;
  }

  async send(phones = PHONES.slice(0, 1)): Promise<string[]> {
    const ids: string[] = [];
    for (const phone of phones) ids.push(await this.world.send(this.client, { phone }));
    await this.world.runQueues();
    return ids;
  }

  /** From now on, without a failure. */
  async pause(carrier: string, sender: string, seconds = 600): Promise<void> {
    await this.world.rows(
      "INSERT INTO carrier_pauses (carrier, sender, about, failures, failed_at, cause, openings, since, open_until) VALUES (?1, ?2, 'sender', 3, ?3, 'full', 1, ?3, ?4)",
      ...[carrier, sender, this.world.now, this.world.now + seconds * 1000],
    );
  }

  async pass(minutes: number): Promise<void> {
    for (let minute = 0; minute < minutes; minute++) {
      this.world.advance(60);
      await this.world.sweep();
      await this.world.runQueues();
    }
  }

  by(side: Side): string[] {
    return this.submitted.filter((it) => it.side === side).map(({ messageId }) => messageId);
  }

  async stateOf(messageId: string): Promise<unknown[]> {
    const rows = "SELECT status, reason_code, carrier, sender FROM messages WHERE message_id = ?1";
    const [row] = await this.world.rows(rows, messageId);
    return [row?.status, row?.reason_code, row?.carrier, row?.sender];
  }

  async story(messageId: string): Promise<{ outcome: string; reason: string | null }[]> {
    const answer = await this.world.operator("GET", `/messages/${messageId}`);
    const { submissions } = await answer.json<{ submissions: { outcome: string; reason: string | null }[] }>();
    return submissions.map(({ outcome, reason }) => ({ outcome, reason }));
  }

  /** Each text goes once at most over both carriers, whatever they answer. */
  async expectOnce(seed: number): Promise<void> {
    const random = new Random(seed);
    this.answer = { north: () => random.pick(ANSWERS), south: () => random.pick(ANSWERS) };
    const ids = await this.send(PHONES);
    await this.pass(4);
    for (const id of ids) {
      const kinds = this.submitted.filter(({ messageId }) => messageId === id).map(({ kind }) => kind);
      const end = kinds.findIndex((kind) => kind === "accepted" || kind === "unknown");
      // Nobody is asked again once a carrier has the text, or may have it.
      expect(end === -1 || end === kinds.length - 1).toBe(true);
      const [status] = await this.stateOf(id);
      if (end >= 0) expect(status).toBe("SENDING");
      else expect(["PENDING_TO_SEND", "FAILED_TO_SEND"]).toContain(status);
    }
    expect(new Set(this.submitted.map(({ side }) => side)).size).toBe(2);
  }
}
