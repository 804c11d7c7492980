import { readdirSync } from "node:fs";
import { gzipSync } from "node:zlib";
import { Validator } from "@seriousme/openapi-schema-validator";
import { beforeAll, describe, expect, it } from "vitest";
import type { Document } from "../../../scripts/reference/document.ts";
import { PROBLEMS } from "../../../src/domain/operations/problems.ts";
import { docsOf, ERROR_CODES } from "../../../src/http/error-codes.ts";
import { headersOfConsole } from "../console/fixture-service.ts";
import { type SharedService, sharedService } from "../harness/shared-service.ts";
import { callsOfPage, idsIn, PAGES, readDocument } from "./docs-pages.ts";

let service: SharedService;
let document: Document;
let pages: string[];

beforeAll(async () => {
  service = await sharedService();
  document = await readDocument(service);
  pages = await Promise.all(PAGES.map(async (path) => (await fetch(`${service.url}${path}`)).text()));
});

describe("what is served", () => {
  it("has a document that is valid OpenAPI 3.1", async () => {
    const { valid, errors } = await new Validator().validate(structuredClone({ ...document }));
    expect(errors).toBeUndefined();
    expect(valid).toBe(true);
    expect((document as object as { openapi: string }).openapi).toMatch(/^3\.1\./);
  });

  it("has the calls of clients on one page, and apart from them those of the operator and of carriers", () => {
    for (const [index, path] of PAGES.entries()) {
      const ids = idsIn(pages[index] ?? "");
      const calls = callsOfPage(document, path).map(({ operationId }) => operationId);
      expect(calls.length).toBeGreaterThan(10);
      expect(calls.filter((id) => !ids.includes(id))).toEqual([]);
    }
    expect(callsOfPage(document, "/docs")[0]?.operationId).toBe("sendMessage");
  });

  it("asks for no credentials but those of the page's calls", () => {
    const asked = pages.map((page) => [
      ...new Set([...page.matchAll(/data-credential="(\w+)"/g)].map(([, name]) => name)),
    ]);
    expect(asked).toEqual([["ClientId", "ClientSecret"], ["Operator"]]);
  });

  it("begins with the quick start, where a client is the reader, and with the runbook, where an operator is", () => {
    const headings = pages.map((page) => idsIn(page.slice(page.indexOf("<main"))).slice(1));
    expect(headings[0]?.slice(0, 4)).toEqual(["credentials", "the-first-text", "messages-calls", "sendMessage"]);
    expect(headings[1]?.slice(0, 2)).toEqual(["by-symptom", "clients-get-401"]);
    expect(headings[1]).toEqual(expect.arrayContaining(PROBLEMS));
  });

  it("has each error where somebody can get it", () => {
    const [clients = [], operator = []] = pages.map((page) => idsIn(page).filter((id) => /^\d{5}$/.test(id)));
    const places = [...clients.map((code) => `/docs#${code}`), ...operator.map((code) => `/docs/operator#${code}`)];
    expect(places.sort()).toEqual(Object.values(ERROR_CODES).map(docsOf).sort());
    expect(operator.sort()).toEqual(["40302", "40303", "40304", "40901", "40903", "42904"]);
  });

  it("weighs little, its style and its script included", async () => {
    const files = await Promise.all(
      ["/docs/page.css", "/docs/page.js"].map(async (path) => (await fetch(`${service.url}${path}`)).text()),
    );
    const [clients = 0, operator = 0] = pages.map((page) =>
      [page, ...files].reduce((sum, text) => sum + gzipSync(text).length, 0),
    );
    expect(clients).toBeLessThan(48 * 1024);
    expect(operator).toBeLessThan(112 * 1024);
  });
});

describe("the page", () => {
  it("is one click from the root, as are the document and the liveness check", async () => {
    const { service: name, ...urls } = (await (await fetch(service.url)).json()) as Record<string, string>;
    expect(name).toBe("Textgate");
    expect(urls).toEqual({
      docs: `${service.url}/docs`,
      openapi: `${service.url}/openapi.json`,
      health: `${service.url}/health`,
    });
    for (const url of Object.values(urls)) expect([url, (await fetch(url)).status]).toEqual([url, 200]);
  });

  it.each(PAGES)("lets nothing run or load that the service does not serve itself: %s", async (path) => {
    const answer = await fetch(`${service.url}${path}`);
    expect(answer.status).toBe(200);
    const policy = answer.headers.get("content-security-policy") ?? "";
    expect(policy).toBe(headersOfConsole()["Content-Security-Policy"]);
  });

  it("leaves security.txt to the Worker, which has it from a setting", async () => {
    const answer = await fetch(`${service.url}/.well-known/security.txt`);
    expect(answer.status).toBe(200);
    expect(await answer.text()).toMatch(/^Contact: mailto:security@example.com\nExpires: \d{4}-\d\d-\d\dT[^\n]+Z\n$/);
  });

  it("never stands in for a path of the API", async () => {
    const noFiles = ["/docs/nothing", "/docs/vendor", "/docs%2Fpage.js", "/%64ocs", "/docsx", "/_headers"];
    for (const path of ["/text/message/send", "/operator/websites", "/%2Fopenapi.json", "//openapi.json", ...noFiles]) {
      const answer = await fetch(`${service.url}${path}`, { redirect: "manual" });
      expect([path, answer.headers.get("x-request-id")]).toEqual([path, expect.stringMatching(/^[0-9a-f-]{36}$/)]);
    }
  });

  it("has each of its files served without the Worker, as are its other addresses", async () => {
    const files = ["/docs", ...readdirSync("public/docs").map((name) => `/docs/${name.replace(/\.html$/, "")}`)];
    expect(files.sort()).toEqual(["/docs", "/docs/operator", "/docs/page.css", "/docs/page.js"]);
    for (const path of [...files, "/llms.txt"]) {
      const answer = await fetch(`${service.url}${path}`);
      expect([path, answer.status, answer.headers.get("x-request-id")]).toEqual([path, 200, null]);
    }
    for (const path of ["/docs/", "/docs.html", "/docs/operator/", "/docs/operator.html"]) {
      const answer = await fetch(`${service.url}${path}`, { redirect: "manual" });
      const target = path.replace(/(\/|\.html)$/, "");
      expect([path, answer.status, answer.headers.get("location")]).toEqual([path, 307, target]);
    }
  });
});
