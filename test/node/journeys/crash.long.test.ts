import { dirname } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { readConfig } from "../../../scripts/worker-config.ts";
import type { Bundle } from "../harness/killable-service.ts";
import { deployed } from "../harness/run-folder.ts";
import { personAt } from "../trials/crash/client.ts";
import { crash } from "../trials/crash/crash.ts";

describe("kill -9 of the whole service under load", () => {
  let bundle: Bundle;

  beforeAll(async () => {
    const script = await deployed();
    bundle = { script, config: readConfig(dirname(script)), remove: () => {} };
  });

  test("loses nothing, sends nothing twice, and the record says what was seen from outside", async () => {
    const { figures, faults, restarts } = await crash({ bundle, seed: 7, messages: 300, kills: 2, keep: false });
    expect(faults).toEqual([]);
    expect(restarts).toHaveLength(2);
    const { accepted = 0, unanswered = 0, submitted = 0 } = figures;
    expect(accepted + unanswered).toBe(300);
    expect(figures).toMatchObject({ lost: 0, "submitted twice": 0, "submitted unasked": 0, "called back twice": 0 });
    const asked = Array.from({ length: 300 }, (_, message) => message).filter((it) => personAt(it) === "subscribed");
    expect(submitted).toBeGreaterThan(asked.length / 2);
    expect(submitted).toBeLessThanOrEqual(asked.length);
    // A text whose job is lost waits for a minute and a half, and once more if the second kill loses that job.
  }, 360_000);
});
