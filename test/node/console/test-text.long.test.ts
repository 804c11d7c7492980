/** A test text from the console of a service whose website has the sandbox: its page follows it by itself. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { operate } from "../harness/service.ts";
import { hasBrowser } from "../journeys/browser.ts";
import { ADA, startVerbs, type VerbsStage } from "./verbs-stage.ts";

describe.skipIf(!hasBrowser)("a test text of the console", () => {
  let stage: VerbsStage;

  beforeAll(async () => {
    stage = await startVerbs();
    const { url } = stage.service;
    await operate(url, "PUT", "/websites/pier", { name: "Pier", carrier: "sandbox" });
    await operate(url, "POST", "/websites/pier/subscribers?everyone=subscribed", `phone_numbers\n${ADA}`);
    await operate(url, "POST", "/websites/pier/clients", { name: "till" });
  });

  afterAll(async () => {
    await stage?.stop();
    expect(stage.complaints).toEqual([]);
  });

  it("goes with Enter, is on its way, and is delivered, and nothing is said to wait meanwhile", async () => {
    const { page, service } = stage;
    await page.goto(`${service.url}/console#/websites/pier`);
    await page.getByRole("button", { name: "Test text…: till", exact: true }).click();
    const number = page.getByLabel("Number", { exact: true });
    await number.fill(ADA);
    await number.press("Enter");
    await page.waitForURL(/#\/messages\/[0-9a-f-]{36}$/);
    const seen = new Set<string>();
    const look = async () => {
      seen.add(await page.locator(".page-head").innerText());
      return page.locator("h1").innerText();
    };
    await expect.poll(look, { interval: 50, timeout: 15_000 }).toMatch(/^Delivered at/);
    const words = [...seen].join("\n");
    expect(words).toMatch(/On its way/);
    expect(words).not.toMatch(/Waiting|Try sandbox|Cancel/);
  });
});
