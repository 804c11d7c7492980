import fc from "fast-check";
import { afterEach, describe, expect, it, vi } from "vitest";
import { homeOf, newId } from "../../src/domain/home.ts";
import { CallbackSchedule, CLAIM_LIMITS, firstToClaim } from "../../src/flows/callback-schedule.ts";
import type { ClaimedCallback } from "../../src/platform/store/callbacks.ts";
import { PATIENCE_MILLISECONDS } from "../told-carrier.ts";
import { World } from "../world.ts";

let callbacks = 0;

function callback(host: string, messageId = `m${++callbacks}`): ClaimedCallback {
  return { eventId: `${messageId}_SENT${++callbacks}`, messageId, callbackUrl: `https://${host}/` } as ClaimedCallback;
}

const many = (count: number, host: string) => Array.from({ length: count }, () => callback(host));

/** As a run does, with all the connections that it has: until nothing is left to claim or to post. */
function run(unclaimed: ClaimedCallback[], slow: string[] = []) {
  const schedule = new CallbackSchedule();
  schedule.addUnclaimed(unclaimed);
  const claims: number[] = [];
  const posted: ClaimedCallback[] = [];
  const posting: ClaimedCallback[] = [];
  for (let step = 0; step < 10_000; step++) {
    const next = posting.length < 5 ? schedule.next() : undefined;
    if (next === "claim") {
      const ids = schedule.takeForClaim();
      claims.push(ids.length);
      schedule.addClaimed(unclaimed.filter(({ eventId }) => ids.includes(eventId)));
    } else if (next) posting.push(next);
    else {
      const ends = posting.findIndex(({ callbackUrl }) => !slow.includes(String(callbackUrl)));
      const [ended] = ends < 0 ? [] : posting.splice(ends, 1);
      if (!ended) break;
      schedule.ended(ended, false);
      posted.push(ended);
    }
  }
  return { claims, posted, posting };
}

describe("a schedule of callbacks", () => {
  it("claims 24 at a time for an endpoint that has no other beside it", () => {
    const { claims, posted } = run(many(100, "a.example.com"));
    expect(Math.max(...claims)).toBe(CLAIM_LIMITS.most);
    expect(claims.length).toBeLessThan(7);
    expect(posted.length).toBe(100);
  });

  it("posts through all connections to an endpoint that has no other beside it, once that has answered", () => {
    const schedule = new CallbackSchedule();
    schedule.addClaimed(many(10, "a.example.com"));
    const take = () => Array.from({ length: 6 }, () => schedule.next()).filter((next) => typeof next === "object");
    const [first] = take();
    expect([take().length, schedule.mayOpenUp]).toEqual([0, true]);
    schedule.ended(first as ClaimedCallback, false);
    expect([take().length, schedule.mayOpenUp]).toEqual([3, false]);
  });

  it("gives an endpoint that does not answer no more than its share", () => {
    const { posting } = run(many(100, "slow.example.com"), ["https://slow.example.com/"]);
    expect(posting.length).toBe(3);
  });

  it("leaves the others their claims and connections beside an endpoint that never answers", () => {
    const slow = many(100, "slow.example.com");
    const { posted, posting } = run([...slow, ...many(50, "b.example.com")], ["https://slow.example.com/"]);
    expect(posted.length).toBe(50);
    expect(posting.length).toBe(3);
  });

  it("posts each once, and those of a message and endpoint in their order, whatever waits", () => {
    const given = fc.array(fc.tuple(fc.integer({ min: 0, max: 8 }), fc.integer({ min: 0, max: 2 })), { maxLength: 60 });
    fc.assert(
      fc.property(given, (all) => {
        const waiting = all.map(([message, host]) => callback(`h${host}.example.com`, `m${message}-${host}`));
        const { posted } = run(waiting);
        expect(posted.length).toBe(waiting.length);
        const orders = (some: ClaimedCallback[]) => [...Map.groupBy(some, ({ messageId }) => messageId)].sort();
        expect(orders(posted)).toEqual(orders(waiting));
      }),
    );
  });
});

describe("what a run claims first", () => {
  const events = fc.array(
    fc.record({
      home: fc.nat({ max: 3 }),
      message: fc.nat({ max: 40 }),
      event: fc.constantFrom("SENDING", "DELIVERED", "CLICK_1"),
    }),
    { maxLength: 120 },
  );
  const idOf = (home: number, message: number) => newId(home, message, "00000000-0000-4000-8000-000000000000");

  it("is of each website in turn, a few of each, and never the end of a message before its beginning", () => {
    fc.assert(
      fc.property(events, (given) => {
        const ids = given.map(({ home, message, event }) => `${idOf(home, message)}_${event}`);
        const { first, others } = firstToClaim(ids);
        expect([...first, ...others].sort()).toEqual([...new Set(ids)].sort());
        const count = (some: string[], home: number) => some.filter((id) => homeOf(id) === home).length;
        const homes = [...new Set(given.map(({ home }) => home))];
        for (const home of homes) {
          const own = count(first, home);
          expect(own).toBeLessThanOrEqual(CLAIM_LIMITS.mostOfUrl);
          const isLeft = count(others, home) > 0 && own < CLAIM_LIMITS.mostOfUrl;
          if (isLeft) expect(first.length).toBe(CLAIM_LIMITS.most);
          if (isLeft) for (const other of homes) expect(count(first, other)).toBeLessThanOrEqual(own + 1);
        }
        const begins = (id: string) => `${id.slice(0, id.indexOf("_"))}_SENDING`;
        for (const id of first) expect(others).not.toContain(begins(id));
      }),
    );
  });
});

describe("the callbacks of one message", () => {
  afterEach(() => {
    vi.restoreAllMocks();
  });

  it("are posted one after the other: while SENDING has no answer, DELIVERED waits, and other messages do not", async () => {
    const world = (await World.create()).queueCallbacks();
    const people = ["+12125550100", "+12125550101"];
    const client = await world.brand(people);
    const [slow = "", quick = ""] = await Promise.all(people.map((phone) => world.send(client, { phone })));
    await world.deliver(
      "textgate-messages",
      world.jobs.splice(0).map(({ body }) => body),
    );
    await world.runReceipts();
    const due = world.callbacks.splice(0).map(({ body }) => body);
    expect(due.toSorted()).toEqual([slow, quick].flatMap((id) => [`${id}_DELIVERED`, `${id}_SENDING`]).toSorted());
    const late = Promise.withResolvers<Response>();
    const posts: string[] = [];
    vi.spyOn(globalThis, "fetch").mockImplementation(async (_, init) => {
      const eventId = new Headers(init?.headers).get("webhook-id") ?? "";
      posts.push(eventId);
      return eventId === `${slow}_SENDING` ? late.promise : new Response("thanks");
    });
    const running = world.deliver("textgate-callbacks", [due]);
    await expect.poll(() => posts, { interval: 5, timeout: PATIENCE_MILLISECONDS }).toContain(`${quick}_DELIVERED`);
    expect(posts).not.toContain(`${slow}_DELIVERED`);
    late.resolve(new Response("thanks"));
    await running;
    expect(posts.at(-1)).toBe(`${slow}_DELIVERED`);
    expect(posts.toSorted()).toEqual(due.toSorted());
  });
});
