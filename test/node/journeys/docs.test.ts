import { readdirSync } from "node:fs";
import { Validator } from "@seriousme/openapi-schema-validator";
import type { Browser, BrowserContext } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Document, listCalls } from "../../../scripts/docs-page/document.ts";
import { makeClient, type Service, startService, TOKEN } from "../harness/service.ts";
import { findViolations, hasBrowser, openWindow, startBrowser, visit, walkByKeyboard } from "./browser.ts";

let service: Service;
let document: Document;

beforeAll(async () => {
  service = await startService({ SECURITY_CONTACT: "mailto:security@example.com" });
  document = (await (await fetch(`${service.url}/openapi.json`)).json()) as Document;
});

afterAll(() => service?.stop());

const PAGES = ["/docs", "/docs/operator"];

const readPage = async (path: string) => (await fetch(`${service.url}${path}`)).text();

/** Every name in the objects that have this name. */
function namesIn(value: unknown, name: string): string[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, part]) => {
    const own = key === name && !Array.isArray(part) ? Object.keys(part as object) : [];
    return [...own, ...namesIn(part, name)];
  });
}

function parameterNames(document: Document): string[] {
  return listCalls(document).flatMap(({ parameters = [] }) => parameters.map(({ name }) => name));
}

const codesOf = ({ content }: { content?: Record<string, { examples?: object }> }) =>
  Object.keys(content?.["application/json"]?.examples ?? {});

