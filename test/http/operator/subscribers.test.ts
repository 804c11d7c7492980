import { beforeEach, describe, expect, it } from "vitest";
import { World } from "../../world.ts";

let world: World;

beforeEach(async () => {
  world = await World.create();
});

const json = async (answer: Response | Promise<Response>) => {
  const response = await answer;
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
};

describe("an import of subscribers", () => {
  const subscription = async (phone: number) =>
    (await world.rows("SELECT subscribed, email FROM subscriptions WHERE phone = ?1", phone))[0];

  beforeEach(async () => {
    await world.website();
  });

  it("says what it imported and what it could not read", async () => {
    const answer = await json(
      world.subscribers("brand", [
        "+12125550100,Ada@Example.com,",
        "nope,,",
        "+12125550101,,FALSE",
        "+12125550100,,no",
      ]),
    );
    expect(answer).toEqual({ status: 200, body: { imported: 2, invalidPhoneNumbers: ["nope"] } });
    expect(await subscription(12125550100)).toEqual({ subscribed: 0, email: null });
    expect(await subscription(12125550101)).toEqual({ subscribed: 0, email: null });
  });

  it("keeps an address that a later file does not name, and imports a number without a broken one", async () => {
    await world.subscribers("brand", ["+12125550100,ada@example.com"]);
    const answer = await json(world.subscribers("brand", ["+12125550100,,false", "+12125550101,not an address"]));
    expect(answer.body).toEqual({ imported: 2, invalidPhoneNumbers: [], invalidEmails: ["not an address"] });
    expect(await subscription(12125550100)).toEqual({ subscribed: 0, email: "ada@example.com" });
  });

  it("records every change once, with the request that made it", async () => {
    await world.subscribers("brand", ["+12125550100"]);
    await world.subscribers("brand", ["+12125550100"]);
    await world.subscribers("brand", ["+12125550100,,false"]);
    const changes = await world.rows("SELECT was_subscribed, subscribed, source, proof FROM subscription_changes");
    expect(changes).toMatchObject([
      { was_subscribed: null, subscribed: 1, source: "import" },
      { was_subscribed: 1, subscribed: 0, source: "import" },
    ]);
    expect(changes[0]?.proof).toMatch(/^[0-9a-f-]{36}$/);
  });

  it("stores nothing of a file that has a wrong row", async () => {
    const answer = await json(world.subscribers("brand", ["+12125550100,,true", "+12125550101,,maybe"]));
    expect(answer.body).toMatchObject({
      code: 40001,
      details: [{ message: "must be true or false; row 2 has neither" }],
    });
    expect(await world.rows("SELECT * FROM subscriptions")).toEqual([]);
  });

  it("takes 50,000 rows", async () => {
    const lines = Array.from({ length: 50_000 }, (_, index) => `+1212${5_000_000 + index},p${index}@example.com,`);
    expect((await json(world.subscribers("brand", lines))).body).toEqual({ imported: 50_000, invalidPhoneNumbers: [] });
    expect(await world.rows("SELECT count(*) AS n FROM subscriptions")).toEqual([{ n: 50_000 }]);
  });

  it("wants text/csv with a column phone_numbers", async () => {
    expect((await json(world.operator("POST", "/websites/brand/subscribers", {}))).body.code).toBe(41500);
    const answer = await json(world.operator("POST", "/websites/brand/subscribers", "phone\n+1", "text/csv"));
    expect(answer.body).toMatchObject({ code: 40001, details: [{ field: "body" }] });
  });
});
