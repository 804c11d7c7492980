// A website whose carrier and whose endpoint answer as the test says.
import { expect, vi } from "vitest";
import type { Submission } from "../../../src/carriers/carrier.ts";
import { sandbox } from "../../../src/carriers/sandbox.ts";
import type { ServiceState } from "../../../src/domain/operations/problems.ts";
import { strictCarrier } from "../../strict/bindings.ts";
import { SEND, type TestClient, World } from "../../world.ts";

export const ADA = "+12125550100";
/** With its receipt: a carrier that gives none is a problem of its own. */
export const ACCEPTED: Submission = {
  ...{ kind: "accepted", carrierMessageId: "c" },
  receipt: { status: "DELIVERED", reason: null, carrierMessageId: "c", optedOut: false },
};
export const AWAY: Submission = { kind: "later", reason: "connection refused", failing: "carrier" };
export const REFUSED: Submission = { kind: "refused", reason: "sender not allowed" };

export class ProblemsStage {
  submit: () => Submission = () => ACCEPTED;
  endpoint: () => Response | Promise<Response> = () => new Response("thanks");
  readonly world: World;
  readonly client: TestClient;

  private constructor(world: World, client: TestClient) {
    this.world = world;
    this.client = client;
    const carrier = strictCarrier({ ...sandbox, submit: async () => this.submit() });
    world.deps = { ...world.deps, carriers: { ready: { gateway: carrier }, missing: {} } };
    vi.spyOn(globalThis, "fetch").mockImplementation(async () => this.endpoint());
  }

  static async begin(): Promise<ProblemsStage> {
    const world = await World.create();
    const at = new ProblemsStage(world, await world.brand([ADA]));
    await world.rows("UPDATE websites SET carrier = 'gateway'");
    await world.sweep();
    return at;
  }

  async look(): Promise<ServiceState> {
    return (await this.world.operator("GET", "/health")).json();
  }

  /** In one request: each is a message of its own all the same. */
  async sendTexts(count: number): Promise<void> {
    const messages = Array.from({ length: count }, () => ({ ...SEND, phone: ADA }));
    const { status } = await this.world.post("/text/bulk/message/send", this.client, { messages });
    expect(status).toBe(200);
    await this.world.runQueues();
  }

  /** A minute of a busy service: texts in each of its halves, and a sweep. */
  async minute(): Promise<void> {
    for (let half = 0; half < 2; half++) {
      await this.sendTexts(2);
      this.world.advance(30);
    }
    await this.world.sweep();
    await this.world.runQueues();
  }

  async minutes(count: number): Promise<void> {
    for (let passed = 0; passed < count; passed++) await this.minute();
  }

  /** Ordinary traffic has no problem in any minute, although some texts and some callbacks fail. */
  async expectOrdinary(minutes: number): Promise<void> {
    let texts = 0;
    let posts = 0;
    this.submit = () => (++texts % 9 === 0 ? REFUSED : texts % 7 === 0 ? { kind: "later", reason: "busy" } : ACCEPTED);
    this.endpoint = () => new Response("", { status: ++posts % 5 === 0 ? 500 : 200 });
    for (let passed = 0; passed < minutes; passed++) {
      await this.sendTexts(passed % 3 === 0 ? 8 : 4);
      this.world.advance(60);
      if (passed % 3 === 0) await this.world.sweep();
      expect([passed, (await this.look()).problems]).toEqual([passed, []]);
    }
  }

  /** A carrier that is down says so in each minute, with cause, beginning and next try. */
  async expectPaused(minutes: number): Promise<void> {
    this.submit = () => AWAY;
    const began = this.world.now;
    await this.minute();
    for (let passed = 0; passed < minutes; passed++) {
      await this.minute();
      const { details, retriedSeconds } = await this.look();
      const [paused] = details.filter(({ problem }) => problem === "carrier-paused");
      expect(paused).toMatchObject({ carrier: "gateway", cause: "connection refused", websiteId: null });
      expect(Date.parse(paused?.since ?? "")).toBeLessThan(began + 60_000);
      if (paused?.nextTryAt) expect(Date.parse(paused.nextTryAt)).toBeGreaterThan(this.world.now);
      expect(retriedSeconds).toBeGreaterThanOrEqual(passed * 60);
    }
  }
}