describe("the document that is served", () => {
  it("is valid OpenAPI 3.1", async () => {
    const { valid, errors } = await new Validator().validate(
      structuredClone(document) as object as Record<string, unknown>,
    );
    expect(errors).toBeUndefined();
    expect(valid).toBe(true);
    expect((document as object as { openapi: string }).openapi).toMatch(/^3\.1\./);
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
    expect(files.sort()).toEqual(["/docs", "/docs/operator", "/docs/page.css", "/docs/page.js"]);
    for (const path of files) {
      const answer = await fetch(`${service.url}${path}`);
      expect([path, answer.status, answer.headers.get("x-request-id")]).toEqual([path, 200, null]);
    }
    for (const path of ["/docs/", "/docs.html", "/docs/operator/", "/docs/operator.html"]) {
      const answer = await fetch(`${service.url}${path}`, { redirect: "manual" });
      const target = path.replace(/(\/|\.html)$/, "");
      expect([path, answer.status, answer.headers.get("location")]).toEqual([path, 307, target]);
    }
  });

  it("has the calls of clients, and apart from them those of the operator and of carriers", async () => {
    const calls = listCalls(document);
    const isOthers = ({ path }: { path: string }) => /^\/(operator|carriers)\//.test(path);
    const idsOf = (some: { operationId: string }[]) => some.map(({ operationId }) => operationId).sort();
    const events = Object.values(document.webhooks).flatMap((item) => Object.values(item));
    const [clients = "", others = ""] = await Promise.all(PAGES.map(readPage));
    const headingsOf = (page: string) => [...page.matchAll(/<section class="call" aria-labelledby="(\w+)">/g)];
    const shownOn = (page: string) => headingsOf(page).map(([, operationId = ""]) => ({ operationId }));
    expect(idsOf(shownOn(clients))).toEqual(idsOf([...calls.filter((call) => !isOthers(call)), ...events]));
    expect(idsOf(shownOn(others))).toEqual(idsOf(calls.filter(isOthers)));
    expect(headingsOf(clients)[0]?.[1]).toBe("sendMessage");
  });

  it("has every field, every parameter and every error code", async () => {
    const pages = (await Promise.all(PAGES.map(readPage))).join("");
    const shown = new Set([...pages.matchAll(/<code>([^<]+)<\/code>/g)].map(([, name]) => name));
    const names = [...namesIn(document, "properties"), ...parameterNames(document)];
    expect(names.length).toBeGreaterThan(150);
    expect(names.filter((name) => !shown.has(name))).toEqual([]);
    for (const code of Object.values(document.components.responses).flatMap(codesOf))
      expect([code, pages.includes(`<td>${code}</td>`)]).toEqual([code, true]);
  });

  it.each(PAGES)("has links that lead somewhere, and each id once: %s", async (path) => {
    const page = await readPage(path);
    const ids = [...page.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id);
    expect(ids.length).toBeGreaterThan(20);
    expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([]);
    const targets = [...page.matchAll(/ (?:href|for|aria-labelledby)="([^"]+)"/g)].map(([, target = ""]) => target);
    const inPage = targets.filter((target) => !/^(https?:|\/|data:)/.test(target)).map((it) => it.replace(/^#/, ""));
    expect(inPage.filter((target) => !ids.includes(target))).toEqual([]);
    for (const url of targets.filter((target) => target.startsWith("/")))
      expect([url, (await fetch(`${service.url}${url}`)).status]).toEqual([url, 200]);
  });
});

const HINT = "apt-get install chromium";
if (!hasBrowser)
  console.warn(`SKIPPED: the docs page in a browser, because Chromium is not installed. To run it: ${HINT}`);

describe.skipIf(!hasBrowser)("the page in a browser", () => {
  let browser: Browser;
  let context: BrowserContext;

  beforeAll(async () => {
    browser = await startBrowser();
    context = await openWindow(browser);
  });

  afterAll(() => browser?.close());

  const open = (path: string, width: number, colorScheme: "light" | "dark") =>
    visit(context, `${service.url}${path}`, { width, colorScheme });

  /** The parts of a page that the others are made as: the colors of the second scheme need no more. */
  const SAMPLE = "header, nav, main > section:nth-child(-n + 3)";

  it.each([
    ["/docs", 360, "dark", undefined],
    ["/docs", 1280, "light", SAMPLE],
    ["/docs/operator", 360, "light", undefined],
  ] as const)("violates no rule of WCAG A or AA, and fits: %s, %d px, %s", async (path, width, colorScheme, place) => {
    const { page, complaints, close } = await open(path, width, colorScheme);
    const ground = await page.evaluate(() => getComputedStyle(globalThis.document.documentElement).backgroundColor);
    expect(Number(/\d+/.exec(ground)?.[0]) < 100).toBe(colorScheme === "dark");
    await page.locator("details").evaluateAll((all) => {
      for (const details of all) (details as HTMLDetailsElement).open = true;
    });
    expect(await findViolations(page, place)).toEqual([]);
    expect(await page.evaluate(() => globalThis.document.documentElement.scrollWidth)).toBeLessThanOrEqual(width);
    expect(complaints).toEqual([]);
    await close();
  });

  it("is walked through by keyboard: each stop is in view, is seen, and comes in the order of the page", async () => {
    const { page, complaints, close } = await open("/docs", 360, "light");
    const { stops, all } = await walkByKeyboard(page);
    expect(stops[0]).toBe("Skip to the content");
    expect(stops.length).toBeGreaterThan(60);
    expect(stops).toEqual(all);
    expect(complaints).toEqual([]);
    await close();
  });

  it("sends a text by keyboard alone, on a phone, and reads its status", async () => {
    const client = await makeClient(service.url, "http://127.0.0.1:9/", ["+12125550100,,true"]);
    const { page, complaints, close } = await open("/docs", 360, "dark");
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await page.keyboard.press("Tab");
    await page.keyboard.type(client.clientId);
    await page.keyboard.press("Tab");
    await page.keyboard.type(client.clientSecret);
    const secret = page.getByLabel("X-Client-Secret");
    expect([await secret.inputValue(), await secret.getAttribute("type")]).toEqual([client.clientSecret, "password"]);

    const form = page.getByRole("form", { name: "Try: Send a message", exact: true });
    await form.getByLabel("Body").focus();
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await expect.poll(() => form.getByRole("status").textContent()).toMatch(/^200 in \d+ ms$/);
    expect(await form.getByRole("button", { name: "Send" }).evaluate((it) => it.matches(":focus"))).toBe(true);
    const [, messageId = ""] = /"messageId": "([^"]+)"/.exec((await form.locator(".answer").textContent()) ?? "") ?? [];

    const status = page.getByRole("form", { name: "Try: Read the status of a message" });
    await status.getByLabel("messageId").fill(messageId);
    await page.keyboard.press("Enter");
    await expect.poll(() => status.locator(".answer").textContent()).toContain(`"messageId": "${messageId}"`);
    expect(complaints).toEqual([]);
    await close();
  });

  it("fills in another example, and shows a refusal", async () => {
    const { page, complaints, close } = await open("/docs", 1280, "light");
    const form = page.getByRole("form", { name: "Try: Send a message", exact: true });
    await form.getByLabel("Example").selectOption("byEmail");
    expect(JSON.parse(await form.getByLabel("Body").inputValue())).toMatchObject({ email: "ada@example.com" });
    await form.getByRole("button", { name: "Send" }).click();
    await expect.poll(() => form.getByRole("status").textContent()).toMatch(/^401 /);
    expect(await form.locator(".answer").textContent()).toContain('"code": 40100');
    // What the browser itself logs of a 401, and the answer that the harness saw.
    expect(complaints).toHaveLength(2);
    await close();
  });

  it("calls as the operator, with a path that is filled in", async () => {
    const { page, complaints, close } = await open("/docs/operator", 360, "light");
    await page.getByLabel("Token", { exact: true }).fill(TOKEN);
    const form = page.getByRole("form", { name: "Try: Create a website" });
    await form.getByLabel("websiteId").fill("of the docs");
    await form.getByRole("button", { name: "Send" }).click();
    await expect.poll(() => form.getByRole("status").textContent()).toMatch(/^4/);
    await form.getByLabel("websiteId").fill("docs");
    await form.getByLabel("Body").fill('{"name":"Docs","carrier":"sandbox"}');
    await form.getByRole("button", { name: "Send" }).click();
    await expect.poll(() => form.locator(".answer").textContent()).toContain('"websiteId": "docs"');
    expect(complaints).toHaveLength(2);
    await close();
  });

  it("is read without JavaScript", async () => {
    const window = await openWindow(browser, { javaScriptEnabled: false });
    const { page, complaints, close } = await visit(window, `${service.url}/docs`, { width: 360 });
    expect(await page.getByRole("heading", { name: "Send a message", exact: true }).isVisible()).toBe(true);
    expect(await page.getByRole("form").count()).toBe(0);
    expect(complaints).toEqual([]);
    await close();
  });
});
