// Worlds in which jobs die.
import { consume } from "../src/queue.ts";
import { ToldCarrier } from "./told-carrier.ts";
import { type TestClient, World } from "./world.ts";

export const ADA = "+12125550100";
export const MESSAGES = "textgate-messages";
export const DEAD = "textgate-messages-dead";

interface Given {
  id: string;
  body: unknown;
  attempts?: number;
}

interface Listed {
  id: string;
  queue: string;
  body: unknown;
  diedAt: string;
  error: string | null;
  putBackAt: string | null;
}

export const deliverJob = (...messageIds: string[]) => ({ kind: "deliver", messageIds });

export class DeadJobsStage {
  readonly world: World;
  readonly client: TestClient;
  /** The ids of what the carrier got. */
  readonly submitted: string[];

  private constructor(world: World, client: TestClient) {
    this.world = world;
    this.client = client;
    this.submitted = new ToldCarrier(world).submitted;
  }

  static async begin(): Promise<DeadJobsStage> {
    const world = await World.create();
    return new DeadJobsStage(world, await world.brand([ADA]));
  }

  /** Delivers a batch. @returns by id, null for what is done, and the seconds after which the others come again */
  async deliver(queue: string, given: Given[]): Promise<Record<string, number | null>> {
    const ends: Record<string, number | null> = {};
    const messages = given.map(({ id, body, attempts = 1 }) => ({
      ...{ id, body, attempts, timestamp: new Date(this.world.now) },
      ack: () => {
        ends[id] = null;
      },
      retry: ({ delaySeconds }: { delaySeconds: number }) => {
        ends[id] = delaySeconds;
      },
    }));
    await this.world.invoke("queue", () => consume({ queue, messages } as unknown as MessageBatch, this.world.deps));
    await this.world.afterAnswer();
    return ends;
  }

  async list(query = ""): Promise<Listed[]> {
    const answer = await this.world.operator("GET", `/dead-jobs${query}`);
    return (await answer.json<{ deadJobs: Listed[] }>()).deadJobs;
  }

  /** @returns the id of a message whose job is left to the test */
  async send(): Promise<string> {
    const messageId = await this.world.send(this.client, { phone: ADA });
    this.world.jobs.length = 0;
    return messageId;
  }
}
