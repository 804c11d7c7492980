/** Prometheus' own parser reads what GET /operator/metrics answers. Without Debian's `prometheus`, this is skipped. */
import { spawnSync } from "node:child_process";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Service, startService, TOKEN } from "../harness/service.ts";

const hasPromtool = spawnSync("promtool", ["--version"]).status === 0;

let service: Service;

beforeAll(async () => {
  if (hasPromtool) service = await startService();
});

afterAll(() => service?.stop());

test.skipIf(!hasPromtool)("promtool finds no fault in the metrics", async () => {
  const answer = await fetch(`${service.url}/operator/metrics`, { headers: { authorization: `Bearer ${TOKEN}` } });
  const { status, stdout, stderr } = spawnSync("promtool", ["check", "metrics"], { input: await answer.text() });
  expect([status, String(stdout), String(stderr)]).toEqual([0, "", ""]);
});
