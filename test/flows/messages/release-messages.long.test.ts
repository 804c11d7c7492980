import { beforeEach, describe, expect, it } from "vitest";
import { losingAll, losingAnswer } from "../../late-tries.ts";
import { begin, idsOf, own, release } from "./release-messages-stage.ts";

beforeEach(begin);

describe("a release that is cut off", () => {
  it("leaves a hold alone that is made between its tries", async () => {
    await own.campaign();
    const { holdId } = await own.hold();
    const endLoss = losingAll(own.world, "SET due_at = max(");
    await release({});
    endLoss();
    let again = { holdId };
    const between = async () => {
      again = await own.hold();
    };
    await losingAnswer(own.world, () => release({ holdId }), between, "NOT IN (SELECT value");
    expect(again.holdId).not.toBe(holdId);
    await own.world.pass(5);
    expect(own.submitted).toEqual([]);
    expect(idsOf((await own.read<{ holds: { holdId: string }[] }>("/holds")).holds)).toEqual([again.holdId]);
  });
});
