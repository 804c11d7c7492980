/** Which answers of a carrier in a row open its circuit breaker. */
import { describe, expect, it } from "vitest";
import { type BreakerState, CircuitBreaker } from "../../../src/domain/messages/circuit-breaker.ts";

const HOUR = 3_600_000;

const CAUSE = { about: "carrier", cause: "HTTP 503" } as const;

/** Each is later than any pause that an earlier one has caused. */
const EVENTS = {
  failure: (breaker: CircuitBreaker, now: number) => breaker.recordFailure(now, 0.5, CAUSE),
  success: (breaker: CircuitBreaker) => breaker.recordSuccess(false),
  hang: (breaker: CircuitBreaker, now: number) => breaker.recordHang(now, "no answer"),
};
type Event = keyof typeof EVENTS;

const KANNEL = { carrier: "kannel", sender: "" };

const STORED: BreakerState = { ...KANNEL, ...CAUSE, failures: 3, openings: 1, openUntil: 0 };

/** @returns after each event, how many milliseconds the breaker is open for; 0: it is closed */
function pauses(state: BreakerState | undefined, events: Event[]): number[] {
  const breaker = new CircuitBreaker(KANNEL, state);
  return events.map((event, index) => {
    const now = (index + 1) * HOUR;
    EVENTS[event](breaker, now);
    return (breaker.pause(now)?.openUntil ?? now) - now;
  });
}

describe("a circuit breaker", () => {
  it.each<[what: string, state: BreakerState | undefined, events: string, opens: string]>([
    ["the third failure in a row", undefined, "failure failure failure", "- - opens"],
    ["the next failure after an opening", undefined, "failure failure failure failure", "- - opens opens"],
    ["the next failure after an opening in the store", STORED, "failure", "opens"],
    ["a hang", undefined, "hang", "opens"],
    ["the next failure after a hang", undefined, "hang failure", "opens opens"],
    [
      "the third failure after a success",
      undefined,
      "failure failure success failure failure failure",
      "- - - - - opens",
    ],
    ["the third failure after an opening and a success", STORED, "success failure failure failure", "- - - opens"],
    [
      "the third failure after a hang and a success",
      undefined,
      "hang success failure failure failure",
      "opens - - - opens",
    ],
  ])("opens by %s", (_, state, events, opens) => {
    const found = pauses(state, events.split(" ") as Event[]).map((pause) => (pause > 0 ? "opens" : "-"));
    expect(found.join(" ")).toBe(opens);
  });

  it("stays open for longer each time", () => {
    const found = pauses(undefined, ["failure", "failure", "failure", "failure", "failure"]).slice(2);
    expect(found).toEqual(found.toSorted((a, b) => a - b));
    expect(new Set(found).size).toBe(3);
  });
});
