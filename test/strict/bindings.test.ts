import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Carrier, Submission } from "../../src/carriers/carrier.ts";
import { sandbox } from "../../src/carriers/sandbox.ts";
import { World } from "../world.ts";
import { strictCarrier, strictEnv, strictQueue } from "./bindings.ts";
import { CutOffError } from "./invocation.ts";
import { LIMITS } from "./limits.ts";
import { platform } from "./platform.ts";

let world: World;

beforeEach(async () => {
  world = await World.create();
});

afterEach(() => {
  vi.restoreAllMocks();
});

describe("a queue", () => {
  const sent: unknown[] = [];
  const queue = strictQueue({
    sendBatch: async (batch: object[]) => void sent.push(...batch),
  } as unknown as Queue<string>);
  const send = (bodies: string[]) => queue.sendBatch(bodies.map((body) => ({ body })));
  /** A message that counts so many bytes: two quotes are its JSON, the rest the queue's own. */
  const sized = (bytes: number) => "x".repeat(bytes - 2 - LIMITS.messageOverheadBytes.value);

  it.each([
    ["a hundred messages", new Array(LIMITS.messagesPerBatch.value).fill("a"), ["a"], "Too many messages"],
    [
      "messages of 128 KB",
      [sized(LIMITS.messageBytes.value)],
      [sized(LIMITS.messageBytes.value + 1)],
      "Message too large",
    ],
    ["256 KB", [sized(128_000), sized(128_000)], ["a"], "Payload Too Large"],
  ])("takes %s at a time, and no more", async (_, most, more, error) => {
    sent.length = 0;
    await send(most);
    expect(sent).toHaveLength(most.length);
    const large = error === "Message too large" ? more : [...most, ...more];
    await expect(send(large)).rejects.toThrow(`Queue sendBatch failed: ${error}`);
    expect(platform.takeRefusals()).toEqual([`Queue sendBatch failed: ${error}`]);
    expect(sent).toHaveLength(most.length);
  });
});

describe("KV", () => {
  const { CREDENTIALS } = strictEnv;
  const at = <T>(work: () => Promise<T>) => world.invoke("fetch", work);

  it("takes a write of a key each second, of several keys at once", async () => {
    await at(() => CREDENTIALS.put("a", "1"));
    await at(() => CREDENTIALS.put("b", "1"));
    world.now += LIMITS.keyWriteMilliseconds.value - 1;
    await expect(at(() => CREDENTIALS.put("a", "2"))).rejects.toThrow("KV PUT failed: 429 Too Many Requests");
    await expect(at(() => CREDENTIALS.delete("b"))).rejects.toThrow("KV DELETE failed: 429 Too Many Requests");
    expect(platform.takeRefusals()).toHaveLength(2);
    world.now += 1;
    await at(() => CREDENTIALS.put("a", "3"));
    expect(await at(() => CREDENTIALS.get("a"))).toBe("3");
  });

  it("is not asked in another way than those that are counted", () => {
    expect(() => CREDENTIALS.getWithMetadata("a")).toThrow("the strict platform does not count KV getWithMetadata");
  });
});

describe("an object", () => {
  it("refuses more than a test lets wait, and says that it is overloaded", async () => {
    platform.longestQueue.object = 2;
    const object = strictEnv.RATE_LIMITER.getByName("brand");
    const ends = await Promise.allSettled([object.admit(), object.admit(), object.admit()]);
    expect(ends.map(({ status }) => status)).toEqual(["fulfilled", "fulfilled", "rejected"]);
    expect((ends[2] as PromiseRejectedResult).reason).toMatchObject({ overloaded: true, retryable: false });
    expect(await strictEnv.RATE_LIMITER.getByName("other").admit()).toMatchObject({ admitted: true });
  });
});

describe("a fetch", () => {
  it("that a test answers counts for the invocation that makes it, and for none outside", async () => {
    const answer = vi.spyOn(globalThis, "fetch").mockImplementation(async () => new Response("ok"));
    const mocked = globalThis.fetch;
    await world.invoke("queue", async () => {
      await fetch("https://example.com");
      await world.invoke("queue", () => fetch("https://example.com"));
      await fetch("https://example.com");
    });
    expect(platform.invocations.map(({ counts }) => counts.subrequests)).toEqual([2, 1]);
    expect(globalThis.fetch).toBe(mocked);
    await fetch("https://example.com");
    expect(answer).toHaveBeenCalledTimes(4);
  });

  it("that a test begins to answer in the middle is counted once, then and afterwards", async () => {
    const native = globalThis.fetch;
    await world.invoke("queue", async () => {
      vi.spyOn(globalThis, "fetch").mockImplementation(async () => new Response("ok"));
    });
    vi.restoreAllMocks();
    vi.spyOn(globalThis, "fetch").mockImplementation(async () => new Response("ok"));
    await world.invoke("queue", () => fetch("https://example.com"));
    expect(platform.invocations.map(({ counts }) => counts.subrequests)).toEqual([0, 1]);
    vi.restoreAllMocks();
    await World.create();
    expect(globalThis.fetch).toBe(native);
  });
});

