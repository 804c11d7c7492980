/** Prometheus' own parser reads what GET /operator/metrics answers. Without Debian's `prometheus`, this is skipped. */
import { spawnSync } from "node:child_process";
import { expect, test } from "vitest";
import { TOKEN } from "../harness/service.ts";
import { sharedService } from "../harness/shared-service.ts";

const hasPromtool = spawnSync("promtool", ["--version"]).status === 0;

test.skipIf(!hasPromtool)("promtool finds no fault in the metrics", async () => {
  const { url } = await sharedService();
  const answer = await fetch(`${url}/operator/metrics`, { headers: { authorization: `Bearer ${TOKEN}` } });
  const { status, stdout, stderr } = spawnSync("promtool", ["check", "metrics"], { input: await answer.text() });
  expect([status, String(stdout), String(stderr)]).toEqual([0, "", ""]);
});

test.skipIf(!hasPromtool)("promtool finds no fault in the rules of the examples", () => {
  const { status, stdout, stderr } = spawnSync("promtool", ["check", "rules", "examples/prometheus-rules.yml"]);
  expect([status, String(stdout), String(stderr)]).toEqual([0, expect.stringContaining("2 rules found"), ""]);
});
