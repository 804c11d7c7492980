/** What goes on where a website has moved and moves back, and the sweeps beside it. */
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { beginMove } from "../../moves.ts";
import { platform } from "../../strict/platform.ts";
import { SEND } from "../../world.ts";
import {
  ADA,
  begin,
  brand,
  deliverText,
  feedAfter,
  finish,
  idsOf,
  near,
  pauseIn,
  runQueues,
  statusIn,
  world,
} from "./paused-world.ts";

beforeEach(begin);

afterEach(() => {
  vi.restoreAllMocks();
});

describe("a cursor of the feed", () => {
  it("goes on without a missed or repeated event, there and back", async () => {
    const start = await feedAfter("");
    const first = await deliverText();
    const middle = await feedAfter("");
    expect(idsOf(middle)).toEqual(first);
    const second = await deliverText();
    let all = [...first, ...second];
    for (const target of ["DB_2", "DB"]) {
      await beginMove(world, "brand", target);
      await finish();
      expect(idsOf(await feedAfter(""))).toEqual(all);
      expect(idsOf(await feedAfter(start.next))).toEqual(all);
      expect(idsOf(await feedAfter(middle.next))).toEqual(all.slice(first.length));
      all = [...all, ...(await deliverText())];
      expect(idsOf(await feedAfter(middle.next))).toEqual(all.slice(first.length));
    }
  });
});

it("while a move waits, the sweeps of both databases work for the others, and leave the website alone", async () => {
  const own = await world.send(brand, { phone: ADA });
  const other = await world.send(near, { phone: ADA });
  await pauseIn();
  world.jobs.length = 0;
  for (let minute = 0; minute < 4; minute++) {
    world.advance(60);
    platform.keyWrites.clear();
    await world.sweep();
    await world.runQueues();
  }
  expect(world.logs.filter((line) => line.includes("sweep.failed"))).toEqual([]);
  expect(await world.statusOf(other)).toBe("DELIVERED");
  expect(await statusIn("DB", own)).toEqual({ status: "PENDING_TO_SEND", attempts: 0 });
  await finish();
  world.advance(120);
  await world.sweep();
  await runQueues();
  expect(await statusIn("DB_2", own)).toEqual({ status: "DELIVERED", attempts: 1 });
});

it("what a website has accepted counts towards its daily limit wherever it is", async () => {
  await world.website("brand", { dailyLimit: 2 });
  const send = () => world.post("/text/message/send", brand, { ...SEND, phone: ADA });
  expect([(await send()).status, (await send()).status]).toEqual([200, 200]);
  for (const target of ["DB_2", "DB"]) {
    await beginMove(world, "brand", target);
    await finish();
    const answer = await send();
    expect([answer.status, await answer.json()]).toMatchObject([429, { code: 42901 }]);
  }
  world.advance(86_460);
  expect((await send()).status).toBe(200);
});
