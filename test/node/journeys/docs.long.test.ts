import { spawnSync } from "node:child_process";
import type { Browser, Locator, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { makeClient, TOKEN } from "../harness/service.ts";
import { type SharedService, sharedService } from "../harness/shared-service.ts";
import {
  findViolations,
  hasBrowser,
  openWindow,
  RULES_OF_A_VIEW,
  startBrowser,
  type Visit,
  visit,
  walkByKeyboard,
} from "./browser.ts";
import { DOCUMENTS, idsOf, PAGES, readDocument, readDocuments } from "./docs-pages.ts";
import { callsOfEachShape } from "./shapes-of-calls.ts";

const isWithin = (least: number, most: number) => (value: number | undefined) =>
  value !== undefined && value >= least && value <= most;

const HINT = "apt-get install chromium";
if (!hasBrowser)
  console.warn(`SKIPPED: the docs page in a browser, because Chromium is not installed. To run it: ${HINT}`);

describe.skipIf(!hasBrowser)("the page in a browser", () => {
  let service: SharedService;
  let browser: Browser;
  /** Each is drawn once, which takes Swagger UI seconds: a test goes on with what the tests before it have opened. */
  const shown: Record<string, Visit> = {};

  beforeAll(async () => {
    [service, browser] = await Promise.all([sharedService(), startBrowser()]);
    const context = await openWindow(browser);
    for (const path of PAGES) {
      const visited = await visit(context, `${service.url}${path}`, { width: 1280 });
      await visited.page.locator(".opblock").first().waitFor();
      shown[path] = visited;
    }
  });

  afterEach(() => expect(PAGES.flatMap((path) => shown[path]?.complaints)).toEqual([]));

  afterAll(() => browser?.close());

  async function view(path: string, width: number, colorScheme: "light" | "dark") {
    const { page, complaints } = shown[path] as Visit;
    await page.bringToFront();
    await page.setViewportSize({ width, height: 780 });
    await page.emulateMedia({ colorScheme });
    const ground = () => page.evaluate(() => getComputedStyle(globalThis.document.documentElement).backgroundColor);
    await expect.poll(async () => Number(/\d+/.exec(await ground())?.[0]) < 100).toBe(colorScheme === "dark");
    return { page, complaints };
  }

  /** @param id of the operation, which is opened if it is not */
  async function openCall(page: Page, id: string) {
    const call = page.locator(`.opblock[id$="-${id}"]`);
    const body = call.locator(".opblock-body");
    if ((await body.count()) === 0) await call.locator(".opblock-summary-control").click();
    await body.waitFor();
    return call;
  }

  async function authorize(page: Page, credentials: Record<string, string>) {
    await page.getByRole("button", { name: "Authorize" }).click();
    for (const [name, value] of Object.entries(credentials)) {
      const form = page.locator(".auth-container form", { has: page.getByLabel(name, { exact: true }) });
      await form.getByLabel(name, { exact: true }).fill(value);
      await form.getByRole("button", { name: "Authorize" }).click();
    }
    await page.locator(".close-modal").click();
  }

  /** The tab is chosen by keyboard. Where the language is missing, only what the tab has is looked at. */
  async function runAsItStands(call: Locator, language: string, [program = "", ...args]: string[]) {
    await call.locator(".request-snippets .btn", { hasText: language }).press("Enter");
    const code = await call.locator(".request-snippets pre").innerText();
    expect(code).toContain("X-Client-Secret");
    const { error, stdout } = spawnSync(program, [...args, code], { encoding: "utf8" });
    if (error === undefined)
      expect([language, stdout]).toEqual([language, expect.stringMatching(/^200 \{"messageId":/)]);
  }

  it.each(PAGES.map((path, index) => [path, DOCUMENTS[index] ?? ""]))("shows every call: %s", async (path, source) => {
    const { page } = await view(path, 1280, "light");
    const ids = await page.locator(".opblock").evaluateAll((all) => all.map(({ id }) => id.replace(/^.*-/, "")));
    expect(ids.sort()).toEqual(idsOf(await readDocument(service, source)).sort());
  });

  it.each(PAGES)("has links that lead somewhere, and each id once: %s", async (path) => {
    const { page } = await view(path, 1280, "light");
    const ids = await page.locator("[id]").evaluateAll((all) => all.map(({ id }) => id));
    expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([]);
    const links = await page.locator("a[href]").evaluateAll((all) => all.map((it) => it.getAttribute("href") ?? ""));
    const inPage = links.filter((link) => link.startsWith("#")).map((link) => link.slice(1));
    expect(inPage.length).toBeGreaterThan(5);
    expect(inPage.filter((id) => !ids.includes(id))).toEqual([]);
    const others = links.filter((link) => !link.startsWith("#"));
    expect(others.filter((link) => !/^(https:|\/)/.test(link))).toEqual([]);
    for (const url of others.filter((link) => link.startsWith("/")))
      expect([url, (await fetch(`${service.url}${url}`)).status]).toEqual([url, 200]);
  });

  it("opens at the paragraph of a problem, as health, alerts and the console link to it", async () => {
    const context = shown["/docs/operator"]?.page.context() ?? (await openWindow(browser));
    const { page } = await visit(context, `${service.url}/docs/operator#dead-jobs`, { width: 390 });
    const heading = page.locator("h3#dead-jobs");
    await heading.waitFor();
    await expect.poll(async () => Math.abs((await heading.boundingBox())?.y ?? 9999)).toBeLessThan(200);
    await page.close();
  });

  it("is walked through by keyboard: each stop is in view, is seen, and comes in the order of the page", async () => {
    const { page } = await view("/docs", 390, "light");
    const { stops, all } = await walkByKeyboard(page);
    expect(stops.length).toBeGreaterThan(60);
    expect(stops).toEqual(all);
  });

  it("opens with the call that its address names, below the field for words, and the keyboard goes on from there", async () => {
    const context = shown["/docs"]?.page.context() ?? (await openWindow(browser));
    const { page } = await visit(context, `${service.url}/docs#operations-Messages-cancelMessages`, { width: 390 });
    const call = page.locator("#operations-Messages-cancelMessages");
    await call.locator(".opblock-body").waitFor();
    const { height = 9999 } = (await page.locator("search").boundingBox()) ?? {};
    await expect.poll(async () => ((await call.boundingBox())?.y ?? 9999) - height).toSatisfy(isWithin(0, 100));
    expect(await page.evaluate(() => globalThis.document.activeElement?.textContent)).toContain("/text/message/cancel");
    await page.close();
  });

  it("finds calls, sections and error codes by their words, and leads to each by keyboard", async () => {
    const { page } = await view("/docs", 390, "dark");
    const field = page.getByRole("searchbox");
    const names = () => page.locator("#found a").allInnerTexts();
    await field.fill("  CANCEL messages ");
    expect((await names())[0]).toBe("POST /text/message/cancel: Cancel messages");
    await field.fill("expireat");
    expect(await names()).toEqual(expect.arrayContaining(["POST /text/bulk/message/send: Send many messages"]));
    await field.fill("rehearse");
    expect((await names())[0]).toBe("Rehearse it");
    await field.fill("zebra");
    expect([await names(), await page.locator("#found-count").innerText()]).toEqual([[], "0 found"]);

    await field.fill("429");
    expect((await names()).slice(0, 2)).toEqual([expect.stringMatching(/^42903: /), expect.stringMatching(/^42900: /)]);
    expect(await findViolations(page, "search")).toEqual([]);
    await field.press("Tab");
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await expect.poll(() => new URL(page.url()).hash).toBe("#42900");
    await expect.poll(async () => (await page.locator("[id='42900']").boundingBox())?.y).toSatisfy(isWithin(0, 200));
    expect(await page.locator("#found").isVisible()).toBe(false);

    await field.fill("message/statuses");
    await field.press("Enter");
    await expect.poll(() => new URL(page.url()).hash).toBe("#operations-Messages-messageStatuses");
    const call = page.locator("#operations-Messages-messageStatuses");
    // Its body is drawn twice: at first it says that it loads.
    await call.locator(".opblock-body .execute").waitFor();
    const { height = 9999 } = (await page.locator("search").boundingBox()) ?? {};
    await expect.poll(async () => ((await call.boundingBox())?.y ?? 9999) - height).toSatisfy(isWithin(0, 100));
    await field.press("Escape");
    expect([await field.inputValue(), await names()]).toEqual(["", []]);
  });

  it("has the address of the call that was opened last, and of a heading that is followed", async () => {
    const { page } = await view("/docs", 1280, "light");
    await openCall(page, "unsubscribe");
    await expect.poll(() => new URL(page.url()).hash).toBe("#operations-Subscriptions-unsubscribe");
    await page.locator("#message-statuses a").click();
    await expect.poll(() => new URL(page.url()).hash).toBe("#message-statuses");
  });

  /** The rules: only those of axe. */
  const VIEWS = [
    ["/docs", 390, "dark", undefined],
    ["/docs", 1280, "light", RULES_OF_A_VIEW],
    ["/docs/operator", 390, "light", undefined],
    ["/docs/operator", 1280, "dark", RULES_OF_A_VIEW],
  ] as const;

  it.each(VIEWS)(
    "violates no rule of WCAG A or AA where it asks for credentials: %s, %d px, %s",
    async (path, width, colorScheme, rules) => {
      const { page } = await view(path, width, colorScheme);
      await page.getByRole("button", { name: "Authorize" }).click();
      expect(await findViolations(page, ".dialog-ux", rules)).toEqual([]);
      await page.locator(".close-modal").click();
    },
  );

  it("fills in another example, and shows a refusal", async () => {
    const { page, complaints } = await view("/docs", 1280, "light");
    const call = await openCall(page, "sendMessage");
    await call.getByLabel("Example").first().selectOption("byEmail");
    await expect.poll(() => call.getByLabel("Request body").inputValue()).toContain("ada@example.com");
    await call.getByRole("button", { name: "Execute" }).click();
    await expect.poll(() => call.locator(".live-responses-table").innerText()).toContain('"code": 40100');
    // What the browser itself logs of a 401, and the answer that the harness saw.
    await expect.poll(() => complaints).toHaveLength(2);
    complaints.length = 0;
  });

  it("sends a text with the client's credentials, on a phone, and reads its status", async () => {
    const { clientId, clientSecret } = await makeClient(service.url, "http://127.0.0.1:9/", ["+12125550100,,true"]);
    const { page } = await view("/docs", 390, "dark");
    await page.getByRole("button", { name: "Authorize" }).click();
    const types = page.locator(".auth-container input").evaluateAll((all) => all.map((it) => it.getAttribute("type")));
    expect(await types).toEqual(["text", "password"]);
    await page.locator(".close-modal").click();
    await authorize(page, { "X-Client-ID": clientId, "X-Client-Secret": clientSecret });

    const call = await openCall(page, "sendMessage");
    await call.getByLabel("Example").first().selectOption("byPhone");
    await expect.poll(() => call.getByLabel("Request body").inputValue()).toContain('"phone"');
    await call.getByRole("button", { name: "Execute" }).press("Enter");
    const answer = call.locator(".live-responses-table .response");
    await expect.poll(() => answer.locator(".response-col_status").innerText()).toMatch(/^200/);
    const [, messageId = ""] = /"messageId": "([^"]+)"/.exec(await answer.innerText()) ?? [];

    await runAsItStands(call, "Node", [process.execPath, "--input-type=module", "-e"]);
    await runAsItStands(call, "Python", ["python3", "-c"]);
    expect(await findViolations(page, ".request-snippets")).toEqual([]);

    const status = await openCall(page, "messageStatus");
    await status.getByPlaceholder("messageId").fill(messageId);
    await status.getByRole("button", { name: "Execute" }).click();
    const found = status.locator(".live-responses-table .response");
    await expect.poll(() => found.innerText()).toContain(`"messageId": "${messageId}"`);
    expect(await findViolations(page, ".live-responses-table")).toEqual([]);
  });

  it("calls as the operator, with a path that is filled in", async () => {
    const { page } = await view("/docs/operator", 390, "light");
    await authorize(page, { Operator: TOKEN });
    const call = await openCall(page, "putWebsite");
    await call.getByPlaceholder("websiteId").fill("docs");
    await call.getByLabel("Request body").fill('{"name":"Docs","carrier":"sandbox"}');
    await call.getByRole("button", { name: "Execute" }).click();
    await expect.poll(() => call.locator(".live-responses-table").innerText()).toContain('"websiteId": "docs"');
  });

  it.each(VIEWS)(
    "violates no rule of WCAG A or AA, and fits, with a call of each shape open: %s, %d px, %s",
    async (path, width, colorScheme, rules) => {
      const { page } = await view(path, width, colorScheme);
      const sample = callsOfEachShape(await readDocuments(service));
      const here = idsOf(await readDocument(service, DOCUMENTS[PAGES.indexOf(path)] ?? ""));
      for (const id of sample.filter((id) => here.includes(id))) await openCall(page, id);
      expect(await page.locator(".opblock-body").count()).toBeGreaterThan(2);
      expect(await page.evaluate(() => globalThis.document.documentElement.scrollWidth)).toBeLessThanOrEqual(width);
      // A call that is not open is alike on both pages.
      const closed = path === "/docs/operator" ? ".opblock:not(.is-open)" : undefined;
      expect(await findViolations(page, undefined, rules, closed)).toEqual([]);
    },
  );

  it("says without JavaScript where to read on", async () => {
    const window = await openWindow(browser, { javaScriptEnabled: false });
    const { page, complaints, close } = await visit(window, `${service.url}/docs`, { width: 390 });
    expect(await page.getByRole("link", { name: "OpenAPI document" }).getAttribute("href")).toBe("/openapi.json");
    expect(complaints).toEqual([]);
    await close();
  });
});
