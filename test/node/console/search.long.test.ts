import type { Browser } from "playwright-core";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { hasBrowser } from "../journeys/browser.ts";
import { type ConsolePage, PAGES } from "./console-page.ts";
import { openFixtureConsole } from "./fixture-console.ts";
import type { FixtureService } from "./fixture-service.ts";
import { found } from "./fixture-texts.ts";

describe.skipIf(!hasBrowser)("in a search of the console", () => {
  let service: FixtureService;
  let browser: Browser;
  let shown: ConsolePage;

  beforeAll(async () => {
    ({ service, browser, shown } = await openFixtureConsole());
  });

  beforeEach(() => {
    service.asked.length = 0;
    service.instead.clear();
    service.role = "operator";
  });

  afterAll(async () => {
    await browser?.close();
    await service?.stop();
  });

  const button = (name: string | RegExp) => shown.page.getByRole("button", { name, exact: typeof name === "string" });
  const changes = () => service.asked.filter(({ method }) => method !== "GET");
  const hash = () => new URL(shown.page.url()).hash;

  it.each([
    ["#search", "2065550142"],
    ["#search", "status:delivered 206 555 0142"],
    ["#search-messages", "2065550142"],
    ["#search-messages", "purpose:winter-sale 206-555-0142"],
  ])("a number without its country is asked for, and gets into no address: %s %s", async (field, typed) => {
    await shown.open(field === "#search" ? PAGES.waiting : "messages");
    await shown.page.locator(field).fill(typed);
    await shown.page.keyboard.press("Enter");
    await shown.page.getByText("A number begins with + and its country").waitFor();
    expect(hash()).not.toMatch(/0142/);
    expect(changes()).toEqual([]);
  });

  it.each([
    ...["+12065550142,", "\u202a+12065550142\u202c", "+1-206\u2011555\u20110142", "+1.206.555.0142"],
    ...["purpose:winter-sale +1/206/555/0142", "<ada.lovelace@example.com>"],
  ])("who is typed as %s is found by an id, and gets into no address", async (typed) => {
    for (const field of ["#search", "#search-messages"]) {
      await shown.open(field === "#search" ? PAGES.waiting : "messages");
      await shown.page.locator(field).fill(typed);
      await shown.page.keyboard.press("Enter");
      await shown.page.waitForURL(/p-ada/);
      await shown.settled();
      expect(hash()).not.toMatch(/0142|lovelace/);
      expect(service.asked.map(({ path }) => path).join(" ")).not.toMatch(/0142|lovelace/);
    }
  });

  it.each([
    ["after:lastweek", "after: takes today, yesterday"],
    ["after:2026-11-31", "after: takes today, yesterday"],
    ["before:25:99", "before: takes today, yesterday"],
    ["purpose:spring hello", 'purpose:"spring hello"'],
    ["purpose:+12065550142", "purpose: takes no number"],
  ])("the filter %s is an error, without a list and without an address", async (typed, said) => {
    for (const field of ["#search-messages", "#search"]) {
      await shown.open(field === "#search" ? PAGES.waiting : "messages");
      service.asked.length = 0;
      await shown.page.locator(field).fill(typed);
      await shown.page.keyboard.press("Enter");
      await shown.page.getByText(said).waitFor();
      expect(hash()).toBe(field === "#search" ? `#/${PAGES.waiting}` : "#/messages");
      if (field === "#search-messages") expect(await shown.page.locator("main table").count()).toBe(0);
      expect(service.asked.filter(({ path }) => path.startsWith("/operator/messages"))).toEqual([]);
    }
    await shown.open(`messages?q=${encodeURIComponent(typed)}`);
    await shown.page.getByText(said).waitFor();
    expect(await shown.page.locator("main table").count()).toBe(0);
  });

  it("takes today, yesterday and did not arrive for filters, which the address keeps", async () => {
    const query = () => {
      const asked = service.asked.findLast(({ path }) => path.startsWith("/operator/messages"));
      return Object.fromEntries(new URL(asked?.path ?? "", service.url).searchParams);
    };
    const [today, yesterday] = ["2026-11-24T23:00:00.000Z", "2026-11-23T23:00:00.000Z"];
    await shown.open(PAGES.waiting);
    for (const [field, words, asks] of [
      ["#search", "did not arrive", {}],
      ["#search-messages", "yesterday", { from: yesterday, until: today }],
      ["#search-messages", "Today", { from: today }],
    ] as const) {
      await shown.page.locator(field).fill(words);
      await shown.page.keyboard.press("Enter");
      await expect.poll(query).toEqual({ outcome: "notArrived", ...asks });
      await shown.settled();
    }
    expect(hash()).toBe("#/messages?q=outcome%3Anot-arrived+after%3Atoday");
    await shown.page.reload();
    await button("Without after: today").waitFor();
    await expect.poll(query).toEqual({ outcome: "notArrived", from: today });
  });

  const CALL = "GET /operator/messages";
  const nothing = (next: string | null, lookedBackTo: string | null) => ({
    status: 200,
    body: { messages: [], next, lookedBackTo },
  });

  it("that has looked at a part says how far, goes on by itself, and stops after some pages", async () => {
    service.instead.set(CALL, nothing("further", "2026-11-24T08:43:00Z"));
    await shown.open("messages?q=purpose:none");
    await shown.page.getByRole("heading", { name: "None among the texts back to yesterday 09:43" }).waitFor();
    await button("Look further").waitFor();
    const further = () => service.asked.filter(({ path }) => path === "/operator/messages?purpose=none&cursor=further");
    expect(further()).toHaveLength(20);
    service.instead.set(CALL, nothing(null, null));
    await button("Look further").click();
    await shown.page.getByRole("heading", { name: "No text is like this" }).waitFor();
    expect(further()).toHaveLength(21);
  });

  it("that finds some says how far it has looked", async () => {
    service.instead.set(CALL, { status: 200, body: { ...found(), lookedBackTo: "2026-11-24T08:43:00Z" } });
    await shown.open("messages?q=purpose:none");
    await shown.page.getByText("These 10, back to yesterday 09:43.").waitFor();
    service.instead.set(CALL, { status: 200, body: { ...found(), next: null, lookedBackTo: null } });
    await shown.open("messages?q=purpose:none");
    await shown.page.getByText("These are all.").waitFor();
  });

  it("without filters says that there is no text, and not that none is like this", async () => {
    service.instead.set(CALL, nothing(null, null));
    await shown.open("messages");
    await shown.page.getByRole("heading", { name: "No text yet" }).waitFor();
  });

  it("words of the search become filters", async () => {
    await shown.open("messages");
    await shown.page.keyboard.press("/");
    await shown.page.keyboard.type("purpose:winter-sale status:undelivered staus:x");
    await shown.page.keyboard.press("Enter");
    await shown.page.getByText("“staus:” is no filter.").waitFor();
    await shown.settled();
    const last = () => service.asked.filter(({ path }) => path.startsWith("/operator/messages")).at(-1)?.path;
    expect(last()).toBe("/operator/messages?purpose=winter-sale&status=FAILED_TO_DELIVERY");
    await button("Without status: undelivered").click();
    await shown.settled();
    expect(last()).toBe("/operator/messages?purpose=winter-sale");
  });
});
