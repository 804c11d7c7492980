/** The pace of a sender over minutes and days. */
import { evictDurableObject, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Job } from "../../../src/domain/messages/job.ts";
import type { SenderNamespace } from "../../../src/platform/sender-turns.ts";
import { mockSockets, OURS } from "../../carriers/carrier-world.ts";
import { twilio } from "../../carriers/twilio.ts";
import { Random } from "../../random.ts";
import { World } from "../../world.ts";
import { PaceStage } from "./pace-stage.ts";
import { FULL, MANY, refuse, TWENTY } from "./sender-stage.ts";

mockSockets();

let at: PaceStage;

beforeEach(async () => {
  at = await PaceStage.create();
});

afterEach(() => at.senders.end());

it("holds in every minute over all websites of the sender, and all of their texts go", async () => {
  await at.setPace({ messagesPerMinute: 30 });
  const outlet = await at.senders.makeWebsite("outlet", FULL);
  const ids = [...(await at.senders.send(at.senders.shop)), ...(await at.senders.send(outlet))];
  await at.passSeconds(95);
  expect(at.paced.map(({ messageId }) => messageId).toSorted()).toEqual(ids.toSorted());
  for (const { at: from } of at.paced) {
    expect(at.paced.filter((it) => it.at >= from && it.at < from + 60_000).length).toBeLessThanOrEqual(30);
  }
  expect(((at.paced.at(-1)?.at ?? 0) - (at.paced[0]?.at ?? 0)) / 1000).toBeLessThan(90);
  expect(await at.senders.statuses("shop", "outlet")).toEqual(["SENDING", "SENDING"]);
});

it("is nobody's fault: no problem is shown while texts wait for it", async () => {
  await at.setPace({ messagesPerMinute: 1 });
  await at.senders.send(at.senders.shop);
  await at.senders.pass(12);
  expect(await at.senders.pauses()).toEqual([]);
  const { problems } = await (await at.world.operator("GET", "/health")).json<{ problems: string[] }>();
  expect(problems).not.toContain("messages-late");
});

it("takes no more than the most of a day, and what waits too long for it ends as SENDER_LIMIT", async () => {
  await at.setPace({ messagesPerDay: 5 });
  await at.senders.send(at.senders.shop);
  await at.senders.pass(3);
  expect(at.paced).toHaveLength(5);
  at.world.advance(24 * 3600);
  await at.world.sweep();
  const ended = "SELECT DISTINCT reason_code FROM messages WHERE status = 'FAILED_TO_SEND'";
  expect(await at.world.rows(ended)).toEqual([{ reason_code: "SENDER_LIMIT" }]);
});

it("gives no turns while the sender pauses, and its texts go after it", async () => {
  await at.setPace({ messagesPerMinute: 600 });
  at.senders.at.answer = ({ from }) => (from === FULL ? refuse(21611) : twilio.accepts());
  await at.senders.send(at.senders.shop);
  const asked = vi.spyOn(at.world.deps.turns, "ask");
  await at.senders.send(at.senders.shop, MANY.slice(TWENTY.length));
  expect(asked).not.toHaveBeenCalled();
  at.senders.at.answer = twilio.accepts;
  await at.senders.pass(5);
  expect(await at.senders.statuses("shop")).toEqual(["SENDING"]);
});

it.each([1, 2, 3])(
  "holds over two consumers at a time, jobs that come twice, and an object that is moved: %i",
  async (seed) => {
    const random = new Random(seed);
    const { world } = at;
    await at.setPace({ messagesPerMinute: 40 });
    const outlet = await at.senders.makeWebsite("outlet", FULL);
    const other = await World.another(world);
    other.deps = { ...other.deps, now: () => world.now, carriers: world.deps.carriers };
    other.deps = { ...other.deps, messages: world.deps.messages, bulk: world.deps.bulk };
    for (const phone of MANY) for (const client of [at.senders.shop, outlet]) await world.send(client, { phone });
    for (let second = 1; second <= 120; second++) {
      world.advance(1);
      if (second % 60 === 0) await world.sweep();
      const due = world.jobs.filter(({ at: time }) => time <= world.now).map(({ body }) => body);
      world.jobs.splice(0, world.jobs.length, ...world.jobs.filter(({ at: time }) => time > world.now));
      const halves: [Job[], Job[]] = [[], []];
      for (const job of due) for (const half of halves) if (random.chance(0.8)) half.push(job);
      await Promise.all([
        halves[0].length > 0 && world.deliver("textgate-messages", halves[0]),
        halves[1].length > 0 && other.deliver("textgate-messages", halves[1]),
      ]);
      await Promise.all([world.afterAnswer(), other.afterAnswer()]);
      // Where nothing has asked it since, it is not in memory.
      if (random.chance(0.1)) await evictDurableObject(objectOf(FULL)).catch(() => {});
    }
    // The next test empties the objects that are in memory.
    await runInDurableObject(objectOf(FULL), () => {});
    expect(new Set(at.paced.map(({ messageId }) => messageId)).size).toBe(at.paced.length);
    expect(at.paced.length).toBeGreaterThan(50);
    for (const { at: from } of at.paced)
      expect(at.paced.filter((it) => it.at >= from && it.at < from + 60_000).length).toBeLessThanOrEqual(40);
  },
);

const objectOf = (sender: string) =>
  (env.SENDERS as SenderNamespace).getByName(JSON.stringify(["twilio", sender])) as unknown as DurableObjectStub;

describe("a sender with a pace", () => {
  it("stops no text of another sender", async () => {
    await at.setPace({ messagesPerMinute: 1 });
    await Promise.all(MANY.map((phone) => at.world.send(at.senders.shop, { phone })));
    await at.senders.send(at.senders.at.client);
    expect(at.came.filter(({ from }) => from === OURS)).toHaveLength(TWENTY.length);
    expect(at.paced).toHaveLength(1);
  });

  it.each([
    ["a higher one", { messagesPerMinute: 600, messagesPerDay: 2000 }],
    ["none", { messagesPerMinute: null, messagesPerDay: null }],
  ])("sends what waits by another pace once it has it: %s", async (_, pace) => {
    await at.setPace({ messagesPerMinute: 1, messagesPerDay: 2 });
    await at.senders.send(at.senders.shop, MANY.slice(0, 6));
    await at.passSeconds(120);
    expect(at.paced).toHaveLength(2);
    await at.setPace(pace);
    await at.passSeconds(5);
    expect(at.paced).toHaveLength(6);
  });

  it("lets a transactional text go before a campaign", async () => {
    await at.setPace({ messagesPerMinute: 120 });
    const sale = await at.senders.send(at.senders.shop, MANY.slice(0, 8));
    const code = await at.world.send(at.senders.shop, { phone: MANY[29], kind: "transactional" });
    await at.world.runQueues();
    expect(at.paced.length).toBeLessThan(sale.length);
    expect(at.paced.at(-1)?.messageId).toBe(code);
  });
});
