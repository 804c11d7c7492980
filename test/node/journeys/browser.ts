import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { AxeResults } from "axe-core";
import { type Browser, type BrowserContext, type BrowserContextOptions, chromium, type Page } from "playwright-core";

/** Debian's package. */
const CHROMIUM = "/usr/bin/chromium";

export const hasBrowser = existsSync(CHROMIUM);

/** Without the flags, Chromium calls its maker's hosts by itself. */
export function startBrowser(): Promise<Browser> {
  const silence = ["--disable-background-networking", "--disable-component-update", "--disable-sync", "--no-first-run"];
  const args = ["--no-sandbox", "--disable-gpu", "--disable-quic", ...silence];
  return chromium.launch({ executablePath: CHROMIUM, args });
}

/** Less than a test may take: what is waited for in vain says so. On a machine that others use, a page took 25 seconds. */
const LONGEST_WAIT_MILLISECONDS = 120_000;

export interface Visit {
  page: Page;
  /** What a page should never do: errors and warnings in the console, and requests to another host. */
  complaints: string[];
  close(): Promise<void>;
}

export interface View {
  width: number;
  colorScheme?: "light" | "dark";
}

/**
 * A window for pages, as tabs of it: for each window, Chromium has a process more, for what is around the page. The first tab
 * keeps it open.
 */
export async function openWindow(browser: Browser, options: BrowserContextOptions = {}): Promise<BrowserContext> {
  const context = await browser.newContext(options);
  context.setDefaultTimeout(LONGEST_WAIT_MILLISECONDS);
  await context.newPage();
  return context;
}

export async function visit(
  context: BrowserContext,
  url: string,
  { width, colorScheme = "light" }: View,
): Promise<Visit> {
  const page = await context.newPage();
  await page.setViewportSize({ width, height: 780 });
  await page.emulateMedia({ colorScheme });
  const complaints: string[] = [];
  const { origin } = new URL(url);
  page.on("console", (message) => {
    if (["error", "warning"].includes(message.type())) complaints.push(`console: ${message.text()}`);
  });
  page.on("pageerror", (error) => complaints.push(`error: ${error.message}`));
  page.on("request", (request) => {
    if (!/^(data|blob):/.test(request.url()) && new URL(request.url()).origin !== origin)
      complaints.push(request.url());
  });
  page.on("response", (answer) => {
    if (answer.status() >= 400) complaints.push(`${answer.status()} ${answer.url()}`);
  });
  await page.goto(url);
  return { page, complaints, close: () => page.close() };
}

const AXE = createRequire(import.meta.url).resolve("axe-core/axe.min.js");

/** The rules of axe that another width or scheme may change. */
export const RULES_OF_A_VIEW = ["color-contrast", "target-size", "link-in-text-block"];

/**
 * @param place a selector; the whole page where it is absent
 * @param rules only these of axe
 * @param leftOut a selector: what is alike elsewhere, and looked at there
 * @returns each rule of WCAG 2.2, A and AA, that something there violates, and what does
 */
export async function findViolations(
  page: Page,
  place?: string,
  rules?: readonly string[],
  leftOut?: string,
): Promise<string[]> {
  await page.evaluate(readFileSync(AXE, "utf8"));
  return page.evaluate(
    async ({ selector, only, without }) => {
      const { axe } = globalThis as object as { axe: { run(place: unknown, options: object): Promise<AxeResults> } };
      const levels = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"];
      const options = { runOnly: only ?? levels, resultTypes: ["violations"] };
      const include = selector ?? globalThis.document;
      const results = await axe.run(without ? { include: [include], exclude: [without] } : include, options);
      if (results.passes.length < (only ? 1 : 10)) throw new Error("axe has checked next to nothing");
      return results.violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`));
    },
    { selector: place, only: rules, without: leftOut },
  );
}

/**
 * Presses the tabulator from the beginning to the end of the page.
 * @returns the names of what was focused, in that order, and of all that should have been; a name says what of it is not seen
 */
export async function walkByKeyboard(page: Page): Promise<{ stops: string[]; all: string[] }> {
  const all = await page.evaluate(() => {
    const nameOf = (element: Element) =>
      [element.id, element.getAttribute("aria-label") ?? element.textContent.trim().slice(0, 40)].join(" ").trim();
    const stops: string[] = [];
    // What the press before has focused, in the view that it has scrolled to.
    globalThis.document.addEventListener("keydown", () => {
      const { activeElement: element, body } = globalThis.document;
      if (!element || element === body) return;
      const { top, bottom, left, right } = element.getBoundingClientRect();
      const isInView = bottom > 0 && top < innerHeight && right > 0 && left < innerWidth;
      const isOutlined = getComputedStyle(element).outlineStyle !== "none";
      stops.push(`${nameOf(element)}${isInView ? "" : ", out of view"}${isOutlined ? "" : ", without an outline"}`);
    });
    Object.assign(globalThis, { stops });
    const focusable = "a[href], summary, input, select, textarea, button, [tabindex='0']";
    const elements = [...globalThis.document.querySelectorAll(focusable)];
    // The keyboard stops at one of several choices: the one that is made.
    const isStop = (element: Element) =>
      element.checkVisibility() &&
      (element as HTMLElement).tabIndex >= 0 &&
      !element.matches("[type=radio]:not(:checked)");
    return elements.filter(isStop).map(nameOf);
  });
  for (let presses = 0; presses <= all.length; presses += 1) await page.keyboard.press("Tab");
  return { stops: await page.evaluate(() => (globalThis as object as { stops: string[] }).stops), all };
}
