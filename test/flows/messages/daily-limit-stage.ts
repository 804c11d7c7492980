// A website with a daily limit.
import fc from "fast-check";
import { expect } from "vitest";
import { SEND, type TestClient, World } from "../../world.ts";

export const ADA = "+12125550100";
export const BOB = "+12125550101";
export const STRANGER = "+12125550199";
export const OURS = "+12125550000";
export const MINUTE = 60_000;
export const DAY = 86_400_000;

interface Answer {
  status: number;
  body: { code?: number; message: string; messageId?: string; details?: { messageId: string }[] };
  retryAfter: number;
}

export const read = async (answer: Response): Promise<Answer> => ({
  status: answer.status,
  body: await answer.json(),
  retryAfter: Number(answer.headers.get("retry-after")),
});

const KINDS = ["single", "single", "stranger", "bulk", "retry"] as const;

interface Step {
  /** In seconds, before it. A retry waits as long as it was told. */
  pause: number;
  kind: (typeof KINDS)[number];
  /** How many texts a bulk request has. */
  size: number;
}

const step: fc.Arbitrary<Step> = fc.record({
  pause: fc.oneof(fc.nat(120), fc.constantFrom(0, 59, 60, 61, 3600, 43_200, 86_340, 86_400, 86_460)),
  kind: fc.constantFrom(...KINDS),
  size: fc.integer({ min: 1, max: 4 }),
});

const minuteOf = (time: number) => Math.floor(time / MINUTE);

export class DailyLimitStage {
  readonly world: World;
  readonly client: TestClient;

  private constructor(world: World, client: TestClient) {
    this.world = world;
    this.client = client;
  }

  static async begin(): Promise<DailyLimitStage> {
    const world = await World.create();
    return new DailyLimitStage(world, await world.brand([`${ADA},ada@example.com`, BOB]));
  }

  limit(dailyLimit: number | null, websiteId = "brand"): Promise<string> {
    return this.world.website(websiteId, { dailyLimit });
  }

  send(fields: object = {}, headers: Record<string, string> = {}, of = this.world): Promise<Response> {
    return of.post("/text/message/send", this.client, { ...SEND, phone: ADA, ...fields }, headers);
  }

  bulk(count: number, headers: Record<string, string> = {}, of = this.world): Promise<Response> {
    const messages = Array.from({ length: count }, (_, index) => ({ ...SEND, phone: ADA, text: `Text ${index}` }));
    return of.post("/text/bulk/message/send", this.client, { messages }, headers);
  }

  async sendAll(count: number): Promise<void> {
    for (let left = count; left > 0; left--) expect((await this.send()).status).toBe(200);
  }

  /** A bulk request with a key, and single texts that fill the limit: the key is answered beyond it, or is of another body. */
  async expectKeyAnswered(many: number, others: number): Promise<void> {
    await this.limit(many + others);
    const key = { "idempotency-key": "campaign" };
    const first = await (await this.bulk(many, key)).json();
    await this.sendAll(others);
    expect(await (await this.bulk(many, key)).json()).toEqual(first);
    expect((await this.bulk(many - 1, key)).status).toBe(409);
    expect([await this.count("messages"), await this.counted()]).toEqual([many + others, many + others]);
  }

  async expectRefused(answering: Promise<Response>): Promise<Answer> {
    const answer = await read(await answering);
    expect([answer.status, answer.body.code]).toEqual([429, 42901]);
    expect(answer.retryAfter).toBeGreaterThan(0);
    return answer;
  }

  async count(table: string): Promise<number> {
    return Number((await this.world.rows(`SELECT count(*) AS n FROM ${table}`))[0]?.n);
  }

  counted(): Promise<number | null> {
    return this.world.deps.limiter.textsUsed("brand");
  }

  /**
   * No 24 hours have more than the limit, nothing is refused that has room by the minute, and what costs nothing does not count.
   * @param runs lists of steps that are made by chance
   */
  async expectLimited(runs: number): Promise<void> {
    const steps = fc.array(step, { minLength: 4, maxLength: 14 });
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 5 }), steps, (most, given) => this.#play(most, given)),
      { numRuns: runs },
    );
  }

  async #play(most: number, steps: Step[]): Promise<void> {
    for (const table of ["messages", "events"]) await this.world.rows(`DELETE FROM ${table}`);
    // Nothing of the list before counts any more.
    this.world.advance((2 * DAY) / 1000);
    await this.limit(most);
    const accepted: number[] = [];
    let retry = 0;
    for (const { pause, kind, size } of steps) {
      this.world.advance(kind === "retry" ? retry : pause);
      const wanted = kind === "bulk" ? size : 1;
      const phone = kind === "stranger" ? STRANGER : ADA;
      const answer = kind === "bulk" ? await this.bulk(size) : await this.send({ phone });
      const { now } = this.world;
      const near = accepted.filter((at) => minuteOf(now) - minuteOf(at) <= 1440).length;
      expect(answer.status).toBe(near + wanted <= most ? 200 : 429);
      if (kind === "retry" && retry > 0) expect(answer.status).toBe(200);
      if (answer.status === 200 && kind !== "stranger") accepted.push(...Array.from({ length: wanted }, () => now));
      retry = answer.status === 429 && wanted === 1 ? Number(answer.headers.get("retry-after")) : 0;
      expect(accepted.filter((at) => now - at <= DAY).length).toBeLessThanOrEqual(most);
    }
  }
}
