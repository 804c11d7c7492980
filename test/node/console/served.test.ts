import { readdirSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Service, startService } from "../harness/service.ts";
import { headersOfConsole } from "./fixture-service.ts";

describe("the console of a service", () => {
  let service: Service;

  beforeAll(async () => {
    service = await startService({});
  });

  afterAll(() => service?.stop());

  it("has each of its files served without the Worker, under its policy", async () => {
    const files = readdirSync("public/console").map((name) => `/console/${name}`);
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
