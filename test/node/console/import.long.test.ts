import { readFileSync } from "node:fs";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { hasBrowser, openWindow, startBrowser } from "../journeys/browser.ts";
import { buildConsole } from "./build.ts";
import { type ConsolePage, openConsole, PAGES } from "./console-page.ts";
import { imported, imports } from "./fixture-people.ts";
import { type FixtureService, startFixture } from "./fixture-service.ts";

describe.skipIf(!hasBrowser)("an import in the console", () => {
  const CALL = "POST /operator/websites/harbor-coffee/subscribers";
  const { importId } = imported();
  let service: FixtureService;
  let browser: Browser;
  let shown: ConsolePage;

  beforeAll(async () => {
    buildConsole();
    service = await startFixture();
    browser = await startBrowser();
    shown = await openConsole(await openWindow(browser, { viewport: { width: 1280, height: 800 } }), service);
  });

  beforeEach(() => {
    service.asked.length = 0;
    service.instead.clear();
  });

  afterAll(async () => {
    await browser?.close();
    await service?.stop();
  });

  const button = (name: string | RegExp) => shown.page.getByRole("button", { name });
  const sent = () =>
    service.asked
      .filter(({ method, path }) => method === "POST" && !path.includes("dryRun"))
      .map(({ path, body }) => {
        const { searchParams } = new URL(path, "http://fixture");
        return [searchParams.get("importId"), searchParams.get("part"), body.split("\n").length - 2];
      });

  async function choose(rows: number): Promise<void> {
    await shown.open(PAGES.import);
    const lines = ["phone_numbers", ...Array.from({ length: rows }, (_, index) => `+1206${5_550_000 + index}`)];
    const csv = Buffer.from(`${lines.join("\n")}\n`);
    await shown.page.locator("#import-file").setInputFiles({ name: "people.csv", mimeType: "text/csv", buffer: csv });
    await button("Look at it").click();
    await button(/^Import the [\d,]+ good rows$/).click();
  }

  it("goes in pieces that are stored as a whole, and ends with the figures of the service", async () => {
    const listed = { ...imports().imports[0], importId, rows: 9000, keptUnsubscribed: 263, refused: 37 };
    Object.assign(listed, { newSubscribed: 8000, becameSubscribed: 70, newOptedOut: 600, becameOptedOut: 30 });
    service.instead.set("GET /operator/imports", { status: 200, body: { imports: [listed] } });
    await choose(9000);
    await shown.page.getByText("Imported to Harbor Coffee.").waitFor();
    // The head alone has no rows, and brings the id.
    expect(sent()).toEqual([
      [null, null, 0],
      [importId, "1", 4000],
      [importId, "2", 4000],
      [importId, "3", 1000],
    ]);
    const tiles = await shown.page.locator(".tiles").innerText();
    for (const figure of ["9,000", "8,070", "630", "263", "37"]) expect(tiles).toContain(figure);
    // Line 4 of each piece, as the fixture says. The file's own rows: the answers of a session have them masked.
    const download = shown.page.waitForEvent("download");
    await button("The 3 rows not imported, as CSV").click();
    const csv = readFileSync(await (await download).path(), "utf8");
    expect(csv.split("\r\n")).toEqual(["\ufeffphone_numbers", "+12065550002", "+12065554002", "+12065558002"]);
  });

  it("says what is taken where the connection breaks, and goes on with the piece that has no answer", async () => {
    service.cut = ({ path }) => path.includes("part=2");
    await choose(9000);
    await shown.page.getByRole("heading", { name: "4,000 of 9,000 rows are taken" }).waitFor();
    await shown.page.getByText("To go on is safe").waitFor();
    expect(await shown.page.locator("progress").getAttribute("value")).toBe("4000");
    await button("Undo…: people.csv").waitFor();
    service.cut = null;
    await button("Go on").click();
    await shown.page.getByText("Imported to Harbor Coffee.").waitFor();
    // Chromium repeats by itself what a connection was cut at: so a piece comes twice at least, and each with its number.
    const parts = sent().map(([, part]) => part);
    expect(parts.filter((part) => part === "2").length).toBeGreaterThan(1);
    expect([...new Set(parts)]).toEqual([null, "1", "2", "3"]);
    shown.complaints.length = 0;
  });

  it("has the rows that are refused apart, and the columns that are not read", async () => {
    await shown.open(PAGES.import);
    await shown.page.locator("#import-file").setInputFiles({
      name: "people.csv",
      mimeType: "text/csv",
      buffer: Buffer.from("phone_numbers\n+12065550142\n"),
    });
    await button("Look at it").click();
    await shown.page.getByText("Not read: “store_id”, “points”.").waitFor();
    await button("Not imported (1)").click();
    expect(await shown.page.locator(".preview tbody tr").allInnerTexts()).toHaveLength(1);
    expect(service.asked.filter(({ method }) => method === "POST").map(({ path }) => path)).toEqual([
      `${CALL.split(" ")[1]}?dryRun=true&file=people.csv`,
    ]);
  });

  const look = async (csv: string) => {
    await shown.open(PAGES.import);
    const file = { name: "people.csv", mimeType: "text/csv", buffer: Buffer.from(csv) };
    await shown.page.locator("#import-file").setInputFiles(file);
    await button("Look at it").click();
  };

  it("says how many will be subscribed and how many opted out, and what it drops", async () => {
    const counts = { imported: 100, newSubscribed: 8, becameSubscribed: 2, newOptedOut: 85, becameOptedOut: 5 };
    const body = {
      ...imported(),
      ...counts,
      refused: 0,
      invalidCells: [],
      withoutProof: 4,
      invalidEmails: ["a@b", "c"],
    };
    service.instead.set(CALL, { status: 200, body });
    await look("phone_numbers,subscribed\n+12065550142,no\n");
    await shown.page.getByText("10 people will be subscribed to Harbor Coffee, and 90 opted out.").waitFor();
    const tiles = await shown.page.locator(".tiles").innerText();
    expect(tiles).toMatch(/Subscribed\s+10\s+8 new\s+Opted out\s+90\s+85 new/);
    await shown.page.getByText("4 rows have no proof of consent").waitFor();
    await shown.page.getByText("2 e-mail addresses are dropped").waitFor();
    expect(await button("Import 100 rows").isEnabled()).toBe(true);
  });

  it("imports no file with an opt-out that cannot be read", async () => {
    service.instead.set(CALL, { status: 200, body: { ...imported(), unreadableOptOuts: 2 } });
    await look("phone_numbers,subscribed\n12065550142,no\n");
    await shown.page.getByText("2 opt-outs cannot be read.").waitFor();
    expect(await button(/^Import the/).isEnabled()).toBe(false);
  });

  it("has the faults of a file in a table, and sends the choice that everyone has agreed", async () => {
    const details = [
      { field: "subscribed", message: "must be true or false", line: 3, value: "maybe" },
      { field: "subscribed", message: "must be true or false", line: 7, value: "" },
    ];
    const message = "2 rules are broken (subscribed): details says which.";
    service.instead.set(CALL, { status: 400, body: { code: 40001, message, details, requestId: "r1" } });
    await shown.open(PAGES.import);
    await shown.page.locator("#import-everyone").selectOption("everyone");
    const file = { name: "people.csv", mimeType: "text/csv", buffer: Buffer.from("phone_numbers\n+12065550142\n") };
    await shown.page.locator("#import-file").setInputFiles(file);
    await button("Look at it").click();
    const rows = shown.page.getByRole("table", { name: "Faults of the file" }).locator("tbody tr");
    await rows.first().waitFor();
    expect((await rows.allInnerTexts()).map((text) => text.split(/\s*\t\s*/))).toEqual([
      ["3", "subscribed", "maybe", "must be true or false"],
      ["7", "subscribed", "–", "must be true or false"],
    ]);
    expect(await shown.page.getByText("must be true or false").count()).toBe(2);
    const asked = service.asked.filter(({ method }) => method === "POST").map(({ path }) => path);
    expect(asked).toEqual([`${CALL.split(" ")[1]}?dryRun=true&everyone=subscribed&file=people.csv`]);
    shown.complaints.length = 0;
  });

  it("complained of nothing", () => expect(shown.complaints).toEqual([]));
});
