// A website whose texts have times, and a carrier that answers as the test says.
import { expect } from "vitest";
import type { OutboundMessage, Submission } from "../../../src/carriers/carrier.ts";
import { recoverySeconds } from "../../../src/domain/messages/retry-policy.ts";
import { failingDatabase } from "../../failing-database.ts";
import { ACCEPTED, ToldCarrier } from "../../told-carrier.ts";
import { SEND, type TestClient, World } from "../../world.ts";

export const ADA = "+12125550100";
export const BOB = "+12125550101";
export const STOPPED = "+12125550199";
export const MINUTE = 60;
export const HOUR = 3600;

interface Scheduled {
  status: number;
  messageId: string;
  scheduledFor?: string;
  code?: number;
}

interface Cancelled {
  cancelled: string[];
  notCancelled: { messageId: string; status: string | null }[];
}

export class ScheduledStage {
  /** What the carrier got. */
  readonly sent: OutboundMessage[] = [];
  answer: Submission = ACCEPTED;
  readonly world: World;
  readonly client: TestClient;

  private constructor(world: World, client: TestClient) {
    this.world = world;
    this.client = client;
    new ToldCarrier(world).answer = (message) => {
      this.sent.push(message);
      return this.answer;
    };
  }

  static async begin(): Promise<ScheduledStage> {
    const world = await World.create();
    return new ScheduledStage(world, await world.brand([`${ADA},ada@example.com`, BOB, `${STOPPED},,false`]));
  }

  inSeconds(seconds: number): string {
    return new Date(this.world.now + seconds * 1000).toISOString();
  }

  passUntil(time: number): Promise<void> {
    return this.world.pass((time - this.world.now) / 60_000);
  }

  async schedule(seconds: number, fields: Record<string, unknown> = {}): Promise<Scheduled> {
    const body = { ...SEND, phone: ADA, sendAt: this.inSeconds(seconds), ...fields };
    const answer = await this.world.post("/text/message/send", this.client, body);
    return { status: answer.status, ...(await answer.json<Omit<Scheduled, "status">>()) };
  }

  /** In one request. They outlive every jump of the clock. @returns their ids */
  async scheduleAll(seconds: number[]): Promise<string[]> {
    const messages = seconds.map((after, index) => ({
      ...SEND,
      phone: ADA,
      text: `Text ${index}`,
      sendAt: this.inSeconds(after),
      expireAt: this.inSeconds(Math.max(after, 0) + 48 * HOUR),
    }));
    const answer = await this.world.post("/text/bulk/message/send", this.client, { messages });
    const { successSent } = await answer.json<{ successSent: { messageId: string }[] }>();
    return successSent.map(({ messageId }) => messageId);
  }

  async cancel(ids: string[]): Promise<Cancelled> {
    const answer = await this.world.post("/text/message/cancel", this.client, { messageIds: ids });
    return answer.json();
  }

  /** Those that have no job yet. */
  scheduled() {
    return this.world.rows(
      "SELECT message_id, phone, send_at FROM messages WHERE status = 'PENDING_TO_SEND' AND due_at IS NULL ORDER BY send_at",
    );
  }

  stored() {
    return this.world.rows("SELECT message_id, status, reason_code, accepted_at, due_at, send_at FROM messages");
  }

  async statusOf(messageId: string): Promise<{ status: string; reason: string | null }> {
    const headers = { "x-client-id": this.client.clientId, "x-client-secret": this.client.clientSecret };
    return (await this.world.fetch(`/text/message/status?messageId=${messageId}`, { headers })).json();
  }
}

