// The events as an iterator: what a client sees that stops anywhere and goes on with the cursor that it kept.
import fc from "fast-check";
import { describe, expect, it, test } from "vitest";
import { Textgate } from "../../../client/index.js";

/** A service with events 1, 2, …, whose cursors are the number of the last event. */
function feedOf(stored: { count: number }, options: object = {}) {
  const asked: { after: string | null; limit: string | null }[] = [];
  const fetch = async (url: string) => {
    const { searchParams } = new URL(url);
    const [after, limit] = [searchParams.get("after"), Number(searchParams.get("limit"))];
    asked.push({ after, limit: searchParams.get("limit") });
    const last = Math.min(Number(after) + limit, stored.count);
    const events = Array.from({ length: last - Number(after) }, (_, index) => ({
      eventId: `${Number(after) + index + 1}`,
    }));
    return Response.json({ events, next: `${last}`, more: last < stored.count });
  };
  const client = new Textgate({
    ...{ url: "https://sms.example.com", clientId: "id", clientSecret: "secret" },
    fetch: fetch as typeof globalThis.fetch,
    ...options,
  });
  return { client, asked };
}

const numbers = (count: number, from = 1) => Array.from({ length: count }, (_, index) => `${from + index}`);

describe("client.events()", () => {
  it("reads page after page, to the newest event", async () => {
    const { client, asked } = feedOf({ count: 5 });
    const feed = client.events({ limit: 2 });
    const seen = [];
    for await (const { eventId } of feed) seen.push(eventId);
    expect(seen).toEqual(numbers(5));
    expect(asked.map(({ after }) => after)).toEqual([null, "2", "4"]);
    expect(feed.cursor).toBe("5");
  });

  it("asks for as many as it may, from the cursor that is given", async () => {
    const { client, asked } = feedOf({ count: 5 });
    const feed = client.events({ after: "5" });
    for await (const event of feed) expect(event).toBeUndefined();
    expect(asked).toEqual([{ after: "5", limit: "1000" }]);
    expect(feed.cursor).toBe("5");
  });

  /** Whatever a client does: with the cursor of where it stopped, no event is missed, and those of one page at most come again. */
  test("goes on where it stopped", async () => {
    const [counts, limits] = [fc.nat(30), fc.integer({ min: 1, max: 10 })];
    await fc.assert(
      fc.asyncProperty(counts, limits, fc.array(fc.nat(12), { maxLength: 4 }), async (count, limit, stops) => {
        const { client } = feedOf({ count });
        const seen: string[] = [];
        let cursor: string | undefined;
        for (const stop of [...stops, Number.POSITIVE_INFINITY]) {
          const feed = client.events({ limit, ...(cursor === undefined ? {} : { after: cursor }) });
          let left = stop;
          for await (const { eventId } of feed) {
            if (left-- === 0) break;
            seen.push(eventId);
          }
          cursor = feed.cursor;
        }
        expect([...new Set(seen)]).toEqual(numbers(count));
        expect(seen.length - count).toBeLessThanOrEqual(stops.length * limit);
      }),
    );
  });

  it("does not move the cursor behind an event whose work has failed", async () => {
    const { client } = feedOf({ count: 5 });
    const feed = client.events({ limit: 2 });
    const work = async () => {
      for await (const { eventId } of feed) if (eventId === "4") throw new Error("the database is away");
    };
    await expect(work()).rejects.toThrow("the database is away");
    expect(feed.cursor).toBe("2");
  });

  it("follows: waits for more, and ends by its signal", async () => {
    const stored = { count: 1 };
    const ended = new AbortController();
    const waits: number[] = [];
    const { client } = feedOf(stored, {
      wait: async (milliseconds: number, signal: AbortSignal) => {
        waits.push(milliseconds);
        stored.count += 1;
        if (waits.length === 3) ended.abort(new Error("enough"));
        signal.throwIfAborted();
      },
    });
    const seen: string[] = [];
    const follow = async () => {
      for await (const { eventId } of client.events({ follow: true, pauseSeconds: 5, signal: ended.signal }))
        seen.push(eventId);
    };
    await expect(follow()).rejects.toThrow("enough");
    expect({ seen, waits }).toEqual({ seen: numbers(3), waits: [5000, 5000, 5000] });
  });
});
