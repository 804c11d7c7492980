import { readFileSync } from "node:fs";
import { gzipSync } from "node:zlib";
import { beforeAll, describe, expect, it } from "vitest";
import { buildConsole } from "./build.ts";
import { headersOfConsole } from "./fixture-service.ts";

const MOST_BYTES = 70 * 1024;
const FILES = ["console.html", "console/app.js", "console/app.css", "console/icon.svg"];

beforeAll(buildConsole);

describe("the files", () => {
  it("weigh little", () => {
    const bytes = FILES.map((name) => gzipSync(readFileSync(`public/${name}`), { level: 9 }).length);
    expect(bytes.reduce((sum, of) => sum + of, 0)).toBeLessThanOrEqual(MOST_BYTES);
  });

  it("have no code and no style of their own in the page, under a policy that would run none", () => {
    expect(readFileSync("public/console.html", "utf8")).not.toMatch(/<style|style=|<script(?![^>]* src=)|\son\w+=/);
    const policy = headersOfConsole()["Content-Security-Policy"];
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("require-trusted-types-for 'script'; trusted-types 'none'");
    expect(policy).not.toMatch(/unsafe|https?:|data:|\*/);
  });
});
