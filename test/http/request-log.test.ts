import { beforeEach, describe, expect, it } from "vitest";
import { SEND, type TestClient, World } from "../world.ts";

const ADA = "+12125550100";

let world: World;
let client: TestClient;

beforeEach(async () => {
  world = await World.create();
  client = await world.brand([ADA]);
  world.logs.length = 0;
  world.logEachRequest();
});

describe("an X-Client-ID", () => {
  const send = (clientId: string) => world.post("/text/message/send", { ...client, clientId }, { ...SEND, phone: ADA });

  it("that has the form of one is in the line of its request, known or not", async () => {
    for (const clientId of [client.clientId, "0".repeat(32)]) {
      await send(clientId);
      expect(world.logs.join()).toContain(`"clientId":"${clientId}"`);
    }
  });

  it.each([
    ["the secret, by somebody who has swapped the two", () => client.clientSecret],
    ["the callback secret", () => client.callbackSecret],
    ["a phone number", () => ADA],
    ["a phone number without its plus sign", () => ADA.slice(1)],
    ["an address", () => "ada@example.com"],
    ["an id with more behind it", () => `${client.clientId}${client.clientSecret}`],
  ])("that is %s is in no line", async (_, given) => {
    const clientId = given();
    expect((await send(clientId)).status).toBe(401);
    expect(world.logs).toHaveLength(1);
    expect(world.logs.join()).not.toContain(clientId);
  });
});
