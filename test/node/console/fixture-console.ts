// The console in a browser, on the invented data.
import type { Browser } from "playwright-core";
import { openWindow, startBrowser } from "../journeys/browser.ts";
import { buildConsole } from "./build.ts";
import { type ConsolePage, openConsole } from "./console-page.ts";
import { type FixtureService, startFixture } from "./fixture-service.ts";

export interface FixtureConsole {
  service: FixtureService;
  browser: Browser;
  shown: ConsolePage;
}

export async function openFixtureConsole(): Promise<FixtureConsole> {
  buildConsole();
  const service = await startFixture();
  const browser = await startBrowser();
  const viewport = { width: 1280, height: 800 };
  const context = await openWindow(browser, { timezoneId: "Europe/Berlin", locale: "en-GB", viewport });
  return { service, browser, shown: await openConsole(context, service) };
}
