/** What a carrier may do that test/carriers does not show: be slow, never end, say far too much, or refuse for hours. */
import { afterEach, beforeEach, describe, expect, inject, it, vi } from "vitest";
import { CARRIERS, CarrierWorld, mockSockets } from "../carriers/carrier-world.ts";
import { json, type Submitted, text } from "../carriers/test-carrier.ts";
import { Random } from "../random.ts";
import { Injector } from "./injector.ts";
import { PlatformQueues } from "./queues.ts";
import { printSummary } from "./summary.ts";

mockSockets();

const HOUR = 3600;

describe.each(CARRIERS)("$name", (carrier) => {
  let at: CarrierWorld;
  let queues: PlatformQueues;

  beforeEach(async () => {
    at = await CarrierWorld.create(carrier);
    queues = new PlatformQueues(() => at.world.now);
    // With the limits that D1 and the queues have on the edge.
    const { messages, bulk, callbacks } = queues;
    at.world.deps = new Injector().wrap({ ...at.world.deps, messages, bulk, callbacks });
  });

  afterEach(() => {
    vi.restoreAllMocks();
  });

  const run = () => queues.run(at.world.deps, () => at.world.afterAnswer());
  const pass = async (seconds: number) => {
    at.world.advance(seconds);
    await at.world.sweep();
    await run();
  };
  const sendMany = async (count: number): Promise<string[]> => {
    const messages = Array.from({ length: count }, (_, i) => ({
      phone: "+12125550100",
      text: `no ${i}`,
      callbackData: "",
      sendPurpose: "storm",
    }));
    const answer = await at.world.post("/text/bulk/message/send", at.client, { messages });
    const { successSent } = (await answer.json()) as { successSent: { messageId: string }[] };
    return successSent.map(({ messageId }) => messageId);
  };
  const statuses = async () =>
    Object.fromEntries(
      (await at.world.rows("SELECT status, count(*) AS n FROM messages GROUP BY status")).map(({ status, n }) => [
        status,
        n,
      ]),
    );

  it("that answers after 29 seconds has taken the message", async () => {
    at.answer = () => {
      at.world.advance(29);
      return carrier.accepts();
    };
    await sendMany(1);
    await run();
    expect(await statuses()).toEqual({ SENDING: 1 });
    expect(await at.world.rows("SELECT reason FROM messages")).toEqual([{ reason: null }]);
  });

  it.each([
    ["answers nothing", () => new Promise<Response>(() => {})],
    ["begins an answer and never ends it", () => new Response(neverEnding(), { status: 201 })],
  ])("that %s is left after 20 seconds, and not asked again", async (_, answer) => {
    const timeouts: { milliseconds: number; abort: () => void }[] = [];
    vi.spyOn(AbortSignal, "timeout").mockImplementation((milliseconds) => {
      const controller = new AbortController();
      timeouts.push({ milliseconds, abort: () => controller.abort(new DOMException("timed out", "TimeoutError")) });
      return controller.signal;
    });
    at.answer = answer;
    obeySignals();
    await sendMany(1);
    const running = run();
    await vi.waitFor(() => expect(at.submitted).toHaveLength(1), { timeout: 5000 });
    expect(timeouts.map(({ milliseconds }) => milliseconds)).toEqual([20_000]);
    at.world.advance(20);
    timeouts[0]?.abort();
    await running;
    for (let hour = 0; hour < 5; hour++) await pass(HOUR);
    expect(at.submitted).toHaveLength(1);
    expect(await at.world.rows("SELECT status, reason FROM messages")).toMatchObject([
      { status: "SENDING", reason: expect.stringMatching(/^outcome unknown, not sent again: .*timed out/) },
    ]);
  });

  it("whose answer has no end is not read to it", async () => {
    let bytes = 0;
    const chunk = new TextEncoder().encode("x".repeat(65_536));
    at.answer = () =>
      new Response(
        new ReadableStream({
          pull(controller) {
            bytes += chunk.byteLength;
            if (bytes > 16_000_000) controller.error(new Error("read for ever"));
            else controller.enqueue(chunk);
          },
        }),
        { status: 400 },
      );
    await sendMany(1);
    await run();
    expect(await statuses()).toEqual({ FAILED_TO_SEND: 1 });
    expect(bytes).toBeLessThan(2_000_000);
  });

  it("that refuses a hundred messages at length has all of its refusals stored", async () => {
    const words = "no ".repeat(15_000);
    at.answer = () => json({ code: 21211, message: words, errors: [{ code: "40310", title: words }] }, 400);
    await sendMany(100);
    await run();
    await pass(61);
    expect(await statuses()).toEqual({ FAILED_TO_SEND: 100 });
    const [row] = await at.world.rows("SELECT max(length(reason)) AS longest FROM messages");
    expect(row?.longest).toBeLessThan(1000);
    expect(at.submitted).toHaveLength(100);
  });

  it("whose answer breaks off anywhere, without an error, has not said that it took the message", async () => {
    const whole = await (await carrier.accepts()).text();
    if (carrier.carrierMessageId === null) return; // Kannel's status says it all.
    const cuts = [0, 1, 2, ...Array.from({ length: 12 }, (_, i) => Math.floor((whole.length * (i + 1)) / 13))];
    at.answer = () => text(whole.slice(0, cuts[at.submitted.length - 1]), 201);
    await sendMany(cuts.length);
    await run();
    // A carrier that says nothing of its messages fails: the others wait for its circuit breaker.
    expect(at.submitted.length).toBeLessThan(cuts.length);
    for (let minute = 0; minute < 90 && at.submitted.length < cuts.length; minute++) await pass(60);
    const unknown = await at.world.rows("SELECT 1 FROM messages WHERE reason LIKE 'outcome unknown%'");
    expect(unknown).toHaveLength(cuts.length);
    for (let hour = 0; hour < 5; hour++) await pass(HOUR);
    expect(at.submitted).toHaveLength(cuts.length);
  });

  /** What a gateway may write into Retry-After. */
  const PAUSES = ["", "0", "-5", "abc", "1e9", "0.4", "Wed, 21 Oct 2026 07:28:00 GMT", "99999999999999999999", "30"];

  /** The short form has one carrier: a pause means the same to all. */
  const isShort = inject("faultSeeds") <= 1 && carrier.name !== "twilio";
  const openings = [
    [3, "takes", { SENDING: 20 }],
    [5, "never takes", { FAILED_TO_SEND: 20 }],
  ] as const;

  it.each(isShort ? [] : openings)(
    "that is busy for %d hours, with any Retry-After, %s each message, once",
    async (hours, _, expected) => {
      const opensAt = at.world.now + hours * HOUR * 1000;
      let busy = 0;
      at.answer = () =>
        at.world.now >= opensAt
          ? carrier.accepts()
          : text("", 429, { "retry-after": PAUSES[busy++ % PAUSES.length] ?? "" });
      const ids = await sendMany(20);
      for (let minute = 0; minute < (hours + 2) * 60; minute += 15) await pass(900);
      expect(await statuses()).toEqual(expected);
      const taken = at.submitted.slice(busy).map(({ messageId }) => messageId);
      expect(taken.sort()).toEqual(hours > 4 ? [] : ids.sort());
      // Each is asked for at most once a pass of the test's clock, and less with the longer pauses.
      expect(busy / ids.length).toBeLessThanOrEqual(hours * 4);
      printSummary(`${carrier.name}, busy for ${hours} hours: ${busy} refusals of 20 messages, ${taken.length} taken`);
    },
  );

  it("that answers anything, at random, has each message at most once, and the record says what it said", async () => {
    for (let seed = 1; seed <= inject("faultSeeds"); seed++) await storm(seed);
  });

  const STORM: [
    name: string,
    outcome: "taken" | "refused" | "later" | "open",
    answer: () => Response | Promise<Response>,
  ][] = [
    ["takes it", "taken", () => carrier.accepts()],
    ["takes it", "taken", () => carrier.accepts()],
    ["refuses", "refused", () => (carrier.refusals[0]?.[1] ?? carrier.accepts)()],
    ["429", "later", () => text("", 429)],
    ["521", "later", () => text("", 521)],
    ["500 with an id", "open", async () => text(await (await carrier.accepts()).text(), 500)],
    ["a reset", "open", () => Promise.reject(new Error("Network connection lost."))],
    ["no certificate", "open", () => Promise.reject(new Error("internal error; reference = d342r04tokeds4khce13d4kv"))],
    ["308", "open", () => text("", 308, { location: "http://10.0.0.1/" })],
    ["nothing readable", "open", () => text("\u0000\ufffd{", 200)],
  ];

  async function storm(seed: number): Promise<void> {
    const random = new Random(seed);
    const said = new Map<string, (typeof STORM)[number][1]>();
    const concluded: string[] = [];
    at.answer = ({ messageId }: Submitted) => {
      const [, outcome, answer] = random.pick(STORM);
      said.set(messageId, outcome);
      if (outcome !== "later") concluded.push(messageId);
      return answer();
    };
    const ids = await sendMany(100);
    for (let minute = 0; minute < 4 * 60; minute += 15) await pass(900);
    expect(concluded.length).toBe(new Set(concluded).size);
    const rows = await at.world.rows("SELECT message_id, status, reason, reason_code FROM messages");
    const record = new Map(rows.map((row) => [String(row.message_id), row]));
    for (const id of ids) {
      const { status, reason, reason_code } = record.get(id) ?? {};
      const isUnknown = String(reason).startsWith("outcome unknown");
      // A circuit breaker that opens again and again may leave it no further try in its four hours, or none at all.
      const failed = reason_code === "CARRIER_UNAVAILABLE" ? "later" : "refused";
      const is = status === "FAILED_TO_SEND" ? failed : isUnknown ? "open" : "taken";
      expect([id, is, status]).toEqual([id, said.get(id) ?? "later", status]);
    }
    printSummary(
      `${carrier.name}, seed ${seed}: ${ids.length} messages, ${at.submitted.length} requests, ${concluded.length} concluded`,
    );
  }
});

