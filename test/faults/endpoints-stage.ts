// Endpoints, each of which is bad in its own way.
import { expect, vi } from "vitest";
import { type Scene, Stage } from "./stage.ts";

export let stage: Stage;
export let scene: Scene;

export async function begin(): Promise<void> {
  stage = await Stage.create(0);
  scene = stage.scene("endpoints");
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
}

export function end(): void {
  vi.useRealTimers();
  vi.restoreAllMocks();
}

/** From before the tests hold it. */
const later = setTimeout;

/** Ten seconds pass, once the others have had their answers: whatever still waits for one waits no longer. */
const tenSeconds = () =>
  later(() => {
    if (!vi.isFakeTimers()) return;
    stage.world.advance(10);
    vi.advanceTimersByTime(10_000);
  }, 1);

/** A body that says so much and no more, until its connection is closed. */
function stuck(signal: AbortSignal, beginning: Uint8Array[]): ReadableStream<Uint8Array> {
  const chunks = [...beginning];
  return new ReadableStream({
    start: (controller) => signal.addEventListener("abort", () => controller.error(signal.reason)),
    pull(controller) {
      const chunk = chunks.shift();
      if (chunk) controller.enqueue(chunk);
      else tenSeconds();
    },
  });
}

const bytes = (text: string) => new TextEncoder().encode(text);

const redirect = (status: number, location: string) => () => new Response(null, { status, headers: { location } });

/** As workerd says it, of a certificate, a name or an answer that it cannot read: it tells no more to a Worker. */
const INTERNAL = "internal error; reference = d342r04tokeds4khce13d4kv";

export type Endpoint = (signal: AbortSignal) => Response | Promise<Response>;

/** What it does, and what is kept of it. */
export const ENDPOINTS: [what: string, endpoint: Endpoint, kept: Record<string, unknown>][] = [
  ["answers 200", () => new Response("thanks"), { outcome: "answered", http_status: 200, response: "thanks" }],
  ["answers 500", () => new Response("no", { status: 500 }), { outcome: "answered", http_status: 500 }],
  ["answers 404 in 2 MB", () => new Response("x".repeat(2_000_000), { status: 404 }), { outcome: "answered" }],
  ["redirects to a private address", redirect(301, "https://10.0.0.1/"), { outcome: "answered", http_status: 301 }],
  ["redirects to metadata", redirect(307, "http://169.254.169.254/"), { outcome: "answered", http_status: 307 }],
  ["redirects to itself", redirect(308, "https://brand.example.com/callbacks"), { outcome: "answered" }],
  ["redirects to a file", redirect(303, "file:///etc/passwd"), { outcome: "answered", http_status: 303 }],
  [
    "has a broken certificate, or no name",
    () => Promise.reject(new Error(INTERNAL)),
    { outcome: "unreachable", http_status: null, response: expect.stringContaining("internal error") },
  ],
  [
    "is refused",
    () => Promise.reject(new Error("Network connection lost.")),
    { outcome: "unreachable", http_status: null },
  ],
  [
    "breaks off in its answer",
    () => new Response(breaksOff()),
    { outcome: "answered", http_status: 200, response: null },
  ],
  [
    "never ends its answer",
    (signal) => new Response(stuck(signal, [bytes("than")])),
    { outcome: "timed-out", http_status: 200 },
  ],
  [
    "sends empty pieces",
    (signal) => new Response(stuck(signal, new Array(50).fill(new Uint8Array()))),
    { outcome: "timed-out", http_status: 200 },
  ],
  [
    "never answers",
    (signal) =>
      new Promise((_, reject) => {
        signal.addEventListener("abort", () => reject(signal.reason));
        tenSeconds();
      }),
    { outcome: "timed-out", http_status: null, response: "no whole answer in 10 s" },
  ],
];

function breaksOff(): ReadableStream<Uint8Array> {
  const chunks = [bytes("tha")];
  return new ReadableStream({
    pull(controller) {
      const chunk = chunks.shift();
      if (chunk) controller.enqueue(chunk);
      else controller.error(new Error("Network connection lost."));
    },
  });
}
