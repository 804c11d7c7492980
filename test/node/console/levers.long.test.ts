/** Hold, release and cancel: what can be undone is done at once, and all else is asked first. */
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { hasBrowser } from "../journeys/browser.ts";
import { type ConsolePage, PAGES } from "./console-page.ts";
import { none, running } from "./fixture-campaigns.ts";
import { openFixtureConsole } from "./fixture-console.ts";
import { type FixtureService, REQUEST_ID } from "./fixture-service.ts";
import { holds, waiting } from "./fixture-state.ts";

describe.skipIf(!hasBrowser)("on the console's page of what waits", () => {
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

  it("many texts are cancelled only when their name is typed, and with the count that was shown", async () => {
    await shown.open(PAGES.waiting);
    await button("Cancel…: winter-sale").click();
    const act = button("Cancel 871 texts");
    expect(await act.isDisabled()).toBe(true);
    await shown.page.keyboard.type("winter-sale");
    await act.click();
    await shown.page.locator(".toast").waitFor();
    expect(await toast()).toContain("871 texts of winter-sale are cancelled.");
    const [cancelled] = changes();
    expect(cancelled?.path).toBe("/operator/websites/northwind/cancel");
    expect(JSON.parse(cancelled?.body ?? "")).toEqual({ sendPurpose: "winter-sale", clientId: "aa11", expected: 871 });
    expect(cancelled?.headers["x-console"]).toBe("1");
    expect(cancelled?.headers["sec-fetch-site"]).toBe("same-origin");
  });

  it("another count than the one shown wants a second press", async () => {
    await shown.open(PAGES.waiting);
    const refused = { code: 40903, message: "The count differs.", details: [{ count: 880 }] };
    service.instead.set("POST /operator/websites/northwind/cancel", { status: 409, body: refused });
    await button("Cancel…: winter-sale").click();
    await shown.page.keyboard.type("winter-sale");
    await button("Cancel 871 texts").click();
    await shown.page.getByText("There are now 880.").waitFor();
    service.instead.clear();
    await button("Cancel 880 texts").click();
    await shown.page.locator("dialog").waitFor({ state: "detached" });
    expect(changes().map(({ body }) => JSON.parse(body).expected)).toEqual([871, 880]);
    shown.complaints.length = 0;
  });

  it("a dialog is left with Esc, and gives the focus back", async () => {
    await shown.open(PAGES.waiting);
    await button("Release…: loyalty-nudge").click();
    await shown.page.keyboard.press("Escape");
    await shown.page.locator("dialog").waitFor({ state: "detached" });
    expect(await shown.page.evaluate(() => document.activeElement?.getAttribute("aria-label"))).toBe(
      "Release…: loyalty-nudge",
    );
    expect(changes()).toEqual([]);
  });

  it("a hold is made at one press, without a count, and its Undo ends this very hold", async () => {
    await shown.open(PAGES.waiting);
    await button("Hold: winter-sale").click();
    await shown.page.getByText("871 texts of winter-sale are held.").waitFor();
    await button("Undo").click();
    await shown.page.getByText("The hold has ended.").waitFor();
    expect(changes().map(({ path, body }) => [path.split("/").at(-1), JSON.parse(body)])).toEqual([
      ["hold", { sendPurpose: "winter-sale", clientId: "aa11" }],
      ["release", { holdId: "h-new" }],
    ]);
  });

  it("a hold of what was held before has no Undo: it would end the hold of somebody else", async () => {
    await shown.open(PAGES.waiting);
    const body = { holdId: "h-ada", held: 90_000, atLeast: true, alreadyHeld: true };
    service.instead.set("POST /operator/websites/northwind/hold", { status: 200, body });
    await button("Hold all: Northwind Outfitters").click();
    await shown.page.getByText("At least 90,000 texts of Northwind Outfitters are held. The hold was there").waitFor();
    expect(await button("Undo").count()).toBe(0);
    expect(changes().map((it) => JSON.parse(it.body))).toEqual([{ sendPurpose: null, clientId: null }]);
  });

  it("a release asks first, names the hold, ends it by its id, and has no Undo", async () => {
    await shown.open(PAGES.waiting);
    await button("Release…: loyalty-nudge").click();
    const asked = await shown.page.locator("dialog").innerText();
    expect(asked).toContain("Release 140 texts of loyalty-nudge?");
    expect(asked).toMatch(/Held by ada since [^\n]+: “wrong text/);
    expect(asked).toContain("This cannot be undone.");
    expect(asked).toContain("release harbor-coffee --hold 0197c2ab-71d4-4e0b-8a01-0000000000a1");
    expect(changes()).toEqual([]);
    await button("Release 140 texts").click();
    await shown.page.getByText("140 texts of loyalty-nudge go now.").waitFor();
    expect(await button("Undo").count()).toBe(0);
    expect(changes().map(({ path, body }) => [path, JSON.parse(body)])).toEqual([
      ["/operator/websites/harbor-coffee/release", { holdId: "0197c2ab-71d4-4e0b-8a01-0000000000a1" }],
    ]);
  });

  it("a release that ends no hold says so, and a long one is repeated until its end", async () => {
    await shown.open(PAGES.waiting);
    const call = "POST /operator/websites/harbor-coffee/release";
    const unknown = { code: 40401, message: "There is no such hold.", requestId: REQUEST_ID };
    service.instead.set(call, { status: 404, body: unknown });
    await button("Release…: loyalty-nudge").click();
    await button("Release 140 texts").click();
    await shown.page.locator("dialog .failure-line").getByText("There is no such hold.").waitFor();
    service.instead.set(call, { status: 200, body: { released: 400_000, more: true } });
    service.asked.length = 0;
    await button("Release 140 texts").click();
    await expect.poll(() => changes().length).toBeGreaterThan(2);
    service.instead.clear();
    await shown.page.getByText(/texts of loyalty-nudge go now\./).waitFor();
    shown.complaints.length = 0;
  });

  it.each([
    ["waiting", PAGES.waiting],
    ["the website", PAGES.website],
  ])("a hold without texts is on the page of %s, and is ended there", async (_, address) => {
    await shown.open(address);
    await button("Release…: sprng").click();
    await shown.page.getByRole("heading", { name: "End the hold of sprng?" }).waitFor();
    await button("End the hold").click();
    await shown.page.getByText("The hold of sprng has ended.").waitFor();
    expect(changes().map(({ body }) => JSON.parse(body))).toEqual([{ holdId: "0197c2ab-71d4-4e0b-8a01-0000000000a2" }]);
  });

  it("once all that was held is cancelled, the page offers to end the hold", async () => {
    await shown.open(PAGES.waiting);
    await button("Cancel…: loyalty-nudge").click();
    await shown.page.keyboard.type("loyalty-nudge");
    await button("Cancel 140 texts").click();
    await shown.page.getByRole("heading", { name: "End the hold of loyalty-nudge?" }).waitFor();
    await button("Keep the hold").click();
    expect(changes().map(({ path }) => path.split("/").at(-1))).toEqual(["cancel"]);
  });

  it("a campaign that goes is held at one press, all clients' texts of it, and Cancel is off until then and does not move", async () => {
    await shown.open(PAGES.campaign);
    await shown.page.getByRole("heading", { name: "winter-sale goes out: 24,300 of 39,900 texts are gone" }).waitFor();
    const cancel = button("Cancel…: winter-sale");
    const place = await cancel.boundingBox();
    expect(await cancel.isDisabled()).toBe(true);
    const [hold] = holds("northwind").holds;
    const held = {
      ...running(),
      held: running().waiting,
      holds: [{ ...hold, sendPurpose: "winter-sale", clientId: null }],
    };
    service.instead.set("GET /operator/websites/northwind/campaigns/winter-sale", { status: 200, body: held });
    service.instead.set("GET /operator/holds", { status: 200, body: { holds: held.holds } });
    await button("Hold: winter-sale").click();
    await expect.poll(() => cancel.isEnabled()).toBe(true);
    await button("Release…: winter-sale").waitFor();
    expect((await cancel.boundingBox())?.x).toBe(place?.x);
    await shown.page.getByText("871 texts of winter-sale are held.").waitFor();
    expect(changes().map(({ path, body }) => [path, JSON.parse(body)])).toEqual([
      ["/operator/websites/northwind/hold", { sendPurpose: "winter-sale", clientId: null }],
    ]);
  });

  const scheduled = { ...none(), accepted: 20, scheduled: 20 };
  const over = { ...running(), accepted: 24_400, waiting: 0, perMinute: null, endsAt: null };

  it.each([
    ["without a text", none(), "No text of winter-sale in 30 days"],
    ["whose texts are scheduled", scheduled, "20 texts of winter-sale are scheduled"],
    ["that is over", over, /^winter-sale: 98.7 % of .* arrived/],
  ])("a campaign %s is held all the same, and released in the same place", async (_, body, title) => {
    const listed = { status: 200, body: { holds: [] as unknown[] } };
    service.instead.set(`GET /operator/${PAGES.campaign}`, { status: 200, body });
    service.instead.set("GET /operator/holds", listed);
    service.instead.set("POST /operator/websites/northwind/hold", { status: 200, body: { holdId: "h-new", held: 0 } });
    await shown.open(PAGES.campaign);
    await shown.page.getByRole("heading", { name: title }).waitFor();
    const hold = button("Hold: winter-sale");
    const place = await hold.boundingBox();
    const [made] = holds(null).holds;
    listed.body.holds = [{ ...made, websiteId: "northwind", sendPurpose: "winter-sale", holdId: "h-new", texts: 0 }];
    await hold.click();
    await shown.page.getByText("No text of winter-sale waits: those that come are held.").waitFor();
    const release = button("Release…: winter-sale");
    expect(await release.boundingBox()).toMatchObject({ x: expect.any(Number), y: place?.y });
    await release.click();
    await button("End the hold").click();
    await shown.page.getByText("The hold of winter-sale has ended.").waitFor();
    expect(changes().map((it) => JSON.parse(it.body))).toEqual([
      { sendPurpose: "winter-sale", clientId: null },
      { holdId: "h-new" },
    ]);
  });

  it("a campaign that is held is released, or cancelled after a count of now", async () => {
    const [hold] = holds("harbor-coffee").holds;
    if (!hold) throw new Error("the fixture has none");
    const held = { ...running(), websiteId: "harbor-coffee", sendPurpose: "loyalty-nudge", waiting: 140, held: 140 };
    const sum = { accepted: 24_540, perMinute: null, endsAt: null, holds: [hold] };
    const call = "GET /operator/websites/harbor-coffee/campaigns/loyalty-nudge";
    service.instead.set(call, { status: 200, body: { ...held, ...sum } });
    await shown.open("websites/harbor-coffee/campaigns/loyalty-nudge");
    await shown.page.getByRole("heading", { name: "140 texts of loyalty-nudge are held" }).waitFor();
    await button("Release…: loyalty-nudge").click();
    await button("Keep them held").click();
    await button("Cancel…: loyalty-nudge").click();
    await shown.page.getByRole("heading", { name: "Cancel 871 texts of loyalty-nudge?" }).waitFor();
    await shown.page.keyboard.type("loyalty-nudge");
    await button("Cancel 871 texts").click();
    await shown.page.getByText("871 texts of loyalty-nudge are cancelled.").waitFor();
    expect(changes().map(({ path, body }) => [path.split("/").at(-1), JSON.parse(body)])).toEqual([
      ["cancel", { sendPurpose: "loyalty-nudge", clientId: null, dryRun: true }],
      ["cancel", { sendPurpose: "loyalty-nudge", clientId: null, expected: 871 }],
    ]);
  });

  it("texts that are going out are held before they are cancelled, and a count that is cut says so", async () => {
    const body = waiting();
    const [group] = body.groups;
    if (!group) throw new Error("the fixture has none");
    group.isCut = true;
    for (const row of group.rows) Object.assign(row, { why: "queue", cause: null });
    service.instead.set("GET /operator/waiting", { status: 200, body: { ...body, isCut: true } });
    await shown.open(PAGES.waiting);
    await shown.page.getByRole("heading", { name: "At least 950 texts wait for their turn" }).waitFor();
    const cancel = button("Cancel…: winter-sale");
    const place = await cancel.boundingBox();
    expect(await cancel.isDisabled()).toBe(true);
    expect(await shown.page.locator("main").innerText()).toMatch(/at least 950[\s\S]+at least 871/);
    const [row] = group.rows;
    Object.assign(row ?? {}, { why: "held", held: holds("harbor-coffee").holds[0] });
    await button("Hold: winter-sale").click();
    await expect.poll(() => cancel.isEnabled()).toBe(true);
    expect((await cancel.boundingBox())?.x).toBe(place?.x);
  });
});