describe("kannel", () => {
  it("whose connection never opens is tried again, without a submission", async () => {
    const at = await CarrierWorld.create(CARRIERS[2] as (typeof CARRIERS)[number]);
    vi.mocked(scheduler.wait).mockImplementation(async () => {});
    at.connection = () => new Promise(() => {});
    await at.world.send(at.client, { phone: "+12125550100" });
    await at.world.runQueues();
    expect(at.submitted).toEqual([]);
    expect(await at.world.rows("SELECT status, reason FROM messages")).toEqual([
      { status: "PENDING_TO_SEND", reason: "kannel: no connection within 5 s" },
    ]);
    vi.restoreAllMocks();
  });
});

/** The fetch of the carriers' world is one that ends when it is told to, its bodies included. */
function obeySignals(): void {
  const usual = vi.mocked(globalThis.fetch).getMockImplementation() as typeof fetch;
  vi.mocked(globalThis.fetch).mockImplementation(async (input, init) => {
    const signal = init?.signal as AbortSignal;
    const aborted = new Promise<never>((_, reject) => {
      signal.addEventListener("abort", () => reject(signal.reason));
    });
    const { body, status } = await Promise.race([usual(input, init), aborted]);
    return new Response(body && untilAborted(body, signal), { status });
  });
}

function untilAborted(body: ReadableStream<Uint8Array>, signal: AbortSignal): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  return new ReadableStream({
    start: (controller) => signal.addEventListener("abort", () => controller.error(signal.reason)),
    async pull(controller) {
      const { value, done } = await reader.read();
      if (done) controller.close();
      else controller.enqueue(value);
    },
  });
}

/** A body that begins and says no more. */
function neverEnding(): ReadableStream<Uint8Array> {
  return new ReadableStream({ start: (controller) => controller.enqueue(new TextEncoder().encode('{"sid":"SM1')) });
}
