import { readdirSync } from "node:fs";
import { Validator } from "@seriousme/openapi-schema-validator";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { makeClient, type Service, startService } from "../harness/service.ts";
import { hasBrowser, startBrowser, type Visit, visit } from "./browser.ts";

interface Document {
  openapi: string;
  paths: Record<string, Record<string, { operationId: string }>>;
  webhooks: Record<string, Record<string, { operationId: string }>>;
}

let service: Service;
let document: Document;

beforeAll(async () => {
  service = await startService();
  document = (await (await fetch(`${service.url}/openapi.json`)).json()) as Document;
});

afterAll(() => service?.stop());

describe("the document that is served", () => {
  it("is valid OpenAPI 3.1", async () => {
    const { valid, errors } = await new Validator().validate(
      structuredClone(document) as object as Record<string, unknown>,
    );
    expect(errors).toBeUndefined();
    expect(valid).toBe(true);
    expect(document.openapi).toMatch(/^3\.1\./);
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

  it("lets nothing run or load that the service does not serve itself", async () => {
    const answer = await fetch(`${service.url}/docs`);
    expect(answer.status).toBe(200);
    const policy = answer.headers.get("content-security-policy") ?? "";
    expect(policy).toContain("default-src 'none'");
    expect(policy).not.toMatch(/unsafe|https?:|\*/);
  });

  it("never stands in for a path of the API", async () => {
    const noFiles = ["/docs/nothing", "/docs/vendor/nothing", "/docs%2Fpage.js", "/%64ocs", "/docsx", "/_headers"];
    for (const path of ["/text/message/send", "/operator/websites", "/%2Fopenapi.json", "//openapi.json", ...noFiles]) {
      const answer = await fetch(`${service.url}${path}`, { redirect: "manual" });
      expect([path, answer.headers.get("x-request-id")]).toEqual([path, expect.stringMatching(/^[0-9a-f-]{36}$/)]);
    }
  });

  it("has each of its files served without the Worker, as are its other addresses", async () => {
    const files = [
      "/docs",
      ...readdirSync("public/docs", { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map(({ parentPath, name }) => `${parentPath.slice("public".length)}/${name}`),
    ];
    expect(files.length).toBeGreaterThan(6);
    for (const path of files) {
      const answer = await fetch(`${service.url}${path}`);
      expect([path, answer.status, answer.headers.get("x-request-id")]).toEqual([path, 200, null]);
    }
    for (const path of ["/docs/", "/docs.html"]) {
      const answer = await fetch(`${service.url}${path}`, { redirect: "manual" });
      expect([path, answer.status, answer.headers.get("location")]).toEqual([path, 307, "/docs"]);
    }
  });
});

const HINT = "apt-get install chromium";
if (!hasBrowser)
  console.warn(`SKIPPED: the docs page in a browser, because Chromium is not installed. To run it: ${HINT}`);

describe.skipIf(!hasBrowser)("the page in a browser", () => {
  let browser: Browser;

  beforeAll(async () => {
    browser = await startBrowser();
  });

  afterAll(() => browser?.close());

  const operationIds = () =>
    [...Object.values(document.paths), ...Object.values(document.webhooks)]
      .flatMap((item) => Object.values(item))
      .map(({ operationId }) => operationId);

  /** Opened, and all of its operations listed. */
  async function open(width: number): Promise<Visit> {
    const opened = await visit(browser, `${service.url}/docs`, {
      viewport: { width, height: 900 },
      colorScheme: "light",
    });
    await opened.page
      .locator(".opblock")
      .nth(operationIds().length - 1)
      .waitFor();
    return opened;
  }

  it("shows every operation, on a desk and on a phone, light and dark", { timeout: 120_000 }, async () => {
    const { page, complaints, close } = await open(1280);
    const shown = await page.locator(".opblock").evaluateAll((blocks) => blocks.map(({ id }) => id.split("-").at(-1)));
    expect(shown.sort()).toEqual(operationIds().sort());
    const opened = await page.locator(".opblock-summary-control").evaluateAll((controls) => {
      // Those of a client; the operator's are drawn alike, and each takes a second.
      const clients = controls.filter((control) => !control.textContent?.includes("/operator"));
      for (const control of clients) (control as HTMLElement).click();
      return clients.length;
    });
    expect(opened).toBeGreaterThan(7);
    await page
      .locator(".opblock.is-open .responses-inner")
      .nth(opened - 1)
      .waitFor();
    const background = () => page.evaluate(() => getComputedStyle(globalThis.document.documentElement).backgroundColor);
    const isDark = async () => Number(/\d+/.exec(await background())?.[0] ?? 255) < 100;
    const scrollWidth = () => page.evaluate(() => globalThis.document.documentElement.scrollWidth);
    for (const width of [1280, 390]) {
      await page.setViewportSize({ width, height: 900 });
      for (const colorScheme of ["light", "dark"] as const) {
        await page.emulateMedia({ colorScheme });
        await expect.poll(isDark).toBe(colorScheme === "dark");
        await expect.poll(scrollWidth).toBeLessThanOrEqual(width);
      }
    }
    expect(complaints).toEqual([]);
    await close();
  });

  it("sends a message that is tried out", { timeout: 120_000 }, async () => {
    const client = await makeClient(service.url, "http://127.0.0.1:9/", ["+12125550100,,true"]);
    const { page, complaints, close } = await open(390);
    await page.locator("button.authorize").first().click();
    for (const secret of [client.clientId, client.clientSecret]) {
      const field = page.locator(".auth-container:has(input)").first();
      await field.locator("input").fill(secret);
      await field.locator("button[type=submit]").click();
    }
    await page.locator(".close-modal").click();
    const block = page.locator("#operations-Messages-sendMessage");
    await block.locator(".opblock-summary-control").click();
    await block.locator(".try-out__btn").click();
    await block.locator(".execute").click();
    await expect.poll(() => block.locator(".live-responses-table").textContent()).toMatch(/"messageId"/);
    expect(complaints).toEqual([]);
    await close();
  });
});
