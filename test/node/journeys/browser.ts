import { existsSync } from "node:fs";
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

/** A busy machine draws the reference for more than the half minute that is waited by default: the test's own limit ends it. */
const LONGEST_WAIT_MILLISECONDS = 100_000;

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
