/** "The same from a shell": the command asks the service for what its page has asked, and does what its button does. */
import { execFile } from "node:child_process";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { hasBrowser } from "../journeys/browser.ts";
import { type ConsolePage, PAGES } from "./console-page.ts";
import { openFixtureConsole } from "./fixture-console.ts";
import { imported } from "./fixture-people.ts";
import type { Asked, FixtureService } from "./fixture-service.ts";

/** Pages that say less of the service, or that have no rows of it. */
const WITHOUT = ["overview", "message", "message that waits", "website", "new website", "more"];

const FILTERED = {
  "messages with filters":
    'messages?q=website:northwind purpose:"spring sale" status:undelivered reason:carrier-refused after:00:00 before:2026-11-26',
  "messages of a person": "messages?person=p-ada",
  "messages of a day": "messages?q=after:yesterday client:4b1f09d24b1f09d24b1f09d24b1f2d58",
  "messages of today that did not arrive": "messages?q=did not arrive today",
  "texts of a website that wait": "waiting?website=northwind",
  "texts to decide": "conversations?show=decide",
  "texts of a website": "conversations?website=northwind",
  "events of a kind":
    "websites/harbor-coffee/clients/4b1f09d24b1f09d24b1f09d24b1f2d58?type=message.status&callback=failed",
  "a month of all": "reports?range=2026-10",
  "countries and days of a zone": "reports?by=country&range=2026-10&timeZone=America/New_York",
  "days of a website": "reports?website=harbor-coffee&from=2026-11-01&to=2026-11-09&by=sender",
  "changes of an operator": "audit?by=ada&website=northwind",
  "people of a website": "people?website=northwind",
  "a campaign with a space": "websites/northwind/campaigns/winter%20sale",
};

