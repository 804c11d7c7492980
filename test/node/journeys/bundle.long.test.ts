import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterAll, describe, expect, test, vi } from "vitest";
import { bundle } from "../../../scripts/bundle.ts";
import { deployed } from "../harness/run-folder.ts";
import { makeFolder } from "../harness/service.ts";

const folder = makeFolder();

afterAll(() => folder.remove());

/** The platform takes 3 MB on its free plan. */
test("the bundle that a deploy uploads takes at most 400 KiB, gzipped", async () => {
  expect(gzipSync(readFileSync(await deployed())).length / 1024).toBeLessThanOrEqual(400);
});

describe("a Worker that does not build", () => {
  test("is told in wrangler's own words, without its word of telemetry to a developer who used it before", async () => {
    const settings = join(folder.folder, "home", ".config", ".wrangler");
    mkdirSync(settings, { recursive: true });
    const permission = { enabled: true, date: "2026-01-01T00:00:00.000Z" };
    writeFileSync(join(settings, "metrics.json"), JSON.stringify({ permission, deviceId: "of-nobody" }));
    vi.stubEnv("HOME", join(folder.folder, "home"));
    vi.stubEnv("XDG_CONFIG_HOME", "");
    const message = await bundle(folder.folder, "no-such-worker.ts").catch(({ message }: Error) => message);
    vi.unstubAllEnvs();
    expect(message).toContain("no-such-worker.ts");
    expect(message).not.toMatch(/telemetry/i);
  });
});
