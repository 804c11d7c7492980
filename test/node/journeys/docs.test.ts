import { readdirSync } from "node:fs";
import { Validator } from "@seriousme/openapi-schema-validator";
import { beforeAll, describe, expect, it } from "vitest";
import type { Document } from "../../../scripts/docs-documents.ts";
import { PROBLEMS } from "../../../src/domain/operations/problems.ts";
import { docsOf, ERROR_CODES } from "../../../src/http/error-codes.ts";
import { type SharedService, sharedService } from "../harness/shared-service.ts";
import { DOCUMENTS, idsOf, PAGES, readDocument, readDocuments } from "./docs-pages.ts";

let service: SharedService;
let document: Document;

beforeAll(async () => {
  service = await sharedService();
  document = await readDocument(service, "/openapi.json");
});

/** The ids of the headings of a description. */
const headingsOf = async (path: string) =>
  [...(await readDocument(service, path)).info.description.matchAll(/^<h[23] id="([^"]+)">/gm)].map(
    ([, id = ""]) => id,
  );

describe("the documents that are served", () => {
  it.each(["/openapi.json", ...DOCUMENTS])("are valid OpenAPI 3.1: %s", async (path) => {
    const served = (await readDocument(service, path)) as object as Record<string, unknown>;
    const { valid, errors } = await new Validator().validate(structuredClone(served));
    expect(errors).toBeUndefined();
    expect(valid).toBe(true);
    expect(served.openapi).toMatch(/^3\.1\./);
  });

  it("have the calls of clients, and apart from them those of the operator and of carriers", async () => {
    const [clients, operator] = await readDocuments(service);
    expect([...idsOf(clients), ...idsOf(operator)].sort()).toEqual(idsOf(document).sort());
    expect(Object.keys(operator.paths).filter((path) => !/^\/(operator|console|carriers)\//.test(path))).toEqual([]);
    expect(Object.keys(clients.paths).filter((path) => /^\/(operator|console|carriers)\//.test(path))).toEqual([]);
    expect(idsOf(clients)[0]).toBe("sendMessage");
  });

  it("change no call, and ask for no credentials but those of their calls", async () => {
    const [clients, operator] = await readDocuments(service);
    expect({ ...clients.paths, ...operator.paths }).toEqual(document.paths);
    expect(clients.webhooks).toEqual(document.webhooks);
    expect(Object.keys(clients.components.securitySchemes)).toEqual(["ClientId", "ClientSecret"]);
    expect(Object.keys(operator.components.securitySchemes)).toEqual(["Operator"]);
  });

  it("have the components that their calls refer to, and no others, which the page would read at each press", async () => {
    for (const path of DOCUMENTS) {
      const served = await readDocument(service, path);
      const { securitySchemes: _, ...components } = served.components;
      const defined = Object.entries(components).flatMap(([kind, all]) =>
        Object.keys(all).map((name) => `#/components/${kind}/${name}`),
      );
      const referred: string[] = [];
      JSON.stringify(served, (key, value) => {
        if (key === "$ref") referred.push(value);
        return value;
      });
      expect([path, defined.sort()]).toEqual([path, [...new Set(referred)].sort()]);
      expect(defined.length).toBeGreaterThan(5);
    }
  });

  it("begin with the quick start, where a client is the reader, and with the runbook, where an operator is", async () => {
    const [clients = [], operator = []] = await Promise.all(DOCUMENTS.map(headingsOf));
    expect(clients.slice(0, 2)).toEqual(["credentials", "the-first-text"]);
    expect(operator.slice(0, 2)).toEqual(["by-symptom", "clients-get-401"]);
    expect(operator).toEqual(expect.arrayContaining(PROBLEMS));
  });

  it("have the whole description in one of the two, and each error where somebody can get it", async () => {
    const texts = (await readDocuments(service)).map(({ info }) => info.description);
    const lines = document.info.description.split("\n").filter((line) => !line.startsWith("#"));
    expect(lines.length).toBeGreaterThan(80);
    expect(lines.filter((line) => !texts.some((text) => text.includes(line)))).toEqual([]);
    const [clients = [], operator = []] = (await Promise.all(DOCUMENTS.map(headingsOf))).map((all) =>
      all.filter((id) => /^\d{5}$/.test(id)),
    );
    expect([...clients, ...operator].sort()).toEqual(Object.values(ERROR_CODES).map(String).sort());
    const places = [...clients.map((code) => `/docs#${code}`), ...operator.map((code) => `/docs/operator#${code}`)];
    expect(places.sort()).toEqual(Object.values(ERROR_CODES).map(docsOf).sort());
    expect(operator.sort()).toEqual(["40302", "40303", "40304", "40901", "40903", "42904"]);
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
    expect(policy).toContain("default-src 'none'");
    expect(policy).not.toMatch(/unsafe|https?:|\*/);
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
    expect(files.sort()).toEqual(
      [
        "/docs",
        ...DOCUMENTS,
        "/docs/operator",
        "/docs/page.css",
        "/docs/page.js",
        "/docs/swagger-ui-bundle.js",
        "/docs/swagger-ui-licenses.txt",
        "/docs/swagger-ui.css",
      ].sort(),
    );
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
