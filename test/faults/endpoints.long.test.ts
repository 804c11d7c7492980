import { afterEach, beforeEach, describe, expect, inject, it } from "vitest";
import { Random } from "../random.ts";
import { begin, ENDPOINTS, type Endpoint, end, scene, stage } from "./endpoints-stage.ts";
import { printSummary } from "./summary.ts";

beforeEach(begin);

afterEach(end);

/** How many events each endpoint gets, in a storm: more in a trial. */
const EVENTS = inject("faultSeeds") > 1 ? 12 : 4;

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
