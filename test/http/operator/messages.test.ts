import { beforeEach, describe, expect, it } from "vitest";
import { World } from "../../world.ts";

const ADA = "+12125550100";

let world: World;

beforeEach(async () => {
  world = await World.create();
});

const json = async (answer: Response | Promise<Response>) => {
  const response = await answer;
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
};

describe("a message, as the operator sees it", () => {
  it("has its events in order", async () => {
    const client = await world.brand([ADA]);
    const messageId = await world.send(client, { phone: ADA, callbackData: "" });
    await world.runQueues();
    const { body } = await json(world.operator("GET", `/messages/${messageId.toUpperCase()}`));
    expect(body).toMatchObject({
      messageId,
      websiteId: "brand",
      status: "DELIVERED",
      phone: ADA,
      acceptedAt: "2026-11-21T12:00:00.000Z",
      events: [{ status: "SENDING" }, { status: "DELIVERED" }],
      callbacks: [],
    });
  });

  it("that is unknown is 40401", async () => {
    for (const id of [crypto.randomUUID(), "'%20OR%201=1"]) {
      expect(await json(world.operator("GET", `/messages/${id}`))).toMatchObject({
        status: 404,
        body: { code: 40401 },
      });
    }
  });
});
