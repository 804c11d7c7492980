import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { AxeResults } from "axe-core";
import type { BrowserContext, Page } from "playwright-core";
import { NOW } from "./fixture-clock.ts";
import type { FixtureService, Mode } from "./fixture-service.ts";

/** The address of each page behind the # of the console's. */
export const PAGES = {
  overview: "overview",
  messages: "messages?q=after:00:00",
  message: "messages/0197c2ab-71d4-4e0b-8a01-00000000b7aa",
  "message that waits": "messages/0197c2c1-71d4-4e0b-8a01-0000000040fe",
  waiting: "waiting",
  conversations: "conversations",
  reports: "reports",
  websites: "websites",
  website: "websites/harbor-coffee",
  "events of a client": "websites/harbor-coffee/clients/4b1f09d24b1f09d24b1f09d24b1f2d58",
  campaign: "websites/northwind/campaigns/winter-sale",
  "new website": "websites/new",
  people: "people",
  person: "people/p-ada",
  import: "import",
  problems: "problems",
  "dead jobs": "dead-jobs",
  databases: "databases",
  accounts: "accounts",
  "tokens and audit": "audit",
  more: "more",
} as const;

export interface ConsolePage {
  page: Page;
  /** What a page should never do: errors and warnings, reports of the policy, and requests to another host. */
  complaints: string[];
  /** Opens a page of the console anew, and waits until it is drawn. */
  open(address: string, mode?: Mode): Promise<void>;
  /** Goes from the page that is shown to another, as a link does, which takes a quarter of the time. */
  go(address: string): Promise<void>;
  /** Until what it has asked for is answered and drawn. */
  settled(): Promise<void>;
}

/** The clock of the page stands still, and its timers run. A failing answer is an error in the browser's console: it is none here. */
export async function openConsole(context: BrowserContext, service: FixtureService): Promise<ConsolePage> {
  const page = await context.newPage();
  const complaints: string[] = [];
  await page.clock.setFixedTime(NOW);
  await page.exposeFunction("reportViolation", (words: string) => complaints.push(`policy: ${words}`));
  await page.addInitScript(() => {
    document.addEventListener("securitypolicyviolation", (event) => {
      const { reportViolation } = globalThis as object as { reportViolation(words: string): void };
      reportViolation(`${event.violatedDirective} ${event.blockedURI} ${event.sample}`);
    });
  });
  page.on("console", (message) => {
    const isOfAnswer = /^Failed to load resource: the server responded with a status of/.test(message.text());
    if (["error", "warning"].includes(message.type()) && !(isOfAnswer && service.mode === "failing"))
      complaints.push(`console: ${message.text()}`);
  });
  page.on("pageerror", (error) => complaints.push(`error: ${error.message}`));
  page.on("request", (request) => {
    if (!request.url().startsWith(`${service.url}/`)) complaints.push(`foreign: ${request.url()}`);
  });

  /** Requests that have no answer yet: to wait for an idle network takes half a second each time. */
  let unanswered = 0;
  page.on("request", () => (unanswered += 1));
  page.on("requestfinished", () => (unanswered -= 1));
  page.on("requestfailed", () => (unanswered -= 1));
  const settled = async () => {
    // Twice, because what was just answered is not drawn yet.
    for (let quiet = 0; quiet < 2; quiet = unanswered > 0 ? 0 : quiet + 1)
      await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve, 20))));
  };

  let turn = 0;
  const open = async (address: string, mode: Mode = "data") => {
    service.mode = mode;
    turn += 1;
    await page.goto(`${service.url}/console?${turn}#/${address}`);
    await page.locator("h1").waitFor();
    await settled();
  };
  const go = async (address: string) => {
    await page.evaluate((hash) => {
      location.hash = hash;
    }, `#/${address}`);
    await settled();
  };
  return { page, complaints, open, go, settled };
}

/** How many pixels stick out to the right, once charts have taken the width that there is. */
export const sideways = (page: Page): Promise<number> =>
  page.evaluate(async () => {
    for (let frames = 0; frames < 3; frames += 1) await new Promise(requestAnimationFrame);
    return Math.max(0, document.documentElement.scrollWidth - innerWidth);
  });

const AXE = createRequire(import.meta.url).resolve("axe-core/axe.min.js");

/** @returns what violates WCAG 2.2, A and AA; `rules`: only these, which is quicker */
export async function violationsOf(page: Page, rules?: string[]): Promise<string[]> {
  if (!(await page.evaluate(() => "axe" in globalThis))) await page.evaluate(readFileSync(AXE, "utf8"));
  return page.evaluate(async (only) => {
    const { axe } = globalThis as object as { axe: { run(place: unknown, options: object): Promise<AxeResults> } };
    const runOnly = only ?? ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"];
    const { violations, passes } = await axe.run(document, { runOnly, resultTypes: ["violations"] });
    if (passes.length === 0) throw new Error("axe has checked nothing");
    return violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`));
  }, rules);
}
