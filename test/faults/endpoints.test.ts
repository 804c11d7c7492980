/** What a client's endpoint may do that test/flows/callbacks/post-callbacks.test.ts does not show, alone and many at once. */

import { afterEach, beforeEach, describe, expect, inject, it, vi } from "vitest";
import { Random } from "../random.ts";
import { type Scene, Stage } from "./stage.ts";
import { printSummary } from "./summary.ts";

let stage: Stage;
let scene: Scene;

beforeEach(async () => {
  stage = await Stage.create(0);
  scene = stage.scene("endpoints");
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
});

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

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

/** How many events each endpoint gets, in a storm: more in a trial. */
const EVENTS = inject("faultSeeds") > 1 ? 12 : 4;

type Endpoint = (signal: AbortSignal) => Response | Promise<Response>;

/** What it does, and what is kept of it. */
const ENDPOINTS: [what: string, endpoint: Endpoint, kept: Record<string, unknown>][] = [
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

describe("an endpoint that", () => {
  it.each(ENDPOINTS)("%s is posted to once, and what it did is kept", async (_, endpoint, kept) => {
    stage.outside.endpoint = (_url, signal) => endpoint(signal);
    await scene.sendAll([scene.wish(stage.stranger(), "NOT_FOUND")]);
    await stage.runQueues();
    await stage.passMinutes(3);
    const rows = await stage.world.rows(`SELECT outcome, http_status, response FROM events`);
    expect(rows).toMatchObject([kept]);
    expect(String(rows[0]?.response).length).toBeLessThanOrEqual(1024);
    expect(stage.outside.posts).toHaveLength(1);
  });
});

describe("many endpoints, each bad in its own way", () => {
  it("have each event posted once, and leave the good ones theirs within the minute", async () => {
    for (let seed = 1; seed <= inject("faultSeeds"); seed++) await storm(seed);
  });

  /** Each endpoint has a website's client of its own; jobs come twice and in any order, and what a run puts back comes again. */
  async function storm(seed: number): Promise<void> {
    const random = new Random(seed);
    const { world, queues, outside } = stage;
    const behaviours = new Map<string, Endpoint>();
    outside.endpoint = (url, signal) => (behaviours.get(new URL(url).host) as Endpoint)(signal);
    const before = outside.posts.length;
    let wanted = 0;
    for (const [index, [, endpoint]] of ENDPOINTS.entries()) {
      const host = `e${index}-${seed}.example.com`;
      behaviours.set(host, endpoint);
      const client = await world.client("brand", { callbackUrl: `https://${host}/callbacks` });
      const messages = Array.from({ length: EVENTS }, () => scene.request(scene.wish(stage.stranger(), "NOT_FOUND")));
      await world.post("/text/bulk/message/send", client, { messages });
      wanted += messages.length;
    }
    const jobs = random.shuffle(queues.takeDue("callbacks"));
    const twice = random.shuffle([...jobs, ...jobs.slice(0, 40)]);
    for (let start = 0; start < twice.length; start += 100) {
      await queues.deliver(world.deps, "callbacks", twice.slice(start, start + 100));
      await world.afterAnswer();
    }
    await stage.pass(61);
    for (const [index, [what, , { outcome }]] of ENDPOINTS.entries()) {
      const posts = outside.posts.filter(({ url }) => url.includes(`e${index}-${seed}.`)).length;
      if (outcome !== "timed-out") expect([what, posts]).toEqual([what, EVENTS]);
    }
    // A host that does not answer gets one post, and after ten seconds and a minute the next.
    await stage.passMinutes(2 * EVENTS);
    const posted = outside.posts.slice(before).map(({ eventId }) => eventId);
    expect(posted.length).toBe(new Set(posted).size);
    expect(posted.length).toBe(wanted);
    const outcomes = await world.rows(`SELECT outcome, count(*) AS n FROM events GROUP BY outcome ORDER BY outcome`);
    printSummary(`seed ${seed}: ${wanted} events, ${posted.length} posts, ${JSON.stringify(outcomes)}`);
    expect(outcomes.some(({ outcome }) => outcome === null)).toBe(false);
  }
});

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
