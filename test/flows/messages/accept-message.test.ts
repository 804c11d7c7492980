/** A send that is refused, or whose outcome is uncertain: what its client is told holds, and repeated, its text goes out once. */

import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Admission } from "../../../src/domain/clients/sliding-window.ts";
import type { Send } from "../../../src/domain/messages/send.ts";
import {
  type KnownClient,
  RateGate,
  type RateLimiterNamespace,
  type SendAnswer,
} from "../../../src/platform/rate-limiter.ts";
import { objectsOn } from "../../objects.ts";
import { silent } from "../../silence.ts";
import { ToldCarrier } from "../../told-carrier.ts";
import { SEND, type TestClient, World } from "../../world.ts";

const ADA = "+12125550100";
const LIMIT = 300;

let world: World;
let client: TestClient;
let carrier: ToldCarrier;

beforeEach(async () => {
  world = await World.create();
  client = await world.brand([ADA]);
  carrier = new ToldCarrier(world);
  vi.spyOn(globalThis, "fetch").mockImplementation(async () => new Response("thanks"));
});

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

const send = (headers: Record<string, string> = {}) =>
  world.post("/text/message/send", client, { ...SEND, phone: ADA }, headers);
const stored = async () => (await world.rows("SELECT message_id FROM messages")).map(({ message_id }) => message_id);
const expectLimit = async (answer: Response) => {
  expect(answer.status).toBe(429);
  expect(await answer.json()).toMatchObject({ code: 42900 });
};

describe("a send over the limit", () => {
  it("is not stored: its text goes out once it is repeated, and once", async () => {
    vi.useFakeTimers({ now: world.now, toFake: ["Date"] });
    // Other requests of the website use up its limit.
    await Promise.all(Array.from({ length: LIMIT }, () => world.deps.limiter.admit("brand", () => world.now)));
    await expectLimit(await send());
    expect(await stored()).toEqual([]);
    await world.pass(2);
    expect(carrier.submitted).toEqual([]);
    vi.setSystemTime(world.now);
    const messageId = await world.send(client, { phone: ADA });
    await world.pass(5);
    expect(carrier.submitted).toEqual([messageId]);
  });
});

describe("a send whose object has stored it and says nothing, after it has refused others", () => {
  const REFUSED: Admission = { admitted: false, remaining: 0, resetMilliseconds: 1000 };

  /** Refuses the first send, stores the second without an answer, and then is as it should be. */
  function useLateObject(): void {
    const objects = objectsOn(() => world.deps);
    let sends = 0;
    const getByName = (name: string) => {
      const object = objects.getByName(name);
      const answer = async (given: Send, client: KnownClient): Promise<SendAnswer> => {
        sends += 1;
        if (sends === 1) return { admission: REFUSED, stored: null };
        const storing = object.send(given, client) as Promise<unknown> as Promise<SendAnswer>;
        return sends === 2 ? silent(storing) : storing;
      };
      return { admit: (client: KnownClient) => object.admit(client), send: answer, isStoring: async () => false };
    };
    world.deps = { ...world.deps, limiter: new RateGate({ getByName } as unknown as RateLimiterNamespace) };
  }

  beforeEach(async () => {
    useLateObject();
    await expectLimit(await send());
    world.advance(2);
  });

  it("is refused, and stays with its Idempotency-Key: the repetition finds it, and its text goes out once", async () => {
    const key = { "idempotency-key": "order-1" };
    await expectLimit(await send(key));
    const [messageId] = await stored();
    world.advance(2);
    await world.runQueues();
    const repeated = await send(key);
    expect([repeated.status, await repeated.json()]).toEqual([200, { messageId }]);
    await world.pass(5);
    expect(carrier.submitted).toEqual([messageId]);
    expect(await world.statusOf(String(messageId))).toBe("SENDING");
  });

  it("is refused, and cancelled where it has no key: the repetition is another message, and the only text", async () => {
    await expectLimit(await send());
    expect(await stored()).toHaveLength(1);
    world.advance(2);
    const repeated = await send();
    expect(repeated.status).toBe(200);
    await world.pass(5);
    const { messageId } = (await repeated.json()) as { messageId: string };
    expect(await stored()).toEqual([messageId]);
    expect(carrier.submitted).toEqual([messageId]);
  });
});

describe("a send whose object does not answer", () => {
  /** The object stores the first send and its answer is lost; then no call of D1 works. */
  function loseAnswer(): void {
    const objects = objectsOn(() => world.deps);
    const { db } = world.deps;
    const away = async () => Promise.reject(new Error("D1_ERROR: Network connection lost."));
    const getByName = (name: string) => {
      const object = objects.getByName(name);
      const lose = async (given: Send, client: KnownClient): Promise<SendAnswer> => {
        await object.send(given, client);
        world.deps.db = { prepare: (sql: string) => db.prepare(sql), batch: away } as unknown as D1Database;
        throw new Error("Network connection lost.");
      };
      return { admit: (client: KnownClient) => object.admit(client), send: lose, isStoring: async () => false };
    };
    world.deps = { ...world.deps, limiter: new RateGate({ getByName } as unknown as RateLimiterNamespace) };
  }

  it("has queued nothing but its cancellation when its client is told to repeat it", async () => {
    const { db, limiter } = world.deps;
    loseAnswer();
    const answer = await send();
    expect([answer.status, await answer.json()]).toMatchObject([503, { code: 50300 }]);
    world.deps = { ...world.deps, db, limiter };
    const [messageId] = await stored();
    expect(world.jobs.map(({ body }) => body)).toEqual([{ kind: "cancel", messageIds: [messageId] }]);
    const repeated = (await (await send()).json()) as { messageId: string };
    await world.pass(5);
    expect(await stored()).toEqual([repeated.messageId]);
    expect(carrier.submitted).toEqual([repeated.messageId]);
  });
});
