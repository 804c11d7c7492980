/** Lists: several rows at once, more rows on a screen, the filter in the address, and a mark in the title of a tab that nobody sees. */
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { hasBrowser } from "../journeys/browser.ts";
import { type ConsolePage, PAGES, sideways, violationsOf } from "./console-page.ts";
import { openFixtureConsole } from "./fixture-console.ts";
import type { Asked, FixtureService } from "./fixture-service.ts";
import { overview } from "./fixture-state.ts";
import { found } from "./fixture-texts.ts";

const CLIENT = PAGES["events of a client"];

describe.skipIf(!hasBrowser)("in a list of the console", () => {
  let service: FixtureService;
  let browser: Browser;
  let shown: ConsolePage;

  beforeAll(async () => {
    ({ service, browser, shown } = await openFixtureConsole());
  });

  beforeEach(async () => {
    service.asked.length = 0;
    service.instead.clear();
    service.role = "operator";
    await shown.page.setViewportSize({ width: 1280, height: 900 });
  });

  afterAll(async () => {
    await browser?.close();
    await service?.stop();
    expect(shown?.complaints).toEqual([]);
  });

  const button = (name: string) => shown.page.getByRole("button", { name, exact: true });
  const changes = () => service.asked.filter(({ method }) => method !== "GET");
  const short = ({ path, body }: Asked) => [path.split("/").slice(3).join("/"), body && JSON.parse(body)];
  const toast = () => shown.page.locator(".toast").innerText();
  const pick = (name: string) => shown.page.getByLabel(`Pick ${name}`, { exact: true });

  describe("of what waits", () => {
    it("several rows are held at one press, each by its own hold, and one Undo ends these", async () => {
      await shown.open(PAGES.waiting);
      await pick("winter-sale").check();
      await pick("order-shipped").check();
      expect(await shown.page.locator(".save-bar").innerText()).toMatch(/936 texts of 2 rows/);
      expect(await violationsOf(shown.page)).toEqual([]);
      await button("Hold these").click();
      await shown.page.getByText("1,742 texts of winter-sale and order-shipped are held.").waitFor();
      await button("Undo").click();
      await shown.page.getByText("The holds have ended.").waitFor();
      expect(changes().map(short)).toEqual([
        ["northwind/hold", { sendPurpose: "winter-sale", clientId: "aa11" }],
        ["northwind/hold", { sendPurpose: "order-shipped", clientId: "aa11" }],
        ["northwind/release", { holdId: "h-new" }],
        ["northwind/release", { holdId: "h-new" }],
      ]);
    });

    it("there is only the verb that each of the rows has", async () => {
      await shown.open(PAGES.waiting);
      await pick("loyalty-nudge").check();
      expect(await button("Hold these").count()).toBe(0);
      expect(await button("Release these…").count()).toBe(1);
      await pick("winter-sale").check();
      expect(await button("Hold these").count()).toBe(1);
      await button("All 5").click();
      expect(await shown.page.locator(".save-bar").innerText()).toMatch(/3,400 texts of 5 rows/);
      await button("None").click();
      expect(await shown.page.locator(".save-bar").count()).toBe(0);
    });

    it("several are cancelled after they are counted, and those that are done are left out of a second try", async () => {
      await shown.open(PAGES.waiting);
      await pick("loyalty-nudge").check();
      await pick("morning-offer").check();
      await button("Cancel these…").click();
      const act = button("Cancel 1,742 texts");
      await act.waitFor();
      expect(await act.isDisabled()).toBe(true);
      const call = "POST /operator/websites/harbor-coffee/cancel";
      const refused = { code: 40903, message: "The count differs.", details: [{ count: 880 }] };
      await shown.page.getByLabel("Type cancel to cancel them").fill("cancel");
      service.asked.length = 0;
      service.instead.set(call, { status: 409, body: refused });
      await act.click();
      await shown.page.getByText("There are now 1,751.").waitFor();
      service.instead.clear();
      await button("Cancel 1,751 texts").click();
      await shown.page.locator("dialog").waitFor({ state: "detached" });
      expect(changes().map(({ body }) => [JSON.parse(body).sendPurpose, JSON.parse(body).expected])).toEqual([
        ["loyalty-nudge", 871],
        ["loyalty-nudge", 880],
        ["morning-offer", 871],
      ]);
      shown.complaints.length = 0;
    });

    it("a viewer picks nothing", async () => {
      service.role = "viewer";
      await shown.open(PAGES.waiting);
      expect(await shown.page.getByLabel(/^Pick/).count()).toBe(0);
      await shown.open(PAGES.messages);
      expect(await shown.page.getByLabel(/^Pick/).count()).toBe(0);
      expect(await shown.page.getByText("Export as CSV").count()).toBe(0);
    });
  });

  describe("of messages", () => {
    it("only those that wait can be picked, and what has gone meanwhile is said", async () => {
      await shown.open(PAGES.messages);
      const waiting = found().messages.filter(({ status }) => status === "PENDING_TO_SEND");
      expect(await shown.page.getByLabel(/^Pick/).count()).toBe(waiting.length);
      for (const box of await shown.page.getByLabel(/^Pick/).all()) await box.check();
      await button("Cancel these…").click();
      await shown.page.keyboard.type("cancel");
      const refused = { code: 40903, message: "It does not wait.", details: [{ count: 0 }] };
      const call = `POST /operator/messages/${waiting[0]?.messageId}/cancel`;
      service.instead.set(call, { status: 409, body: refused });
      await button(`Cancel ${waiting.length} texts`).click();
      await shown.page.locator(".toast").waitFor();
      expect(await toast()).toContain(`${waiting.length - 1} text of ${waiting.length} is cancelled.`);
      expect(changes().map(({ path }) => path)).toEqual(
        waiting.map(({ messageId }) => `/operator/messages/${messageId}/cancel`),
      );
      shown.complaints.length = 0;
    });

    it("the file has the filter of the page, and the address brings the same list again", async () => {
      const address = `messages?q=${encodeURIComponent('website:northwind purpose:"spring sale" status:undelivered')}`;
      await shown.open(address);
      const asked = service.asked.find(({ path }) => path.startsWith("/operator/messages?"))?.path;
      const link = shown.page.getByRole("link", { name: "Export as CSV" });
      expect(await link.getAttribute("href")).toBe(`${asked}&format=csv`);
      expect(await link.getAttribute("download")).toBe("");
      await shown.page.reload();
      await shown.settled();
      expect(service.asked.filter(({ path }) => path === asked)).toHaveLength(2);
      expect(await shown.page.locator(".chip").allInnerTexts()).toEqual([
        expect.stringContaining("northwind"),
        expect.stringContaining("spring sale"),
        expect.stringContaining("undelivered"),
      ]);
    });
  });

  it("the events of a client are filtered in the address, and say what the endpoint answered", async () => {
    await shown.open(`${CLIENT}?type=message.status`);
    const words = await shown.page.locator("main").innerText();
    expect(words).toMatch(/204[\s\S]+503[\s\S]+timed-out[\s\S]+Waiting/);
    await shown.page.getByRole("link", { name: "Failed", exact: true }).click();
    await shown.settled();
    expect(new URL(shown.page.url()).hash).toBe(`#/${CLIENT}?type=message.status&callback=failed`);
    expect(service.asked.at(-1)?.path).toMatch(/\/events\?type=message.status&callback=failed$/);
  });

  it("rows can be denser, in this browser and in every list, and nothing sticks out", async () => {
    await shown.open(PAGES.messages);
    const height = () =>
      shown.page
        .locator(".rows tbody tr")
        .nth(1)
        .evaluate((row) => row.clientHeight);
    const before = await height();
    await button("Dense rows").click();
    const dense = await height();
    expect(dense).toBeLessThan(before * 0.6);
    expect(await violationsOf(shown.page)).toEqual([]);
    await shown.page.reload();
    await shown.settled();
    expect([await height(), await button("Dense rows").getAttribute("aria-pressed")]).toEqual([dense, "true"]);
    for (const address of Object.values(PAGES)) {
      await shown.go(address);
      expect(await sideways(shown.page), address).toBe(0);
    }
    await shown.open(PAGES.messages);
    await button("Dense rows").click();
    expect(await height()).toBe(before);
  });

  it("the numbers and the campaigns of a website are of the days in its address", async () => {
    await shown.open("websites/harbor-coffee?range=2026-09&campaigns=2026-10&timeZone=Europe/Berlin");
    const asked = () => service.asked.map(({ path }) => path);
    const [september, october] = ["from=2026-09-01&to=2026-09-30", "from=2026-10-01&to=2026-10-31"];
    const report = "/operator/websites/harbor-coffee/report";
    expect(asked()).toContain(`${report}?by=day&${september}&timeZone=Europe%2FBerlin`);
    expect(asked()).toContain(`${report}?by=purpose&${october}&timeZone=Europe%2FBerlin`);
    const link = shown.page.getByRole("link", { name: "Report and CSV" });
    expect(await link.getAttribute("href")).toBe(
      "#/reports?website=harbor-coffee&range=2026-10&timeZone=Europe%2FBerlin",
    );
    await shown.page.getByLabel("Campaigns of").selectOption("yesterday");
    await shown.settled();
    expect(asked().at(-1)).toMatch(/by=purpose&from=2026-11-2\d&to=2026-11-2\d&timeZone=Europe%2FBerlin$/);
    await shown.page.getByLabel("Days", { exact: true }).selectOption("7");
    await shown.settled();
    expect(new URL(shown.page.url()).hash).toBe(
      "#/websites/harbor-coffee?range=7&campaigns=yesterday&timeZone=Europe%2FBerlin",
    );
  });

  it("a report has the days of UTC, of the website or of its reader, as its address says", async () => {
    await shown.open("reports?website=harbor-coffee&range=2026-10");
    const lead = () => shown.page.locator(".lead").innerText();
    const zones = shown.page.getByLabel("Time zone");
    expect(await lead()).toBe("1 Oct to 31 Oct, by days of UTC.");
    expect(await zones.locator("option").allInnerTexts()).toEqual(["UTC", "Los Angeles", "Berlin"]);
    await zones.selectOption("Los Angeles");
    await shown.settled();
    expect(await lead()).toBe("1 Oct to 31 Oct, by days of Los Angeles.");
    expect(new URL(shown.page.url()).hash).toBe(
      "#/reports?website=harbor-coffee&range=2026-10&timeZone=America%2FLos_Angeles",
    );
    const asked = "from=2026-10-01&to=2026-10-31&timeZone=America%2FLos_Angeles";
    expect(service.asked.map(({ path }) => path)).toContain(
      "/operator/websites/harbor-coffee/report?by=purpose&from=2026-08-31&to=2026-09-30&timeZone=America%2FLos_Angeles",
    );
    const file = shown.page.getByRole("link", { name: "Export as CSV" });
    expect(await file.getAttribute("href")).toContain(asked);
    expect(await file.getAttribute("download")).toBe(
      "textgate-harbor-coffee-2026-10-by-purpose-America-Los_Angeles.csv",
    );
    await shown.open("reports?by=country&timeZone=Asia/Tokyo");
    expect(await zones.locator("option").allInnerTexts()).toEqual(["UTC", "Berlin", "Tokyo"]);
    const countries = shown.page.getByRole("table", { name: "By country" });
    expect(await countries.locator("td.wide").allInnerTexts()).toEqual(["US", "CA", "none"]);
    expect(await countries.getByRole("link").count()).toBe(0);
  });

  it("the cells of a message stand apart on a phone, and the bar of what is picked stays in sight", async () => {
    await shown.open(PAGES.messages);
    for (const box of await shown.page.getByLabel(/^Pick/).all()) await box.check();
    await shown.page.setViewportSize({ width: 1280, height: 300 });
    await shown.page.evaluate(() => scrollTo(0, 0));
    expect(await shown.page.locator(".save-bar").boundingBox()).toMatchObject({ y: expect.toSatisfy((y) => y < 300) });
    await shown.page.setViewportSize({ width: 360, height: 800 });
    const boxes = await Promise.all(
      [".to a", ".outcome .status"].map((of) => shown.page.locator(`.messages tbody tr ${of}`).first().boundingBox()),
    );
    expect((boxes[0]?.x ?? 0) + (boxes[0]?.width ?? 0)).toBeLessThanOrEqual(boxes[1]?.x ?? 0);
  });

  it("somebody whom Cloudflare Access knows and nobody else is told so, and shown nothing else", async () => {
    const access = { email: "eve@example.com", fault: "operator-unknown" };
    service.instead.set("GET /console/session", { status: 200, body: { session: null, access } });
    await shown.open("overview");
    expect(await shown.page.locator("h1").innerText()).toBe("You are no operator here");
    const words = await shown.page.locator("body").innerText();
    expect(words).toContain("Cloudflare Access says that you are eve@example.com.");
    expect(words).toContain("npm run operator -- create-token eve@example.com");
    expect(await shown.page.locator("input, nav").count()).toBe(0);
    expect(await violationsOf(shown.page)).toEqual([]);
    expect(service.asked.map(({ path }) => path)).toEqual(["/console/session"]);
    const body = { session: null, access: { email: null, fault: "keys-unavailable" } };
    service.instead.set("GET /console/session", { status: 200, body });
    await shown.open("overview");
    await shown.page.getByText("Cloudflare Access does not say who you are.").waitFor();
    await shown.page.locator("#token").waitFor();
  });

  it("a tab that nobody sees has how many things need somebody in its title, and asks for that", async () => {
    await shown.open(PAGES["tokens and audit"]);
    const title = await shown.page.title();
    const hide = (isHidden: boolean) =>
      shown.page.evaluate((hidden) => {
        Object.defineProperty(document, "hidden", { configurable: true, get: () => hidden });
        document.dispatchEvent(new Event("visibilitychange"));
      }, isHidden);
    const needs = overview(null).needs.problems;
    expect(needs).toBeGreaterThan(0);
    await hide(true);
    expect(await shown.page.title()).toBe(`(${needs}) ${title}`);
    await hide(false);
    expect(await shown.page.title()).toBe(title);
    service.instead.set("GET /operator/overview", {
      status: 200,
      body: { ...overview(null), needs: { overdue: 0, held: 0, toDecide: 0, problems: 0 } },
    });
    await shown.open(PAGES["tokens and audit"]);
    await hide(true);
    expect(await shown.page.title()).toBe(title);
    await hide(false);
  });
});
