/** A carrier that fails for an hour, and for hours. */
import { beforeEach, expect, it } from "vitest";
import { ACCEPTED, ToldCarrier } from "../../told-carrier.ts";
import { type TestClient, World } from "../../world.ts";

const PHONES = Array.from({ length: 60 }, (_, index) => `+121255501${String(index).padStart(2, "0")}`);

let world: World;
let client: TestClient;
let carrier: ToldCarrier;

beforeEach(async () => {
  world = await World.create();
  client = await world.brand(PHONES);
  carrier = new ToldCarrier(world);
});

const sendAll = () => Promise.all(PHONES.map((phone) => world.send(client, { phone })));
const statuses = async () => (await world.rows("SELECT DISTINCT status FROM messages")).map(({ status }) => status);

it("a carrier that keeps failing is tried less and less often, and its messages show why they wait", async () => {
  carrier.answer = () => ({ kind: "later", reason: "connection refused", failing: "carrier" });
  const [messageId] = await sendAll();
  const tries: number[] = [];
  for (let minute = 0; minute < 60; minute++) {
    carrier.submitted.length = 0;
    await world.runQueues();
    await world.sweep();
    tries.push(carrier.submitted.length);
    world.advance(60);
  }
  const sum = (from: number, to: number) => tries.slice(from, to).reduce((all, own) => all + own, 0);
  expect(sum(0, 10)).toBeLessThan(60);
  expect(sum(50, 60)).toBeLessThan(15);
  const [row] = await world.rows("SELECT reason FROM messages WHERE message_id = ?1", messageId);
  expect(row?.reason).toMatch(/connection refused|sandbox keeps failing: its circuit breaker is open/);
});

it("a carrier that does not take our credentials loses no waiting message: each is sent once when they are fixed, hours later", async () => {
  const problems = async () =>
    ((await (await world.operator("GET", "/health")).json()) as { problems: string[] }).problems;
  carrier.answer = () => ({ kind: "later", reason: "HTTP 401", failing: "carrier", unauthorized: true });
  const ids = await sendAll();
  await world.runQueues();
  expect(carrier.submitted.length).toBeLessThanOrEqual(3 + 4);
  expect(await problems()).toContain("carrier-credentials");
  await world.pass(230);
  expect(await statuses()).toEqual(["PENDING_TO_SEND"]);
  expect(await problems()).toContain("carrier-credentials");
  carrier.answer = () => ACCEPTED;
  carrier.submitted.length = 0;
  await world.pass(10);
  expect(carrier.submitted.toSorted()).toEqual(ids.toSorted());
  expect(await statuses()).toEqual(["SENDING"]);
  expect(await problems()).not.toContain("carrier-credentials");
});