describe.skipIf(!hasBrowser)("the command that a page prints", () => {
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

  const button = (name: string) => shown.page.getByRole("button", { name, exact: true });
  const lines = (place: string) => shown.page.locator(`${place} .from-shell code`).allInnerTexts();

  /** As a shell runs it. @returns what it has asked the service for */
  async function run(line: string): Promise<Asked[]> {
    const command = line.replace("npm run operator -- ", `"$NODE" scripts/operator/main.ts `);
    expect(command).not.toBe(line);
    service.asked.length = 0;
    const env = { ...process.env, NODE: process.execPath, TEXTGATE_URL: service.url, OPERATOR_TOKEN: "token" };
    const code = await new Promise<unknown>((resolve) => {
      execFile("sh", ["-c", command], { env }, (error) => resolve(error ? error.code : 0));
    });
    // 4: there is a problem.
    expect([0, 4], line).toContain(code);
    return [...service.asked];
  }

  const inOrder = ({ method, path }: Pick<Asked, "method" | "path">) => {
    const { pathname, searchParams } = new URL(path, "http://fixture");
    searchParams.sort();
    return `${method} ${decodeURIComponent(pathname)}?${searchParams}`;
  };

  const pages = Object.entries({ ...PAGES, ...FILTERED }).filter(([name]) => !WITHOUT.includes(name));

  it.each(pages)("asks for what the page shows: %s", async (_, address) => {
    await shown.open(address.replace(/q=(.*)$/, (__, q: string) => `q=${encodeURIComponent(q)}`));
    const asked = service.asked.map(inOrder);
    const all = await lines("main");
    expect(all.length).toBeGreaterThan(0);
    for (const line of all) {
      const own = (await run(line)).map(inOrder);
      expect(own.length).toBeGreaterThan(0);
      for (const one of own) expect(asked).toContain(one);
    }
  });

  it("asks for what a search without a result shows", async () => {
    await shown.open(`messages?q=${encodeURIComponent("purpose:none status:delivered")}`, "empty");
    const asked = service.asked.map(inOrder);
    service.mode = "data";
    const [line = ""] = await lines("main");
    for (const one of (await run(line)).map(inOrder)) expect(asked).toContain(one);
    expect(line).toContain("--purpose none --status DELIVERED");
  });

  const bodyOf = ({ path, body }: Asked) => {
    const { expected: _, ...others } = JSON.parse(body);
    const given = Object.entries(others).filter(([, value]) => value !== null && value !== false);
    return [path, Object.fromEntries(given)];
  };

  it.each([
    ["Cancel…: winter-sale", "Cancel 871 texts", "winter-sale"],
    ["Cancel…: loyalty-nudge", "Cancel 140 texts", "loyalty-nudge"],
    ["Release…: loyalty-nudge", "Release 140 texts", null],
    ["Release…: sprng", "End the hold", null],
  ])("does what its button does: %s", async (opens, act, typed) => {
    await shown.open(PAGES.waiting);
    await button(opens).click();
    if (typed) await shown.page.keyboard.type(typed);
    const [line = ""] = await lines("dialog");
    service.asked.length = 0;
    await button(act).click();
    await shown.page.locator(".toast").waitFor();
    const [pressed] = service.asked.filter(({ method }) => method === "POST");
    // The page asks for its own answers meanwhile.
    const [ran] = (await run(line)).filter(({ method }) => method === "POST");
    expect(ran && bodyOf(ran)).toEqual(pressed && bodyOf(pressed));
  });

  /** What a press asked for, with its body as it is: a line of the shell sends the same. */
  const wholeOf = ({ method, path, body }: Asked) => [method, path.split("?")[0], body.trim()];
  const changesOf = (asked: Asked[]) => asked.filter(({ method }) => method !== "GET").map(wholeOf);

  it("sends the test text that its dialog sends", async () => {
    await shown.open(PAGES.website);
    await button("Test text…: braze").click();
    await shown.page.getByLabel("Number", { exact: true }).fill("+1 206 555 0142");
    await shown.page.getByLabel("Text", { exact: true }).fill("It's a test; nothing else");
    const [line = ""] = await lines("dialog");
    service.asked.length = 0;
    await button("Send the text").click();
    await shown.page.locator("dialog").waitFor({ state: "detached" });
    const pressed = service.asked.filter(({ method }) => method === "POST");
    const ran = (await run(line)).filter(({ method }) => method === "POST");
    expect(ran.map(({ path, body }) => [path, JSON.parse(body)])).toEqual(
      pressed.map(({ path, body }) => [path, JSON.parse(body)]),
    );
    expect(JSON.parse(ran[0]?.body ?? "")).toEqual({ phone: "+12065550142", text: "It's a test; nothing else" });
  });

  it("adds the person that its dialog adds", async () => {
    await shown.open("people?website=harbor-coffee");
    const { preview: _, invalidCells: _2, ...body } = { ...imported(), invalidPhoneNumbers: [], keptUnsubscribed: 0 };
    service.instead.set("POST /operator/websites/harbor-coffee/subscribers", { status: 200, body });
    await button("Add a person…").click();
    await shown.page.getByLabel("Number", { exact: true }).fill("+1 206 555 0142");
    await shown.page.getByLabel("When they agreed").fill("2026-11-20T09:30");
    await shown.page.getByLabel("How they agreed").fill(`paper form "118", at Ada's till`);
    // The line is drawn after the field.
    await shown.page.locator("dialog code").filter({ hasText: "118" }).filter({ hasText: "till" }).waitFor();
    const [line = ""] = await lines("dialog");
    service.asked.length = 0;
    await button("Subscribe them").click();
    await shown.page.locator(".toast").waitFor();
    const [pressed] = changesOf(service.asked);
    const ran = changesOf(await run(line));
    expect(ran).toEqual([pressed]);
    expect(pressed?.[2]).toBe(
      'phone_numbers,subscribed,consented_at,evidence\n"+12065550142","true","2026-11-20T08:30:00.000Z","paper form ""118"", at Ada\'s till"',
    );
  });

  it("opts out the person that its dialog opts out", async () => {
    await shown.open(PAGES.person);
    await button("Opt out…: Harbor Coffee").click();
    await button("Opt them out").waitFor();
    const [line = ""] = await lines("dialog");
    service.asked.length = 0;
    const { preview: _, ...body } = { ...imported(), invalidPhoneNumbers: [], keptUnsubscribed: 0 };
    service.instead.set("POST /operator/websites/harbor-coffee/subscribers", { status: 200, body });
    await button("Opt them out").click();
    await shown.page.locator(".toast").waitFor();
    const pressed = changesOf(service.asked);
    expect(changesOf(await run(line))).toEqual(pressed);
    expect(pressed).toEqual([
      ["POST", "/operator/websites/harbor-coffee/subscribers", "phone_numbers,subscribed\n+12065550142,false"],
    ]);
  });

  it("cancels the texts that are picked, and each of the rows that are", async () => {
    await shown.open("messages?q=after:00:00");
    for (const box of (await shown.page.getByLabel(/^Pick /).all()).slice(0, 2)) await box.check();
    await button("Cancel these…").click();
    await shown.page.getByLabel("Type cancel to cancel them").fill("cancel");
    const [line = ""] = await lines("dialog");
    service.asked.length = 0;
    await button("Cancel 2 texts").click();
    await shown.page.locator(".toast").waitFor();
    const pressed = changesOf(service.asked);
    expect(pressed).toHaveLength(2);
    expect(changesOf(await run(line))).toEqual(pressed);
    await shown.open(PAGES.waiting);
    await shown.page.getByLabel("Pick loyalty-nudge").check();
    await button("Release these…").click();
    const [release = ""] = await lines("dialog");
    service.asked.length = 0;
    await button("Release 140 texts").click();
    await shown.page.locator(".toast").waitFor();
    const released = service.asked.filter(({ method }) => method === "POST");
    expect((await run(release)).filter(({ method }) => method === "POST").map(bodyOf)).toEqual(released.map(bodyOf));
  });
});
