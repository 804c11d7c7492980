/** What a client's endpoint may do that test/flows/callbacks/post-callbacks.test.ts does not show, alone and many at once. */
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { begin, ENDPOINTS, end, scene, stage } from "./endpoints-stage.ts";

beforeEach(begin);

afterEach(end);

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
