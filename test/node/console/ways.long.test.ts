import { readFileSync } from "node:fs";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { hasBrowser } from "../journeys/browser.ts";
import { type ConsolePage, PAGES } from "./console-page.ts";
import { NOW } from "./fixture-clock.ts";
import { openFixtureConsole } from "./fixture-console.ts";
import { person } from "./fixture-people.ts";
import { type FixtureService, REQUEST_ID } from "./fixture-service.ts";
import { overview } from "./fixture-state.ts";
import { deliveredMessage, waitingMessage } from "./fixture-texts.ts";

describe.skipIf(!hasBrowser)("in the console", () => {
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
  const toast = () => shown.page.locator(".toast").innerText();
  const hash = () => new URL(shown.page.url()).hash;

  const PERSON = {
    Number: "+1 206 555 0142",
    "When they agreed": "2026-11-02T18:04",
    "How they agreed": "at the till",
  };

  it.each([
    ["Test text…: braze", PAGES.website, { Number: "+1 206 555 0142" }, "POST /operator/clients/"],
    ["Add a person…", "people?website=harbor-coffee", PERSON, "POST /operator/websites/harbor-coffee/subscribers"],
  ])("the dialog %s does not move while it is filled in, and Enter sends it", async (opens, address, fields, call) => {
    await shown.open(address);
    await button(opens).click();
    const dialog = shown.page.locator("dialog");
    const line = dialog.locator(".from-shell");
    const [place, isShown] = [await dialog.boundingBox(), await line.isVisible()];
    for (const [label, value] of Object.entries(fields)) await dialog.getByLabel(label, { exact: true }).fill(value);
    expect([isShown, await line.isVisible()]).toEqual([false, true]);
    expect(await dialog.boundingBox()).toEqual(place);
    expect(changes()).toEqual([]);
    await dialog.getByLabel("Number", { exact: true }).press("Enter");
    await expect.poll(() => changes().map(({ method, path }) => `${method} ${path}`)[0]).toContain(call);
    shown.complaints.length = 0;
  });

  it("a text that was just sent is on its way, and its page follows it by itself", async () => {
    const acceptedAt = new Date(NOW - 1000).toISOString();
    const fresh = { ...waitingMessage(), acceptedAt, attempts: 0, retryAt: null, submissions: [] };
    const call = `GET /operator/${PAGES["message that waits"]}`;
    service.instead.set(call, { status: 200, body: { ...fresh, waits: { until: null, because: "its job" } } });
    await shown.open(PAGES["message that waits"]);
    await shown.page.getByRole("heading", { name: "On its way", exact: true }).waitFor();
    expect(await shown.page.locator(".page-acts").innerText()).not.toMatch(/Try|Cancel|waits/);
    service.instead.set(call, { status: 200, body: { ...deliveredMessage(), acceptedAt } });
    await shown.page.getByRole("heading", { name: /^Delivered at/ }).waitFor({ timeout: 5000 });
  });

  it("a failure stays beside its button, with the id of the request", async () => {
    await shown.open(PAGES["dead jobs"]);
    const body = { code: 50300, message: "A store did not answer.", requestId: REQUEST_ID };
    service.instead.set("POST /operator/dead-jobs/8f1c2b3a4d5e6f708192a3b4c5d6e7f8/put-back", { status: 503, body });
    await button("Put back").click();
    const line = shown.page.locator(".failure-line");
    await line.waitFor();
    expect(await line.innerText()).toContain("A store did not answer.");
    expect(await line.locator("code").getAttribute("title")).toBe(REQUEST_ID);
    shown.complaints.length = 0;
  });

  it("a number is masked until somebody asks, and no address has it", async () => {
    await shown.open(PAGES.person);
    const heading = shown.page.locator("h1");
    expect(await heading.innerText()).toBe("+1 206 ••• ••42");
    await heading.getByRole("button").click();
    await shown.page.getByText("+1 206 555 0142").first().waitFor();
    expect(changes().map(({ path }) => path)).toEqual(["/operator/people/p-ada/reveal"]);
    await shown.page.keyboard.press("/");
    await shown.page.keyboard.type("+1 206 555 0142");
    await shown.page.keyboard.press("Enter");
    await shown.page.waitForFunction(() => (document.getElementById("search") as HTMLInputElement).value === "");
    expect(hash()).toBe("#/people/p-ada");
    expect(JSON.parse(changes().at(-1)?.body ?? "")).toEqual({ phone: "+12065550142" });
  });

  it("a text that is held says by whom and why, after its acceptance, however old the hold is", async () => {
    const held = { by: "ada", since: "2026-01-01T00:00:00.000Z", reason: "wrong link" };
    const body = { ...waitingMessage(), waits: { until: null, because: "an operator holds it", held } };
    service.instead.set(`GET /operator/${PAGES["message that waits"]}`, { status: 200, body });
    await shown.open(PAGES["message that waits"]);
    await shown.page.getByRole("heading", { name: "Held", exact: true }).waitFor();
    const story = await shown.page.locator("main").innerText();
    expect(story).toMatch(/Accepted from[\s\S]+subscribed[\s\S]+Held by ada[\s\S]+“wrong link”[\s\S]+Now, /i);
  });

  it("a text that sending hours hold says which, and when they open", async () => {
    const until = new Date(NOW + 86_400_000).toISOString();
    const hours = {
      opensAt: until,
      zones: ["America/Chicago"],
      states: [],
      window: "Mon-Sat 09:00-20:00",
      source: "Texas",
    };
    const waits = { until, because: "its sending hours", hours };
    const body = { ...waitingMessage(), retryAt: null, waits };
    service.instead.set(`GET /operator/${PAGES["message that waits"]}`, { status: 200, body });
    await shown.open(PAGES["message that waits"]);
    await shown.page.getByRole("heading", { name: "Waits for its sending hours" }).waitFor();
    const story = await shown.page.locator("main").innerText();
    expect(story).toMatch(
      /Marketing goes to this person Mon-Sat 09:00-20:00 in Chicago \(Texas\)\.[\s\S]+The hours open/,
    );
  });

  it("the proof of an opt-out has the number, on paper and in the file alike, and its showing is audited once", async () => {
    const { page } = shown;
    await page.addInitScript(() => {
      globalThis.print = () =>
        document.body.setAttribute("data-printed", document.querySelector(".proof")?.textContent ?? "");
    });
    await shown.open(PAGES.person);
    expect(await page.locator(".proof").innerText()).toContain("+1 206 ••• ••42");
    await page.getByRole("button", { name: "Print" }).click();
    await page.locator("body[data-printed]").waitFor();
    expect(await page.locator("body").getAttribute("data-printed")).toMatch(/\+1 206 555 0142.*Made byada/s);
    const [file] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("button", { name: "Download as JSON" }).click(),
    ]);
    const proof = JSON.parse(readFileSync(await file.path(), "utf8"));
    expect(proof).toMatchObject({ number: "+12065550142", madeBy: "ada", to: "+15035550107", wrote: "Stop please!" });
    expect(changes().map(({ path }) => path)).toEqual(["/operator/people/p-ada/reveal"]);
  });

  it("a person is erased with the number of their texts, all of them, and with that of now", async () => {
    await shown.open(PAGES.person);
    const call = "DELETE /operator/people/p-ada";
    const refused = { code: 40903, message: "The count differs.", details: [{ count: 141 }] };
    service.instead.set(call, { status: 409, body: refused });
    await button("Erase…").click();
    await shown.page.getByRole("heading", { name: "Erase +1 206 ••• ••42 and 140 texts?" }).waitFor();
    await shown.page.keyboard.type("42");
    await button("Erase this person").click();
    await shown.page.getByText("There are now 141.").waitFor();
    const erased = { websites: [{ erasedMessages: 141 }], failed: [] };
    service.instead.set(call, { status: 200, body: erased });
    await button("Erase this person").click();
    await shown.page.locator(".toast").waitFor();
    expect(await toast()).toContain("is erased, with 141 texts.");
    expect(changes().map(({ path }) => path)).toEqual([
      "/operator/people/p-ada?expected=140",
      "/operator/people/p-ada?expected=141",
    ]);
    shown.complaints.length = 0;
  });

  it("a secret is shown once, and only its button closes it", async () => {
    await shown.open(PAGES.website);
    await button("Rotate secret…: braze").click();
    await button("Make new secrets").click();
    await shown.page.getByText("5".repeat(64)).waitFor();
    await shown.page.keyboard.press("Escape");
    expect(await shown.page.locator("dialog").count()).toBe(1);
    await button("I have kept them").click();
    expect(await shown.page.getByText("5".repeat(64)).count()).toBe(0);
  });

  it("a website tells who joined and left, what was refused and how much of its limit is used", async () => {
    await shown.open(PAGES.website);
    const { page } = shown;
    const tile = (label: string) => page.locator(".tiles li").filter({ hasText: label }).innerText();
    expect(await tile("refused today")).toBe("Requests refused today\n15\n40001: 12, 42902: 3");
    expect(await page.locator(".lead").innerText()).toContain("29.6 % of the daily limit is used.");
    await button("Table: Joined and left").click();
    const rows = (label: string) => page.getByLabel(`${label}, table`).locator("tbody tr");
    expect(await rows("Joined and left").count()).toBe(30);
    await button("Table: Refused requests").click();
    expect(await rows("Refused requests").filter({ hasText: "140" }).count()).toBe(1);
  });

  it("the overview says that there are more websites than it shows", async () => {
    await shown.open(PAGES.overview);
    const all = shown.page.locator("main").getByRole("link", { name: "All websites" });
    expect(await all.count()).toBe(0);
    service.instead.set("GET /operator/overview", { status: 200, body: { ...overview(null), isCut: true } });
    await shown.open(PAGES.overview);
    expect(await all.getAttribute("href")).toBe("#/websites");
  });

  it("a test event is answered in its place", async () => {
    await shown.open(PAGES.website);
    await button("Send a test event: braze").click();
    await shown.page.getByText("Not taken: 500 in 207 ms. Nothing of a real person was in it.").waitFor();
  });

  it("the endpoint of a client is changed", async () => {
    await shown.open(PAGES.website);
    await button("Change it…: braze").click();
    await shown.page.getByLabel("URL", { exact: true }).fill("https://hooks.example/new");
    await button("Change the endpoint").click();
    await shown.page.getByText("Callbacks of braze go to https://hooks.example/new.").waitFor();
    expect(changes().map(({ method, body }) => [method, JSON.parse(body)])).toEqual([
      ["PATCH", { callbackUrl: "https://hooks.example/new" }],
    ]);
  });

  it("a change of settings says what it will do before it is saved", async () => {
    await shown.open(PAGES.website);
    await shown.page.getByLabel("Words that opt out").fill("adios");
    await shown.page.getByText("These opt out as well: adios.").waitFor();
    await button("Save this change").click();
    await shown.page.locator(".toast").waitFor();
    expect(JSON.parse(changes()[0]?.body ?? "")).toMatchObject({
      name: "Harbor Coffee",
      optOutWords: ["adios"],
      timeZone: "America/Los_Angeles",
    });
  });

  it("a file is looked at before it is imported", async () => {
    await shown.open(PAGES.import);
    await shown.page
      .getByLabel("File")
      .setInputFiles({ name: "till.csv", mimeType: "text/csv", buffer: Buffer.from("phone_numbers\n+12065550142\n") });
    await button("Look at it").click();
    await shown.page.getByText("Nothing is stored yet.").waitFor();
    await shown.page.getByText("A spreadsheet has shortened the number").waitFor();
    expect(changes().map(({ path, body }) => [path, body])).toEqual([
      ["/operator/websites/harbor-coffee/subscribers?dryRun=true&file=till.csv", "phone_numbers\n+12065550142\n"],
    ]);
  });

  it("the keyboard goes to pages, rows and neighbors", async () => {
    const { page } = shown;
    await shown.open(PAGES.overview);
    await page.keyboard.press("g");
    await page.keyboard.press("m");
    await page.getByRole("heading", { name: "Messages", exact: true }).waitFor();
    await shown.settled();
    expect(await page.evaluate(() => document.activeElement?.id)).toBe("main");
    for (const key of ["j", "j", "k", "Enter"]) await page.keyboard.press(key);
    await page.waitForURL(/#\/messages\/0197c2ab-71d4-4e0b-8a01-000000000001$/);
    await shown.settled();
    await page.keyboard.press("[");
    await page.waitForURL(/#\/messages\/0197c2aa-0000/);
    await page.keyboard.press("?");
    await page.getByRole("heading", { name: "Keys" }).waitFor();
    await page.keyboard.press("Escape");
  });

  it("a chart says its numbers to the keyboard, and is a table at a press", async () => {
    const { page } = shown;
    await shown.open(PAGES.overview);
    const chart = page.getByRole("slider").first();
    await chart.focus();
    for (const key of ["End", "PageUp", "ArrowLeft"]) await page.keyboard.press(key);
    expect(await chart.getAttribute("aria-valuetext")).toMatch(
      /^02:54, Accepted \d+, Delivered \d+, Undelivered \d+, No receipt \d+, Waiting \d+, Not sent \d+$/,
    );
    await page.locator("main").focus();
    await page.keyboard.press("t");
    expect(await page.getByRole("slider").count()).toBe(0);
    // An hour, and three charts of 30 days.
    expect(await page.locator(".chart-table:visible tbody tr").count()).toBe(150);
  });

  it("a service that goes away leaves its numbers, which are old, and nothing can be changed", async () => {
    const { page } = shown;
    await shown.open(PAGES.overview);
    await page.clock.setFixedTime(NOW + 30_000);
    service.mode = "failing";
    await page.evaluate(() => document.dispatchEvent(new Event("visibilitychange")));
    await page.getByText("Textgate does not answer since 03:05:20.").waitFor();
    expect(await page.locator("h1").innerText()).toBe("2 things need you");
    expect(await page.locator(".as-of").innerText()).toBe("Old: 03:05:20");
    await page.getByText(/The next look is in 10 seconds\. 503, request 7f1c2a9e/).waitFor();
    expect(await button("Try kannel now").isDisabled()).toBe(true);
    service.mode = "data";
    await button("Look now").click();
    await page.locator(".note").waitFor({ state: "detached" });
    expect(await button("Try kannel now").isDisabled()).toBe(false);
    await page.clock.setFixedTime(NOW);
  });

  it("a tab that is not seen asks for nothing but what needs somebody, which its title has", async () => {
    const { page } = shown;
    await shown.open(PAGES.overview);
    await page.evaluate(() => Object.defineProperty(document, "hidden", { value: true, configurable: true }));
    service.asked.length = 0;
    await page.clock.setFixedTime(NOW + 60_000);
    await page.evaluate(() => document.dispatchEvent(new Event("visibilitychange")));
    await page.evaluate(() => {
      location.hash = "#/waiting";
    });
    await shown.settled();
    expect([...new Set(service.asked.map(({ path }) => path))]).toEqual(["/operator/overview"]);
    await page.clock.setFixedTime(NOW);
  });

  it("a token is exchanged for a session, and stays in no address", async () => {
    const { page } = shown;
    const session = { operator: "ada", role: "operator", expiresAt: "2026-11-25T14:00:00.000Z" };
    service.instead.set("GET /console/session", { status: 200, body: { session: null } });
    const unknown = { code: 40101, message: "The token is not known." };
    service.instead.set("POST /console/session", { status: 401, body: unknown });
    await shown.open("overview");
    expect(await page.title()).toBe("Sign in");
    await page.locator("#token").fill("tg_wrong");
    await page.keyboard.press("Enter");
    await page.getByText("This token is not known.").waitFor();
    service.instead.set("POST /console/session", { status: 204, body: null });
    service.instead.set("GET /console/session", { status: 200, body: { session } });
    await page.evaluate(() => {
      location.hash = "#/in/tg_right";
    });
    await page.getByRole("heading", { name: "2 things need you" }).waitFor();
    expect(changes().map(({ body }) => JSON.parse(body).token)).toEqual(["tg_wrong", "tg_right"]);
    expect(hash()).toBe("#/overview");
    shown.complaints.length = 0;
  });

  it("a session that has ended leads back to the sign-in, and from there to the page", async () => {
    const { page } = shown;
    await shown.open(PAGES.overview);
    service.instead.set("GET /operator/waiting", {
      status: 401,
      body: { code: 40101, message: "The session has ended." },
    });
    await page.evaluate(() => {
      location.hash = "#/waiting";
    });
    await page.getByText("The session has ended. Sign in to go on where you were.").waitFor();
    service.instead.clear();
    await page.locator("#token").fill("tg_right");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "950 texts wait for kannel" }).waitFor();
    shown.complaints.length = 0;
  });

  it("a status stays in its card, and a toast covers no end of a page, on the narrowest phone", async () => {
    const body = person();
    for (const site of body.websites)
      Object.assign(site, { websiteName: "Northwind Outfitters and Company", subscribed: false });
    service.instead.set("GET /operator/people/p-ada", { status: 200, body });
    await shown.page.setViewportSize({ width: 360, height: 700 });
    await shown.open(PAGES.person);
    const right = async (selector: string) => {
      const boxes = await Promise.all((await shown.page.locator(selector).all()).map((it) => it.boundingBox()));
      return Math.max(...boxes.map((box) => (box ? box.x + box.width : Number.POSITIVE_INFINITY)));
    };
    expect(await right(".facts .status")).toBeLessThan(await right(".card"));
    await shown.open(PAGES.waiting);
    await button("Hold: winter-sale").click();
    await shown.page.locator(".toast").waitFor();
    const end = await shown.page.evaluate(() => {
      scrollTo(0, document.body.scrollHeight);
      return document.querySelector(".from-shell")?.getBoundingClientRect().bottom ?? Number.POSITIVE_INFINITY;
    });
    expect(end).toBeLessThan((await shown.page.locator(".toast").boundingBox())?.y ?? 0);
    await shown.page.setViewportSize({ width: 1280, height: 800 });
  });

  it("a viewer sees numbers and changes nothing", async () => {
    service.role = "viewer";
    await shown.open("");
    expect(hash()).toBe("#/websites");
    for (const [name, address] of Object.entries(PAGES)) {
      await shown.go(address);
      const names = await shown.page.locator("main button:visible").allInnerTexts();
      expect([
        name,
        names.filter((it) => /hold|cancel|release|rotate|suspend|erase|try|put|end|new|save|opt|undo/i.test(it)),
      ]).toEqual([name, []]);
    }
  });
});
