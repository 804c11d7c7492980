import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { AxeResults } from "axe-core";
import { type Browser, type BrowserContextOptions, chromium, type Page } from "playwright-core";

/** Debian's package. */
const CHROMIUM = "/usr/bin/chromium";

export const hasBrowser = existsSync(CHROMIUM);

/** Without the flags, Chromium calls its maker's hosts by itself. */
export function startBrowser(): Promise<Browser> {
  const silence = ["--disable-background-networking", "--disable-component-update", "--disable-sync", "--no-first-run"];
  const args = ["--no-sandbox", "--disable-gpu", "--disable-quic", ...silence];
  return chromium.launch({ executablePath: CHROMIUM, args });
}

/** Less than a test may take: what is waited for in vain says so. */
const LONGEST_WAIT_MILLISECONDS = 20_000;

export interface Visit {
  page: Page;
  /** What a page should never do: errors and warnings in the console, and requests to another host. */
  complaints: string[];
  close(): Promise<void>;
}

export async function visit(browser: Browser, url: string, options: BrowserContextOptions): Promise<Visit> {
  const context = await browser.newContext(options);
  context.setDefaultTimeout(LONGEST_WAIT_MILLISECONDS);
  const page = await context.newPage();
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
  return { page, complaints, close: () => context.close() };
}

const AXE = createRequire(import.meta.url).resolve("axe-core/axe.min.js");

/** @returns each rule of WCAG 2.2, A and AA, that something on the page violates, and what does */
export async function findViolations(page: Page): Promise<string[]> {
  await page.evaluate(readFileSync(AXE, "utf8"));
  return page.evaluate(async () => {
    const { axe } = globalThis as object as { axe: { run(place: unknown, options: object): Promise<AxeResults> } };
    const levels = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"];
    const results = await axe.run(globalThis.document, { runOnly: levels, resultTypes: ["violations"] });
    if (results.passes.length < 10) throw new Error("axe has checked next to nothing");
    return results.violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`));
  });
}

/**
 * Presses the tabulator from the beginning to the end of the page.
 * @returns the names of what was focused, in that order, and of all that should have been
 * @throws Error when something is focused that is out of view, or does not show it
 */
export async function walkByKeyboard(page: Page): Promise<{ stops: string[]; all: string[] }> {
  const all = await page.evaluate(() => {
    const named = globalThis as object as { nameOf(element: Element): string };
    named.nameOf = (element) =>
      [element.id, element.getAttribute("aria-label") ?? element.textContent.trim().slice(0, 40)]
        .filter(Boolean)
        .join(": ");
    const elements = globalThis.document.querySelectorAll(
      "a[href], summary, input, select, textarea, button, [tabindex='0']",
    );
    return [...elements].filter((element) => element.checkVisibility()).map(named.nameOf);
  });
  const stops: string[] = [];
  for (let left = all.length + 1; left > 0; left -= 1) {
    await page.keyboard.press("Tab");
    const stop = await page.evaluate(() => {
      const { activeElement: element, documentElement, body } = globalThis.document;
      if (!element || element === body || element === documentElement) return undefined;
      const { top, bottom, left, right } = element.getBoundingClientRect();
      const isInView = bottom > 0 && top < innerHeight && right > 0 && left < innerWidth;
      const isSeen = getComputedStyle(element).outlineStyle !== "none";
      const name = (globalThis as object as { nameOf(element: Element): string }).nameOf(element);
      return { name, isGood: isInView && isSeen };
    });
    if (!stop) break;
    if (!stop.isGood) throw new Error(`the focus is not seen: ${stop.name}`);
    stops.push(stop.name);
  }
  return { stops, all };
}
