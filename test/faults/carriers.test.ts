/** What a carrier may do that test/carriers does not show: be slow, never end, say far too much, or refuse for hours. */
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { CarrierWorld, mockSockets } from "../carriers/carrier-world.ts";
import { kannel } from "../carriers/kannel.ts";
import { json } from "../carriers/test-carrier.ts";
import { answerAnything, beBusy, CarrierStage } from "./carrier-stage.ts";

mockSockets();

const HOUR = 3600;

afterEach(() => {
  vi.restoreAllMocks();
});

describe("a carrier", () => {
  let stage: CarrierStage;

  let at: CarrierWorld;

  beforeEach(async () => {
    stage = await CarrierStage.create(kannel);
    ({ at } = stage);
  });

  it("that answers after 29 seconds has taken the message", async () => {
    at.answer = () => {
      at.world.advance(29);
      return kannel.accepts();
    };
    await stage.sendMany(1);
    await stage.run();
    expect(await stage.statuses()).toEqual({ SENDING: 1 });
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
    await stage.sendMany(1);
    const running = stage.run();
    await vi.waitFor(() => expect(at.submitted).toHaveLength(1), { timeout: 5000 });
    expect(timeouts.map(({ milliseconds }) => milliseconds)).toEqual([20_000]);
    at.world.advance(20);
    timeouts[0]?.abort();
    await running;
    for (let hour = 0; hour < 5; hour++) await stage.pass(HOUR);
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
    await stage.sendMany(1);
    await stage.run();
    expect(await stage.statuses()).toEqual({ FAILED_TO_SEND: 1 });
    expect(bytes).toBeLessThan(2_000_000);
  });

  it("that refuses a hundred messages at length has all of its refusals stored", async () => {
    const words = "no ".repeat(15_000);
    at.answer = () => json({ code: 21211, message: words, errors: [{ code: "40310", title: words }] }, 400);
    await stage.sendMany(100);
    await stage.run();
    await stage.pass(61);
    expect(await stage.statuses()).toEqual({ FAILED_TO_SEND: 100 });
    const [row] = await at.world.rows("SELECT max(length(reason)) AS longest FROM messages");
    expect(row?.longest).toBeLessThan(1000);
    expect(at.submitted).toHaveLength(100);
  });

  it("that is busy for an hour, with any Retry-After, takes each message, once", async () => {
    await beBusy(stage, 1, 2);
  });

  it("that answers anything, at random, has each message at most once, and the record says what it said", async () => {
    await answerAnything(stage, 1, 6);
  });
});

describe("kannel", () => {
  it("whose connection never opens is tried again, without a submission", async () => {
    const at = await CarrierWorld.create(kannel);
    vi.mocked(scheduler.wait).mockImplementation(async () => {});
    at.connection = () => new Promise(() => {});
    await at.world.send(at.client, { phone: "+12125550100" });
    await at.world.runQueues();
    expect(at.submitted).toEqual([]);
    expect(await at.world.rows("SELECT status, reason FROM messages")).toEqual([
      { status: "PENDING_TO_SEND", reason: "kannel: no connection within 5 s" },
    ]);
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
