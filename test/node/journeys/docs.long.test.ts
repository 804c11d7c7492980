import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
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
import { callsOfPage, PAGES, readDocument } from "./docs-pages.ts";
import { callsOfEachShape } from "./shapes-of-calls.ts";

const isWithin = (least: number, most: number) => (value: number | undefined) =>
  value !== undefined && value >= least && value <= most;

const HINT = "apt-get install chromium";
if (!hasBrowser)
  console.warn(`SKIPPED: the docs page in a browser, because Chromium is not installed. To run it: ${HINT}`);

/** Where Node finds the client package by its name. */
function withPackage(): string {
  const folder = mkdtempSync(join(tmpdir(), "docs-"));
  mkdirSync(join(folder, "node_modules"));
  symlinkSync(join(import.meta.dirname, "../../../client"), join(folder, "node_modules/textgate-client"));
  return folder;
}

describe.skipIf(!hasBrowser)("the page in a browser", () => {
  let service: SharedService;
  let browser: Browser;
  const shown: Record<string, Visit> = {};

  beforeAll(async () => {
    [service, browser] = await Promise.all([sharedService(), startBrowser()]);
    const context = await openWindow(browser);
    for (const path of PAGES) shown[path] = await visit(context, `${service.url}${path}`, { width: 1280 });
  });

  afterEach(() => expect(PAGES.flatMap((path) => shown[path]?.complaints)).toEqual([]));

  afterAll(() => browser?.close());

  async function view(path: string, width: number, colorScheme: "light" | "dark") {
    const { page, complaints } = shown[path] as Visit;
    await page.bringToFront();
    await page.setViewportSize({ width, height: 780 });
    await page.emulateMedia({ colorScheme });
    const ground = () => page.evaluate(() => getComputedStyle(globalThis.document.body).backgroundColor);
    await expect.poll(async () => Number(/\d+/.exec(await ground())?.[0]) < 100).toBe(colorScheme === "dark");
    return { page, complaints };
  }

  const headerOf = async (page: Page) => (await page.locator("header").boundingBox())?.height ?? 9999;

  /** How far below the bar a place begins. */
  const below = async (page: Page, place: Locator) => ((await place.boundingBox())?.y ?? 9999) - (await headerOf(page));

  async function fillIn(call: Locator, credentials: Record<string, string>) {
    for (const [name, value] of Object.entries(credentials)) await call.getByLabel(name, { exact: true }).fill(value);
  }

  async function execute(call: Locator): Promise<string> {
    await call.locator(".answer").evaluate((answer) => answer.replaceChildren());
    await call.getByRole("button", { name: "Execute" }).press("Enter");
    await expect.poll(() => call.locator(".answer").innerText()).toMatch(/^\d{3} /);
    return call.locator(".answer").innerText();
  }

  it("opens at the paragraph of a problem, as health, alerts and the console link to it", async () => {
    const context = shown["/docs/operator"]?.page.context() ?? (await openWindow(browser));
    const { page } = await visit(context, `${service.url}/docs/operator#dead-jobs`, { width: 390 });
    await expect.poll(() => below(page, page.locator("h3#dead-jobs"))).toSatisfy(isWithin(0, 60));
    await page.close();
  });

  it("is walked through by keyboard: each stop is in view, is seen, and comes in the order of the page", async () => {
    const { page } = await view("/docs", 390, "light");
    const { stops, all } = await walkByKeyboard(page);
    expect(stops.length).toBeGreaterThan(200);
    expect(stops).toEqual(all);
  });

  it.each([1440, 360])("has a call and what sends it within its first screen: %d px", async (width) => {
    const { page } = await view("/docs", width, "light");
    await page.evaluate(() => globalThis.document.getElementById("sendMessage")?.scrollIntoView());
    const button = page.locator("#sendMessage").getByRole("button", { name: "Execute" });
    const { y = 9999, height = 0 } = (await button.boundingBox()) ?? {};
    expect(y + height).toBeLessThanOrEqual(780);
  });

  it("has lines of at most 72 characters", async () => {
    const { page } = await view("/docs", 1440, "light");
    const longest = await page.evaluate(() => {
      const lengths = [...globalThis.document.querySelectorAll(".prose > p, .about > p, .list p")].map((text) => {
        const range = globalThis.document.createRange();
        range.selectNodeContents(text);
        const lines = new Set([...range.getClientRects()].map(({ bottom }) => Math.round(bottom / 12)));
        return lines.size > 3 ? text.textContent.length / lines.size : 0;
      });
      return Math.max(...lengths);
    });
    expect(longest).toSatisfy(isWithin(50, 72));
  });

  it("marks in the contents where the reader is", async () => {
    const { page } = await view("/docs", 1280, "light");
    const current = () => page.locator("#contents [aria-current]").allInnerTexts();
    for (const [id, name] of [
      ["cancelMessages", "Cancel messages"],
      ["errors", "Errors"],
      ["credentials", "Credentials"],
    ] as const) {
      await page.evaluate((place) => globalThis.document.getElementById(place)?.scrollIntoView(), id);
      await expect.poll(current).toEqual([name]);
      expect(await page.locator("#contents [aria-current]").boundingBox()).toMatchObject({
        y: expect.toSatisfy(isWithin(0, 780)),
      });
    }
  });

  it("has its contents behind a button on a phone, which close once one is followed", async () => {
    const { page } = await view("/docs", 360, "light");
    const contents = page.getByRole("navigation", { name: "Contents" });
    expect(await contents.isVisible()).toBe(false);
    await page.getByRole("button", { name: "Contents" }).press("Enter");
    await contents.getByRole("link", { name: "Reasons" }).press("Enter");
    await expect.poll(() => contents.isVisible()).toBe(false);
    await expect.poll(() => below(page, page.locator("#reasons"))).toSatisfy(isWithin(0, 60));
  });

  it("opens with the call that its address names, below the bar, and the keyboard goes on from there", async () => {
    const context = shown["/docs"]?.page.context() ?? (await openWindow(browser));
    const { page } = await visit(context, `${service.url}/docs#cancelMessages`, { width: 390 });
    await expect.poll(() => below(page, page.locator("#cancelMessages"))).toSatisfy(isWithin(0, 60));
    await page.keyboard.press("Tab");
    expect(await page.evaluate(() => globalThis.document.activeElement?.textContent)).toBe("Cancel messages");
    await page.close();
  });

  it("opens at a field that is folded away", async () => {
    const context = shown["/docs"]?.page.context() ?? (await openWindow(browser));
    const { page } = await visit(context, `${service.url}/docs#sendMessages.messages.sendAt`, { width: 1280 });
    const field = page.locator("[id='sendMessages.messages.sendAt']");
    await expect.poll(() => below(page, field)).toSatisfy(isWithin(0, 60));
    // No place at all, and nothing that could be decoded.
    await page.goto(`${service.url}/docs#%E0%A4%A`);
    await page.reload();
    await page.getByRole("searchbox").fill("cancel messages");
    await expect.poll(() => page.locator("#found a").count()).toBeGreaterThan(0);
    await page.close();
  });

  it("finds calls, fields, sections and error codes by their words, and leads to each by keyboard", async () => {
    const { page } = await view("/docs", 390, "dark");
    const field = page.getByRole("searchbox");
    const names = () => page.locator("#found a").allInnerTexts();
    await field.fill("  CANCEL messages ");
    expect((await names())[0]).toBe("POST /text/message/cancel: Cancel messages");
    await field.fill("expire_at");
    expect((await names())[0]).toBe("expireAt: Send a message");
    await field.fill("rehearse");
    expect((await names())[0]).toBe("Rehearse it");
    await field.fill("verify signature");
    expect((await names())[0]).toBe("Callbacks and their signatures");
    await field.fill("zebra");
    expect([await names(), await page.locator("#found-count").innerText()]).toEqual([[], "0 found"]);

    await field.fill("429");
    expect((await names()).slice(0, 2)).toEqual([expect.stringMatching(/^42903: /), expect.stringMatching(/^42900: /)]);
    expect(await findViolations(page, "search", RULES_OF_A_VIEW)).toEqual([]);
    await field.press("Tab");
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await expect.poll(() => new URL(page.url()).hash).toBe("#42900");
    await expect.poll(() => below(page, page.locator("[id='42900']"))).toSatisfy(isWithin(0, 60));
    expect(await page.locator("#found").isVisible()).toBe(false);

    await page.keyboard.press("/");
    await page.keyboard.type("message/statuses");
    await page.keyboard.press("Enter");
    await expect.poll(() => new URL(page.url()).hash).toBe("#messageStatuses");
    await expect.poll(() => below(page, page.locator("#messageStatuses"))).toSatisfy(isWithin(0, 60));
    await field.press("Escape");
    expect([await field.inputValue(), await names()]).toEqual(["", []]);
  });

  it.each([
    ["/docs", "40903", /^40903: .+ · For operators$/, "/docs/operator#40903"],
    [
      "/docs",
      "unreachable_after",
      /unreachableAfter: List .+ · For operators$/,
      "/docs/operator#listWebsites.200.websites.unreachableAfter",
    ],
    ["/docs", "carrier-paused", /^carrier-paused · For operators$/, "/docs/operator#carrier-paused"],
    ["/docs/operator", "42903", /^42903: .+ · For clients$/, "/docs#42903"],
    ["/docs/operator", "message/statuses", /^POST .+ · For clients$/, "/docs#messageStatuses"],
  ] as const)("finds on %s what only the other page has, and leads to it: %s", async (path, words, name, address) => {
    const context = shown["/docs"]?.page.context() ?? (await openWindow(browser));
    const { page, complaints } = await visit(context, `${service.url}${path}`, { width: 360 });
    await page.keyboard.press("/");
    await page.keyboard.type(words);
    await expect.poll(() => page.locator("#found a").first().innerText()).toMatch(name);
    expect(await findViolations(page, "search", RULES_OF_A_VIEW)).toEqual([]);
    await page.keyboard.press("Enter");
    await page.waitForURL(`${service.url}${address}`);
    await expect.poll(() => below(page, page.locator(":target"))).toSatisfy(isWithin(0, 60));
    expect(complaints).toEqual([]);
    await page.close();
  });

  it("fills in another example, and explains a refusal", async () => {
    const { page, complaints } = await view("/docs", 1280, "light");
    const call = page.locator("#sendMessage");
    await call.getByLabel("Example").selectOption("byEmail");
    expect(await call.getByLabel("Request body").inputValue()).toContain("ada@example.com");
    expect(await call.locator("pre[data-language=curl]").innerText()).toContain("ada@example.com");
    expect(await execute(call)).toContain('"code": 40100');
    await call.getByRole("link", { name: "What 40100 means" }).click();
    await expect.poll(() => below(page, page.locator("[id='40100']"))).toSatisfy(isWithin(0, 60));
    // What the browser itself logs of a 401, and the answer that the harness saw.
    await expect.poll(() => complaints).toHaveLength(2);
    complaints.length = 0;
  });

  it("sends a text with the client's credentials, on a phone, and reads its status", async () => {
    const { clientId, clientSecret } = await makeClient(service.url, "http://127.0.0.1:9/", ["+12125550100,,true"]);
    const { page } = await view("/docs", 390, "dark");
    const call = page.locator("#sendMessage");
    expect(await call.getByLabel("X-Client-Secret").getAttribute("type")).toBe("password");
    await call.getByLabel("Example").selectOption("byPhone");
    await fillIn(call, { "X-Client-ID": clientId, "X-Client-Secret": clientSecret });
    const sent = await execute(call);
    expect(sent).toMatch(/^200 /);
    const [, messageId = ""] = /"messageId": "([^"]+)"/.exec(sent) ?? [];

    // Its credentials are those of each call, and are nowhere else.
    const status = page.locator("#messageStatus");
    await status.getByLabel("messageId").fill(messageId);
    expect(await execute(status)).toContain(`"messageId": "${messageId}"`);
    expect(await findViolations(page, "#messageStatus")).toEqual([]);
    const kept = await page.evaluate(() => [
      location.href,
      { ...localStorage, ...sessionStorage },
      globalThis.document.cookie,
    ]);
    expect(kept).toEqual([expect.not.stringContaining(clientSecret), {}, ""]);
    expect(await page.locator("pre[data-language]").allInnerTexts()).not.toContain(clientSecret);

    const env = { ...process.env, CLIENT_ID: clientId, CLIENT_SECRET: clientSecret };
    const folder = withPackage();
    const run = async (language: string, ...[program = "", ...args]: string[]) => {
      await call.getByLabel(language, { exact: true }).check();
      const code = await call.locator(`pre[data-language="${language}"]`).innerText();
      expect(code).toContain(service.url);
      const { error, stdout } = spawnSync(program, [...args, code], { encoding: "utf8", env, cwd: folder });
      if (error === undefined) expect([language, stdout]).toEqual([language, expect.stringMatching(/messageId/)]);
    };
    await run("curl", "bash", "-c");
    await run("Node", process.execPath, "--input-type=module", "-e");
    await run("Python", "python3", "-c");
    await run("Package", process.execPath, "--input-type=module", "-e");
    rmSync(folder, { recursive: true });
    // The language of one call is that of all.
    expect(await status.locator("pre[data-language]:visible").getAttribute("data-language")).toBe("Package");
  });

  it("calls as the operator, with a path that is filled in", async () => {
    const { page } = await view("/docs/operator", 390, "light");
    const call = page.locator("#putWebsite");
    await fillIn(call, { Token: TOKEN, websiteId: "docs" });
    await call.getByLabel("Request body").fill('{"name":"Docs","carrier":"sandbox"}');
    expect(await execute(call)).toContain('"websiteId": "docs"');
  });

  it.each([
    ["/docs", 360, "dark"],
    ["/docs", 1440, "light"],
    ["/docs/operator", 360, "light"],
    ["/docs/operator", 1440, "dark"],
  ] as const)(
    "violates no rule of WCAG A or AA, and fits, with all that is folded open: %s, %d px, %s",
    async (path, width, colorScheme) => {
      const { page } = await view(path, width, colorScheme);
      const document = await readDocument(service);
      const sample = callsOfEachShape(document);
      const here = callsOfPage(document, path).map(({ operationId }) => operationId);
      const looked = path === "/docs" ? here : here.filter((id) => sample.includes(id));
      expect(looked.length).toBeGreaterThan(5);
      await page.evaluate(() => {
        for (const list of globalThis.document.querySelectorAll("details")) list.open = true;
      });
      expect(await page.evaluate(() => globalThis.document.documentElement.scrollWidth)).toBeLessThanOrEqual(width);
      const others = `.call${looked.map((id) => `:not(#${id})`).join("")}`;
      expect(await findViolations(page, undefined, undefined, path === "/docs" ? undefined : others)).toEqual([]);
    },
  );

  it("says all of it without JavaScript, and offers nothing that would need it", async () => {
    const window = await openWindow(browser, { javaScriptEnabled: false });
    const { page, complaints, close } = await visit(window, `${service.url}/docs`, { width: 390 });
    for (const { operationId, summary } of callsOfPage(await readDocument(service), "/docs"))
      expect(await page.locator(`#${operationId} h3`).innerText()).toBe(summary);
    const programs = page.locator("#sendMessage .programs");
    await programs.getByLabel("Python").check();
    expect(await programs.getByText("urllib.request.urlopen").isVisible()).toBe(true);
    expect(await page.getByRole("button", { name: /Execute|Copy/ }).count()).toBe(0);
    expect(complaints).toEqual([]);
    await close();
  });
});
