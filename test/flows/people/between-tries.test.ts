/** A change takes effect, and its answer is lost. Whatever the client says before its next try holds. */
import { beforeEach, expect, it } from "vitest";
import { losingAnswer } from "../../late-tries.ts";
import { type TestClient, World } from "../../world.ts";

const ADA = "+12125550100";

let world: World;
let client: TestClient;

beforeEach(async () => {
  world = await World.create();
  client = await world.brand();
  const listener = await world.client("brand");
  await world.operator("PATCH", `/clients/${listener.clientId}`, { events: ["subscription.changed"] });
});

const subscribe = (email = "") =>
  world.post("/text/subscribe", client, {
    csv_file: btoa(`phone_numbers,email\n${ADA},${email}\n`),
    sendPurpose: "newsletter",
  });
const unsubscribe = () => world.post("/text/unsubscribe", client, { phone_numbers: [ADA] });
const state = () => world.rows("SELECT subscribed, email FROM subscriptions");

it.each<[string, () => Promise<Response>, () => Promise<Response>, number, string | null]>([
  ["an opt-out since holds", subscribe, unsubscribe, 0, null],
  ["a subscription since holds", unsubscribe, subscribe, 1, null],
  [
    "an address since holds",
    () => subscribe("old@example.com"),
    () => subscribe("new@example.com"),
    1,
    "new@example.com",
  ],
])("%s", async (_, call, next, subscribed, email) => {
  const stored = async () => [
    await world.rows("SELECT * FROM subscription_changes"),
    await world.rows("SELECT event, body FROM events"),
  ];
  let then: unknown;
  const between = async () => {
    expect((await next()).status).toBe(200);
    then = await stored();
  };
  expect((await losingAnswer(world, call, between, "INTO subscription_changes")).status).toBe(200);
  expect(await state()).toEqual([{ subscribed, email }]);
  expect(await stored()).toEqual(then);
});

it("an opt-out since an import that resubscribes holds", async () => {
  await subscribe();
  await unsubscribe();
  world.now += 1000;
  const load = () => world.subscribers("brand", [ADA], "?resubscribe=true");
  const between = async () => {
    expect(await state()).toEqual([{ subscribed: 1, email: null }]);
    world.now += 1000;
    expect((await unsubscribe()).status).toBe(200);
  };
  expect((await losingAnswer(world, load, between, "INTO subscription_changes")).status).toBe(200);
  expect(await state()).toEqual([{ subscribed: 0, email: null }]);
});

it.each<[string, string, () => Promise<Response>, number, string | null]>([
  ["a subscription", `${ADA},,false`, () => subscribe(), 1, "old@example.com"],
  ["an address", `${ADA},import@example.com,true`, () => subscribe("new@example.com"), 1, "new@example.com"],
])("%s since an import holds", async (_, line, next, subscribed, email) => {
  await subscribe("old@example.com");
  world.now += 1000;
  const tables = async () => [await state(), await world.rows("SELECT * FROM subscription_changes")];
  let then: unknown[] = [];
  const between = async () => {
    world.now += 1000;
    expect((await next()).status).toBe(200);
    then = await tables();
  };
  const load = () => world.subscribers("brand", [line]);
  expect((await losingAnswer(world, load, between, "INTO subscription_changes")).status).toBe(200);
  expect(then[0]).toEqual([{ subscribed, email }]);
  expect(await tables()).toEqual(then);
});

it("the rows of a request of an import count once", async () => {
  const load = () => world.subscribers("brand", [ADA]);
  expect((await losingAnswer(world, load, async () => {}, "counted_request =")).status).toBe(200);
  expect(await world.rows("SELECT file_rows, new_subscribed FROM imports")).toEqual([
    { file_rows: 1, new_subscribed: 1 },
  ]);
});
