// Somebody plays with the numbers of the sandbox, and their endpoint takes no callback.
import { expect, vi } from "vitest";
import type { ServiceState } from "../../../src/domain/operations/problems.ts";
import { OPERATOR_TOKEN, type TestClient, World } from "../../world.ts";

const ENDINGS = ["0001", "0002", "0003", "0004", "0005", "0006", "0007", "0008", "0009", "0010"];
const PHONES = ENDINGS.map((ending) => `+1212555${ending}`);
export const ADA = "+12125550100";

export class SandboxStage {
  readonly world: World;
  readonly client: TestClient;

  private constructor(world: World, client: TestClient) {
    this.world = world;
    this.client = client;
  }

  static async begin(): Promise<SandboxStage> {
    const world = await World.create();
    const at = new SandboxStage(world, await world.brand([...PHONES, ADA]));
    vi.spyOn(globalThis, "fetch").mockImplementation(async () => new Response("no", { status: 500 }));
    await world.sweep();
    return at;
  }

  async look(origin?: string): Promise<ServiceState> {
    const headers = { authorization: `Bearer ${OPERATOR_TOKEN}` };
    return (await this.world.fetch("/operator/health", { headers }, origin)).json();
  }

  async play(rounds: number): Promise<void> {
    for (let round = 0; round < rounds; round++) {
      for (const phone of PHONES) await this.world.send(this.client, { phone });
      // A number that is "later" is tried each second.
      for (let second = 0; second < 60; second++) {
        await this.world.runQueues();
        this.world.advance(1);
      }
      await this.world.sweep();
      await this.world.runQueues();
    }
  }

  /** No failing number and no failing endpoint is a problem, then and in any of so many minutes, and all are counted. */
  async expectNoProblem(rounds: number, minutes: number): Promise<void> {
    await this.play(rounds);
    const { problems, carriers, senders, callbacks } = await this.look();
    expect(problems).toEqual([]);
    const receipts = { lastHour: { delivered: 2 * rounds, undelivered: 2 * rounds, "no-receipt": 2 * rounds } };
    // Who opts out at the carrier is refused once.
    const lastHour = { accepted: 5 * rounds, unknown: rounds, refused: 2 * rounds + 1 };
    expect(carriers[0]).toMatchObject({ carrier: "sandbox", lastHour, receipts });
    expect(senders).toMatchObject([{ carrier: "sandbox", sender: null, lastHour: { undelivered: 2 * rounds } }]);
    expect(callbacks.lastHour.refused).toBeGreaterThan(7.5 * rounds);
    expect(callbacks.failingEndpoints).toMatchObject([{ clientId: this.client.clientId, cause: "answered 500" }]);
    for (let minute = 0; minute < minutes; minute++) {
      await this.world.pass(1);
      expect([minute, (await this.look()).problems]).toEqual([minute, []]);
    }
  }
}
