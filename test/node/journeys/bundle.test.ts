import { readFileSync } from "node:fs";
import { gzipSync } from "node:zlib";
import { beforeAll, expect, test } from "vitest";
import type { Version } from "../../../scripts/runtime.ts";
import { prepared } from "../harness/run-folder.ts";

let version: Version;

beforeAll(async () => {
  version = JSON.parse(readFileSync((await prepared()).version, "utf8"));
});

/** It has all that a deploy uploads, and little more. */
test("the bundle of npm start takes at most 400 KiB, gzipped", () => {
  expect(gzipSync(readFileSync(version.script)).length / 1024).toBeLessThanOrEqual(400);
});
