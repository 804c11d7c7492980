import { beforeEach, expect, it } from "vitest";
import { World } from "../world.ts";

const NOBODY = "+12125550114";
const GONE = "+12125550014";

let world: World;

/** Texts to a number of the sandbox that is not in use. */
async function makeUnreachable(websiteId: string): Promise<void> {
  const client = await world.brand([GONE], websiteId);
  for (let text = 0; text < 3; text++) await world.send(client, { phone: GONE });
  await world.runQueues();
}

const call = async (method: string, path: string) => {
  const answer = await world.operator(method, path);
  return { status: answer.status, body: await answer.json<Record<string, unknown>>() };
};
const faultsOf = async (websiteId: string) => (await call("GET", `/websites/${websiteId}/people/${GONE}`)).body.faults;

beforeEach(async () => {
  world = await World.create();
});

it("lets texts go to a number again, in each website, with its name in the audit log", async () => {
  await makeUnreachable("brand");
  await makeUnreachable("shop");
  const unreachableSince = new Date(world.now).toISOString();
  expect(await faultsOf("brand")).toEqual({ texts: 3, code: "sandbox", unreachableSince });
  const websites = [{ websiteId: "brand" }, { websiteId: "shop" }];
  const done = { status: 200, body: { phone: GONE, websites } };
  expect(await call("POST", `/people/${GONE}/reachable`)).toEqual(done);
  expect([await faultsOf("brand"), await faultsOf("shop")]).toEqual([null, null]);
  expect(await call("POST", `/people/${GONE}/reachable`)).toEqual({ status: 200, body: { phone: GONE, websites: [] } });
  const entries = await world.rows("SELECT subject, outcome FROM audit_log WHERE action = 'reachable'");
  expect(entries).toEqual([{ subject: "…14", outcome: "done" }]);
});

it("shows faults of a number to which texts still go", async () => {
  const client = await world.brand([GONE]);
  await world.send(client, { phone: GONE });
  await world.runQueues();
  expect(await faultsOf("brand")).toEqual({ texts: 1, code: "sandbox", unreachableSince: null });
});

it.each([
  [NOBODY, 200],
  ["12125550100", 400],
])("of %s: %d", async (phone, status) => {
  await world.brand();
  expect((await call("POST", `/people/${encodeURIComponent(phone)}/reachable`)).status).toBe(status);
});
