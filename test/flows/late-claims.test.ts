/** A try of a claim whose answer was lost may run after the next one, and claim more: what nobody would submit or post is released. */
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { takeCallbacks } from "../callback-endpoint.ts";
import { losingFirst } from "../late-tries.ts";
import { ToldCarrier } from "../told-carrier.ts";
import { type TestClient, World } from "../world.ts";

const ADA = "+12125550100";
const UNKNOWN = "+12125550177";

let world: World;
let client: TestClient;

beforeEach(async () => {
  world = await World.create();
  client = await world.brand([ADA]);
  vi.spyOn(Math, "random").mockReturnValue(0);
});

afterEach(() => {
  vi.restoreAllMocks();
});

it("a message that was held for the one try, and not for the other, is submitted", async () => {
  const carrier = new ToldCarrier(world);
  const messageId = await world.send(client, { phone: ADA });
  const jobs = world.jobs.splice(0).map(({ body }) => body);
  await world.operator("POST", "/websites/brand/hold", {});
  const runLate = await losingFirst(world, () => world.deliver("textgate-messages", jobs));
  await world.operator("POST", "/websites/brand/release", {});
  await runLate();
  await world.pass(5);
  expect(carrier.submitted).toEqual([messageId]);
  expect(await world.rows("SELECT status, attempts, reason FROM messages")).toEqual([
    { status: "SENDING", attempts: 1, reason: null },
  ]);
});

it("a callback that another run had claimed for the one try, and gave back before the other, is posted", async () => {
  const posts = takeCallbacks();
  const eventId = `${await world.send(client, { phone: UNKNOWN })}_NOT_FOUND`;
  world.callbacks.length = 0;
  await world.rows("UPDATE events SET attempted_at = ?1, claim = 'another'", world.now);
  const runLate = await losingFirst(world, () => world.deliver("textgate-callbacks", [eventId]));
  await world.rows("UPDATE events SET attempted_at = NULL, claim = NULL");
  await runLate();
  await world.pass(5);
  expect(posts).toEqual([eventId]);
});

it("a callback that the run has given back, because its time was over, is posted", async () => {
  let isSlow = true;
  const posts = takeCallbacks(() => {
    if (isSlow) world.advance(16);
    return new Response("thanks");
  });
  const ids: string[] = [];
  for (let message = 0; message < 5; message++) ids.push(await world.send(client, { phone: UNKNOWN }));
  const eventIds = ids.map((id) => `${id}_NOT_FOUND`);
  world.callbacks.length = 0;
  const runLate = await losingFirst(world, () => world.deliver("textgate-callbacks", eventIds));
  isSlow = false;
  expect(posts.length).toBeLessThan(5);
  await runLate();
  await world.pass(5);
  expect(posts.toSorted()).toEqual(eventIds.toSorted());
});
