import { readdirSync } from "node:fs";
import { beforeAll, describe, expect, it } from "vitest";
import { type SharedService, sharedService } from "../harness/shared-service.ts";
import { askedPaths, declaredCalls, isDeclared, pathsIn } from "./asked-paths.ts";
import { headersOfConsole } from "./fixture-service.ts";

const filesOfConsole = () => readdirSync("public/console").map((name) => `/console/${name}`);

describe("the console of a service", () => {
  let service: SharedService;

  beforeAll(async () => {
    service = await sharedService();
  });

  it("has each of its files served without the Worker, under its policy", async () => {
    const files = filesOfConsole();
    expect(files.sort()).toEqual(["/console/app.css", "/console/app.js", "/console/icon.svg"]);
    const policy = headersOfConsole()["Content-Security-Policy"];
    for (const path of ["/console", ...files]) {
      const { status, headers } = await fetch(`${service.url}${path}`);
      const ofWorker = headers.get("x-request-id");
      expect([path, status, ofWorker, headers.get("content-security-policy")]).toEqual([path, 200, null, policy]);
    }
    for (const path of ["/console/", "/console.html"]) {
      const answer = await fetch(`${service.url}${path}`, { redirect: "manual" });
      expect([path, answer.status, answer.headers.get("location")]).toEqual([path, 307, "/console"]);
    }
  });

  it("leaves every other path to the Worker", async () => {
    for (const path of ["/console/session", "/console/nothing", "/consolex", "/console%2Fapp.js"]) {
      const answer = await fetch(`${service.url}${path}`, { redirect: "manual" });
      expect([path, answer.headers.get("x-request-id")]).toEqual([path, expect.stringMatching(/^[0-9a-f-]{36}$/)]);
    }
  });
});

describe("the calls that the console's pages ask for", () => {
  it("are declared, each, or files beside them", () => {
    const asked = askedPaths();
    // The pages ask for some forty: a search that finds hardly any has missed them.
    expect(asked.length).toBeGreaterThan(40);
    const calls = declaredCalls();
    const files = filesOfConsole();
    expect(asked.filter((it) => !isDeclared(it, calls) && !files.includes(it.path)).map(({ at }) => at)).toEqual([]);
  });

  it.each([
    ["a path that is misspelled", 'ask("/operator/!")', "inbund", "inbound"],
    ["a method that the call does not have", 'ask("/operator/inbound", { method: "!" })', "DELETE", "GET"],
    ["a path with an id", "ask(`/operator/websites/\u0024{id}/!`)", "subscriber", "subscribers"],
    ["a path whose beginning a function makes", "ask(`\u0024{websitePath(id)}/!`)", "subscriber", "subscribers"],
    [
      "a path whose beginning has a name",
      "const path = personPath(id);\ndownload(`\u0024{path}/!`)",
      "exports",
      "export",
    ],
    ["a path that is too long", "ask(`/operator/messages/\u0024{id}/!`)", "cancel/all", "cancel"],
  ])("would be found with a slip: %s", (_, source, wrong, right) => {
    const calls = declaredCalls();
    const found = [wrong, right].map((word) => pathsIn("page.tsx", source.replace("!", word)));
    expect(found.map((asked) => asked.map((it) => isDeclared(it, calls)))).toEqual([[false], [true]]);
  });
});
