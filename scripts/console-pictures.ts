// `node scripts/console-pictures.ts`: makes the pictures of docs/console.md from the invented data of the console's tests. It needs Chromium.
import { execFileSync } from "node:child_process";
import { mkdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { openConsole, PAGES } from "../test/node/console/console-page.ts";
import { MARKUP } from "../test/node/console/fixture-clock.ts";
import { startFixture } from "../test/node/console/fixture-service.ts";
import { openWindow, startBrowser } from "../test/node/journeys/browser.ts";

const ROOT = join(import.meta.dirname, "..");
const FOLDER = join(ROOT, "docs/console");

/** They are part of the repository for good. */
const MOST_BYTES = 150 * 1024;

interface Picture {
  page: keyof typeof PAGES;
  colorScheme?: "light" | "dark";
  width?: number;
  height?: number;
}

/** By the names of their files. */
const PICTURES: Record<string, Picture> = {
  overview: { page: "overview" },
  message: { page: "message", height: 680 },
  waiting: { page: "waiting", height: 640 },
  website: { page: "website" },
  person: { page: "person", height: 680 },
  phone: { page: "overview", colorScheme: "dark", width: 390, height: 780 },
};

execFileSync(process.execPath, [join(ROOT, "scripts/console-assets.ts")]);
mkdirSync(FOLDER, { recursive: true });
const service = await startFixture();
const browser = await startBrowser();
try {
  const context = await openWindow(browser, { timezoneId: "Europe/Berlin", locale: "en-GB" });
  const { page, open } = await openConsole(context, service);
  // What a stranger might write is in the invented data for the tests, and would puzzle whoever looks at a picture.
  const written = JSON.stringify(MARKUP).slice(1, -1);
  await page.route("**/operator/**", async (route) => {
    const response = await route.fetch();
    await route.fulfill({ response, body: (await response.text()).replaceAll(written, "") });
  });
  for (const [name, { page: of, colorScheme = "light", width = 1200, height = 760 }] of Object.entries(PICTURES)) {
    await page.setViewportSize({ width, height });
    await page.emulateMedia({ colorScheme });
    await open(PAGES[of]);
    const path = join(FOLDER, `${name}.png`);
    await page.screenshot({ path });
    const { size } = statSync(path);
    if (size > MOST_BYTES) throw new Error(`${path} has ${size} bytes: more than ${MOST_BYTES}`);
    console.log(`docs/console/${name}.png: ${Math.ceil(size / 1024)} KiB`);
  }
} finally {
  await browser.close();
  await service.stop();
}
