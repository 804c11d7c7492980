/** A try of a change whose answer was lost may run after the next one, and after whatever the client has said since: that holds. */
import { beforeEach, expect, it } from "vitest";
import { losingFirst } from "../../late-tries.ts";
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
  const runLate = await losingFirst(world, async () => expect((await call()).status).toBe(200));
  expect((await next()).status).toBe(200);
  expect(await state()).toEqual([{ subscribed, email }]);
  const growth = () => world.rows("SELECT sum(joined) AS joined, sum(parted) AS parted FROM traffic_counts");
  const told = () => world.rows("SELECT event, body FROM events");
  const changes = () => world.rows("SELECT * FROM subscription_changes");
  const before = [await growth(), await changes(), await told()];
  expect((await told()).length).toBeGreaterThan(0);
  await runLate();
  expect(await state()).toEqual([{ subscribed, email }]);
  expect([await growth(), await changes(), await told()]).toEqual(before);
});

it("an opt-out since an import that resubscribes holds, while the import runs and when it runs late", async () => {
  await subscribe();
  await unsubscribe();
  world.now += 1000;
  const load = async () => expect((await world.subscribers("brand", [ADA], "?resubscribe=true")).status).toBe(200);
  const runLate = await losingFirst(world, load);
  expect(await state()).toEqual([{ subscribed: 1, email: null }]);
  world.now += 1000;
  expect((await unsubscribe()).status).toBe(200);
  await runLate();
  expect(await state()).toEqual([{ subscribed: 0, email: null }]);
});

it.each<[string, string, () => Promise<Response>, number, string | null]>([
  ["a subscription", `${ADA},,false`, () => subscribe(), 1, "old@example.com"],
  ["an address", `${ADA},import@example.com,true`, () => subscribe("new@example.com"), 1, "new@example.com"],
])("%s since an import holds", async (_, line, next, subscribed, email) => {
  await subscribe("old@example.com");
  world.now += 1000;
  const load = async () => expect((await world.subscribers("brand", [line])).status).toBe(200);
  const runLate = await losingFirst(world, load, "INSERT INTO subscription_changes");
  world.now += 1000;
  expect((await next()).status).toBe(200);
  const tables = async () => [
    await state(),
    await world.rows("SELECT * FROM subscription_changes"),
    await world.rows("SELECT sum(joined) AS joined, sum(parted) AS parted FROM traffic_counts"),
  ];
  const then = await tables();
  expect(then[0]).toEqual([{ subscribed, email }]);
  await runLate();
  expect(await tables()).toEqual(then);
});

it("the rows of a request of an import count once, when others are counted since", async () => {
  const load = (query: string, text?: string) =>
    losingFirst(world, async () => expect((await world.subscribers("brand", [ADA], query)).status).toBe(200), text);
  const runLate = await load("?part=1", "counted_request =");
  const [row] = await world.rows("SELECT import_id FROM imports");
  await world.subscribers("brand", ["+12125550101"], `?part=2&importId=${row?.import_id}`);
  const counts = () => world.rows("SELECT file_rows, new_subscribed, counted_request FROM imports");
  const then = await counts();
  expect(then).toMatchObject([{ file_rows: 2, new_subscribed: 2 }]);
  await runLate();
  expect(await counts()).toEqual(then);
});