/** 25 messages, which are cancelled while another actor works. Each is sent, or is in the answer, and its client hears of it once. */
export async function race(
  at: ScheduledStage,
  turn: number,
  fields: Record<string, unknown>,
  other: () => Promise<unknown>,
): Promise<void> {
  const { world, client, sent } = at;
  const messages = Array.from({ length: 25 }, (_, index) => ({
    ...SEND,
    phone: ADA,
    text: `${turn} ${index}`,
    ...fields,
  }));
  const answer = await world.post("/text/bulk/message/send", client, { messages });
  const { successSent } = await answer.json<{ successSent: { messageId: string }[] }>();
  const ids = successSent.map(({ messageId }) => messageId);
  if (fields.sendAt) world.now = Date.parse(String(fields.sendAt)) - 3 * MINUTE * 1000;
  const runs = [() => at.cancel(ids), other];
  if (turn % 2 === 1) runs.reverse();
  const ends = await Promise.all(runs.map((run) => run()));
  const { cancelled } = ends[turn % 2] as Cancelled;
  world.advance(3 * MINUTE);
  await world.runQueues();
  const submitted = new Set(sent.map(({ messageId }) => messageId));
  expect(ids.filter((id) => !submitted.has(id))).toEqual(cancelled);
  const events = Map.groupBy(await world.events(client), ({ messageId }) => messageId);
  const told = ids.map((id) => events.get(id)?.map(({ status }) => status));
  expect(told).toEqual(ids.map((id) => [submitted.has(id) ? "SENDING" : "FAILED_TO_SEND"]));
  sent.length = 0;
  await world.rows("DELETE FROM events");
}

/** The run that submits, as another actor. */
export const submitAll = ({ world }: ScheduledStage) =>
  world.deliver(
    "textgate-messages",
    world.jobs.splice(0).map(({ body }) => body),
  );

/** A message is stored, its client is told that it is not, and the store comes back later: nothing of it goes. */
export async function expectTakenBack(minutes: number): Promise<void> {
  for (let awaySeconds = 30; awaySeconds < minutes * MINUTE + 120; awaySeconds += 110) {
    const at = await ScheduledStage.begin();
    const { world, sent } = at;
    // The transaction took effect, and its answer was lost, as was that of each further try.
    const { deps } = world;
    world.deps = { ...deps, db: failingDatabase(deps.db, 100, "after") };
    expect((await at.schedule(minutes * MINUTE)).status).toBe(503);
    world.deps = deps;
    const askedAt = world.now;
    const backAt = askedAt + awaySeconds * 1000;
    // Each try while the store is away is followed by a pause, as the queue has it.
    const [job] = world.jobs.splice(0);
    let triedAt = askedAt;
    for (let attempts = 1; triedAt < backAt; attempts++) triedAt += recoverySeconds(attempts) * 1000;
    world.jobs.push({ body: (job as (typeof world.jobs)[number]).body, at: triedAt });
    for (world.now = backAt; world.now < askedAt + (minutes * MINUTE + 900) * 1000; world.now += 30_000) {
      if (world.now % 60_000 === 0) await world.sweep();
      await world.runQueues();
    }
    expect([awaySeconds, sent.length]).toEqual([awaySeconds, 0]);
  }
}

export interface Step {
  seconds: number;
  /** When one call of the sweep to the store fails. */
  fault: "before" | "after" | null;
  sweeps: boolean;
}

/** Texts whose times are these, in seconds from now, go once each and not early, whatever happens in between. */
export async function expectAllGo(times: number[], steps: Step[]): Promise<void> {
  const at = await ScheduledStage.begin();
  const { world, sent } = at;
  const start = world.now;
  const ids = await at.scheduleAll(times);
  const due = new Map(ids.map((messageId, index) => [messageId, start + Number(times[index]) * 1000]));
  const { deps } = world;
  const submitAt = new Map<string, number>();
  const note = () => {
    for (const { messageId } of sent.slice(submitAt.size)) {
      expect(submitAt.has(messageId)).toBe(false);
      submitAt.set(messageId, world.now);
      expect(world.now).toBeGreaterThanOrEqual(due.get(messageId) as number);
    }
  };
  for (const { seconds, fault, sweeps } of steps) {
    world.advance(seconds);
    world.deps = fault ? { ...deps, db: failingDatabase(deps.db, 1, fault) } : deps;
    if (sweeps) await world.sweep();
    world.deps = deps;
    await world.runQueues();
    note();
  }
  await at.passUntil(Math.max(world.now, start + 3 * HOUR * 1000) + 2 * HOUR * 1000);
  note();
  expect([...submitAt.keys()].sort()).toEqual([...due.keys()].sort());
}