describe("a fetch that a test answers", () => {
  it("and answers otherwise in the middle, is nobody's once the test is over", async () => {
    const native = globalThis.fetch;
    vi.spyOn(globalThis, "fetch").mockImplementation(async () => new Response("ok"));
    await world.invoke("queue", async () => {
      const again = vi.spyOn(globalThis, "fetch").mockImplementation(async () => new Response("other"));
      expect(await (await fetch("https://example.com")).text()).toBe("other");
      expect(again).toHaveBeenCalledTimes(1);
    });
    expect(platform.invocations.map(({ counts }) => counts.subrequests)).toEqual([1]);
    vi.restoreAllMocks();
    await World.create();
    expect(globalThis.fetch).toBe(native);
  });
});

describe("the Worker", () => {
  const ADA = "+12125550100";

  it("makes its calls as one invocation: a request, a batch, a sweep", async () => {
    const client = await world.brand([ADA]);
    platform.invocations.length = 0;
    // The isolate that has made the client knows it without KV.
    await (await World.another(world)).send(client, { phone: ADA });
    await world.runQueues();
    await world.sweep();
    const counted = platform.invocations.map(({ counts }) => counts);
    // The object of the website stores the text. It is asked a second time if it takes long. Afterwards the use of the client is stored.
    expect(counted[0]).toMatchObject({ queries: 1, keyValueOperations: 1 });
    expect([3, 4]).toContain(counted[0]?.subrequests);
    expect(counted.slice(1).every(({ queries, rowsRead }) => queries > 0 && rowsRead > 0)).toBe(true);
  });

  it("whose run a new version cuts off never says how it ended; its batch comes again, and sends nothing twice", async () => {
    const submitted: string[] = [];
    const submit = async ({ messageId }: { messageId: string }): Promise<Submission> => {
      submitted.push(messageId);
      platform.newVersion();
      world.now += LIMITS.graceMilliseconds.value + 1;
      return { kind: "accepted", carrierMessageId: null };
    };
    const carrier = strictCarrier({ ...sandbox, submit } as unknown as Carrier);
    world.deps = { ...world.deps, carriers: { ready: { sandbox: carrier }, missing: {} } };
    const messageId = await world.send(await world.brand([ADA]), { phone: ADA });
    const job = { kind: "deliver", messageIds: [messageId] };
    expect(await world.deliver("textgate-messages", [job])).toEqual({ acknowledged: 0, retried: 1 });
    const [stored] = await world.rows("SELECT status, claimed_at IS NOT NULL AS is_claimed FROM messages");
    expect(stored).toEqual({ status: "PENDING_TO_SEND", is_claimed: 1 });
    expect(await world.deliver("textgate-messages", [job])).toEqual({ acknowledged: 1, retried: 0 });
    expect(submitted).toEqual([messageId]);
  });

  it("whose request is cut off does not answer", async () => {
    const client = await world.brand([ADA]);
    const { db } = world.deps;
    const batch = async (statements: D1PreparedStatement[]) => {
      platform.newVersion();
      world.advance(31);
      return db.batch(statements);
    };
    world.deps = { ...world.deps, db: { prepare: (sql: string) => db.prepare(sql), batch } as unknown as D1Database };
    await expect(world.send(client, { phone: ADA })).rejects.toThrow(CutOffError);
  });

  it("has what it left for after its answer ended thirty seconds later", async () => {
    let isOver = false;
    await world.invoke("fetch", async () => {
      world.deps.waitUntil(
        (async () => {
          await scheduler.wait(1);
          world.advance(31);
          await world.deps.db.prepare("SELECT 1").all();
          isOver = true;
        })(),
      );
    });
    await world.afterAnswer();
    expect([isOver, platform.takeRefusals()]).toEqual([false, ["waitUntil takes longer than 30 seconds"]]);
  });
});
