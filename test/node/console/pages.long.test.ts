import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { hasBrowser, openWindow, RULES_OF_A_VIEW, startBrowser } from "../journeys/browser.ts";
import { buildConsole } from "./build.ts";
import { type ConsolePage, openConsole, PAGES, sideways, violationsOf } from "./console-page.ts";
import { type FixtureService, REQUEST_ID, startFixture } from "./fixture-service.ts";

beforeAll(buildConsole);

if (!hasBrowser)
  console.warn(
    "SKIPPED: the console in a browser, because Chromium is not installed. To run it: apt-get install chromium",
  );

describe.skipIf(!hasBrowser)("each page", () => {
  let service: FixtureService;
  let browser: Browser;
  let shown: ConsolePage;

  beforeAll(async () => {
    service = await startFixture();
    browser = await startBrowser();
    const context = await openWindow(browser, { timezoneId: "Europe/Berlin", locale: "en-GB" });
    shown = await openConsole(context, service);
  });

  afterAll(async () => {
    await browser?.close();
    await service?.stop();
  });

  const view = async (width: number, colorScheme: "light" | "dark") => {
    await shown.page.setViewportSize({ width, height: 800 });
    await shown.page.emulateMedia({ colorScheme });
  };

  /** Its heading is the title of the tab as well. */
  const headingOf = async () => {
    const heading = await shown.page.locator("h1").innerText();
    expect(await shown.page.title()).toBe(heading.split("\n")[0]?.trim());
    return heading;
  };

  it.each(Object.entries(PAGES))("shows what there is: %s", async (_, address) => {
    const { page, complaints, open } = shown;
    await view(1280, "light");
    await open(address);
    await headingOf();
    expect(await violationsOf(page)).toEqual([]);
    await view(390, "dark");
    expect(await sideways(page)).toBe(0);
    expect(await violationsOf(page, RULES_OF_A_VIEW)).toEqual([]);
    await view(360, "light");
    expect(await sideways(page)).toBe(0);
    // What a stranger has written is text.
    expect(await page.locator("main img:not(.mark), main script").count()).toBe(0);
    expect(await page.title()).not.toBe("run");
    expect(complaints).toEqual([]);
  });

  describe("where there is nothing", () => {
    beforeAll(() => shown.open("more", "empty"));

    it.each(Object.entries(PAGES))("says what to do: %s", async (_, address) => {
      await view(390, "light");
      await shown.go(address);
      await headingOf();
      expect(await sideways(shown.page)).toBe(0);
      expect(shown.complaints.filter((words) => !/ 404 /.test(words))).toEqual([]);
      shown.complaints.length = 0;
    });
  });

  describe("of a service that does not answer", () => {
    beforeAll(() => shown.open("more", "failing"));

    const ASKING = Object.entries(PAGES).filter(([name]) => !["new website", "more"].includes(name));

    it.each(ASKING)("says that, and the request: %s", async (_, address) => {
      await view(390, "dark");
      await shown.go(address);
      expect(await headingOf()).toBe("Textgate does not answer");
      expect(await shown.page.locator("main").innerText()).toContain(REQUEST_ID);
      expect(await sideways(shown.page)).toBe(0);
      expect(shown.complaints).toEqual([]);
    });
  });

  it("can be read where it says that nothing is there, and that nothing answers", async () => {
    await view(1280, "dark");
    for (const mode of ["empty", "failing"] as const) {
      await shown.open(PAGES.overview, mode);
      expect(await violationsOf(shown.page)).toEqual([]);
    }
  });

  it("shows the markup of strangers as they wrote it", async () => {
    await shown.open(PAGES.message);
    expect(await shown.page.locator(".bubble").first().innerText()).toContain("<img src=x onerror=");
  });

  it("comes with four requests before it asks for numbers", async () => {
    const paths: string[] = [];
    const note = (request: { url(): string }) => paths.push(new URL(request.url()).pathname);
    shown.page.on("request", note);
    await shown.open(PAGES.overview);
    shown.page.off("request", note);
    const files = ["/console", "/console/app.css", "/console/app.js", "/console/icon.svg"];
    expect(paths.slice(0, paths.indexOf("/console/session")).filter((path) => !files.includes(path))).toEqual([]);
    expect(paths.indexOf("/console/session")).toBeLessThanOrEqual(files.length);
  });
});
