import { beforeEach, describe, expect, it } from "vitest";
import { newToken, OF_THE_CONSOLE, signIn } from "../console.ts";
import { ask, begin, entries, guess, LOOK_UPS, operator, personId, phone, viewer, world } from "./look-ups-stage.ts";

beforeEach(begin);

describe("a viewer", () => {
  it("is refused the sixty-first person within a minute, in every way, and told when to come back", async () => {
    for (let index = 0; index < 60; index++) {
      expect((await guess(index)).status).toBe(404);
      if (index === 29) world.advance(20);
    }
    const browser = { ...(await signIn(world, "vera", "viewer")), ...OF_THE_CONSOLE };
    for (const [call, body] of LOOK_UPS)
      for (const headers of [viewer, browser]) {
        const refused = await ask(headers, call.replace("{personId}", personId), body);
        expect([refused.status, ((await refused.json()) as { code: number }).code]).toEqual([429, 42904]);
        expect(refused.headers.get("retry-after")).toBe("40");
      }
    expect((await entries()).filter(({ action }) => action === "look-up")).toHaveLength(60);
    world.advance(39);
    expect((await guess(61)).status).toBe(429);
    world.advance(1);
    for (let index = 0; index < 30; index++) expect((await guess(index)).status).toBe(404);
    expect((await guess(62)).status).toBe(429);
  });

  it("takes nothing from another viewer, and no operator is limited", async () => {
    await Promise.all(Array.from({ length: 60 }, (_, index) => guess(index)));
    const other = { authorization: `Bearer ${await newToken(world, "vito", "viewer")}` };
    expect((await ask(other, `GET /operator/people/${phone}`)).status).toBe(200);
    for (let index = 0; index < 70; index++) {
      const answer = await ask(operator, "POST /operator/people/find", { phone: `+1206555${1000 + index}` });
      expect(answer.status).toBe(404);
    }
  });
});
