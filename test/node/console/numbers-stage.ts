// Every number of the pages that count, beside the rows that a service has.
import type { Browser, Page } from "playwright-core";
import { expect } from "vitest";
import { operate, type Service, startService, sweep } from "../harness/service.ts";
import { openWindow, startBrowser } from "../journeys/browser.ts";
import { makeTexts, PURPOSES, type SeededText, statementsFor, WEBSITES } from "./seeded-texts.ts";

export interface NumbersStage {
  texts: SeededText[];
  now: number;
  page: Page;
  open(address: string): Promise<void>;
  stop(): Promise<void>;
}

export async function startNumbers(seed: number, count: number): Promise<NumbersStage> {
  const now = Date.now();
  const texts = makeTexts(seed, count, now);
  const service: Service = await startService({}, [], statementsFor(texts, now));
  const { token } = await operate(service.url, "POST", "/tokens", { name: "ada" });
  const counted = async () => (await operate(service.url, "GET", "/overview")).days.reduce(addAccepted, 0);
  while ((await counted()) < texts.length) await sweep(service.url);
  const browser: Browser = await startBrowser();
  const page = await (
    await openWindow(browser, { timezoneId: "UTC", viewport: { width: 1280, height: 900 } })
  ).newPage();
  await page.goto(`${service.url}/console#/in/${token}`);
  await page.waitForURL(/#\/overview$/);
  const open = async (address: string) => {
    await page.goto("about:blank");
    await page.goto(`${service.url}/console#/${address}`);
    await page.locator(".loading").waitFor({ state: "detached" });
    await page.locator("h1").waitFor();
  };
  const stop = async () => {
    await browser.close();
    await service.stop();
  };
  return { texts, now, page, open, stop };
}

const addAccepted = (sum: number, day: { accepted: number }) => sum + day.accepted;

const SENT = ["noReceipt", "delivered", "undelivered"];

const of = (texts: SeededText[], ...outcomes: string[]) =>
  texts.filter(({ outcome }) => outcomes.includes(outcome)).length;

const dayOf = (time: number) => new Date(time).toISOString().slice(0, 10);

const toNumber = (text: string | null | undefined) => Number((text ?? "").replaceAll(",", "").trim());

/** By the names of the tiles. */
async function tilesOf(page: Page): Promise<Record<string, number>> {
  const tiles = page.locator(".tiles li");
  await tiles.locator(".tile-value").filter({ hasText: /\d/ }).first().waitFor();
  const found = await tiles.evaluateAll((all) =>
    all.map((one) => [
      one.querySelector(".tile-label")?.textContent ?? "",
      one.querySelector(".tile-value")?.textContent ?? "",
    ]),
  );
  return Object.fromEntries(found.map(([name = "", value]) => [name.trim(), toNumber(value)]));
}

/** Its rows, by the text of their first cell without its second line. */
async function tableOf(page: Page, label: string): Promise<Record<string, string[]>> {
  const table = page.locator(`table[aria-label="${label}"], section[aria-label="${label}"] table`);
  await table.waitFor({ state: "attached" });
  const rows = await table.locator("tbody tr").evaluateAll((all) =>
    all.map((row) =>
      Array.from(row.children, (cell) => {
        const own = cell.cloneNode(true) as Element;
        own.querySelector(".second")?.remove();
        return own.textContent?.trim() ?? "";
      }),
    ),
  );
  return Object.fromEntries(rows.map(([name = "", ...others]) => [name, others]));
}

const OUTCOME_WORDS: Record<string, string> = {
  ...{ scheduled: "Scheduled", waiting: "Waiting", notSubscribed: "Not subscribed", endedBefore: "Ended before" },
  ...{ notTaken: "Not taken", noReceipt: "No receipt", delivered: "Delivered", undelivered: "Undelivered" },
};

/** The table of outcomes has each class that is not empty, and no other. */
async function expectOutcomes(page: Page, texts: SeededText[]): Promise<void> {
  const rows = await tableOf(page, "What became of them");
  const expected = Object.entries(OUTCOME_WORDS).flatMap(([name, words]) =>
    of(texts, name) > 0 ? [[words, of(texts, name)]] : [],
  );
  expect(Object.entries(rows).map(([words, [count]]) => [words, toNumber(count)])).toEqual(expected);
}

const NOT_SENT = ["notSubscribed", "endedBefore", "notTaken"];

/** Its tiles and its columns add up to what was accepted. */
const partsOf = (texts: SeededText[]) => ({
  ...{ Delivered: of(texts, "delivered"), Undelivered: of(texts, "undelivered"), "No receipt": of(texts, "noReceipt") },
  ...{ Waiting: of(texts, "waiting", "scheduled"), "Not sent": of(texts, ...NOT_SENT) },
});

/** What became of the texts of each day, as the table behind a chart has it. */
async function expectDays(page: Page, title: string, texts: SeededText[], dayIn = dayOf): Promise<void> {
  const rows = Object.values(await tableOf(page, `${title}, table`));
  const days = [...Map.groupBy(texts, ({ acceptedAt }) => dayIn(acceptedAt))].sort(([a], [b]) => (a < b ? -1 : 1));
  const expected = days.map(([, own]) => [own.length, ...Object.values(partsOf(own)), of(own, ...SENT)]);
  const shown = rows.map((row) => row.slice(0, 7).map(toNumber)).filter(([accepted]) => accepted !== 0);
  expect(shown).toEqual(expected);
}

export async function expectOverview({ page, open, texts, now }: NumbersStage): Promise<void> {
  await open("overview");
  const hour = texts.filter(({ acceptedAt }) => acceptedAt > now - 3_600_000);
  expect(await tilesOf(page)).toEqual({ Accepted: hour.length, ...partsOf(hour) });
  await page.getByText(`${of(texts, "waiting").toLocaleString("en-US")} are held`).waitFor();
  await expectDays(page, "By day", texts);
}

const DAY = 86_400_000;

/** Days of an address, and how many days before today they begin and end. */
export const RANGES: [query: string, timeZone: string, first: number, last: number][] = [
  ["range=yesterday&timeZone=Asia/Kolkata", "Asia/Kolkata", 1, 1],
  ["range=7", "UTC", 6, 0],
  ["range=90&timeZone=America/St_Johns", "America/St_Johns", 89, 0],
];

/** A page of which other days than its usual ones are chosen. @param own the texts that it is of */
export async function expectRange(
  { page, open, now }: NumbersStage,
  address: string,
  own: SeededText[],
  [query, timeZone, first, last]: (typeof RANGES)[number],
): Promise<void> {
  const dayIn = (at: number) => new Date(at).toLocaleDateString("en-CA", { timeZone });
  const days = new Set(Array.from({ length: first - last + 1 }, (_, index) => dayIn(now - (last + index) * DAY)));
  const meant = own.filter(({ acceptedAt }) => days.has(dayIn(acceptedAt)));
  await open(`${address}?${query}`);
  await expect.poll(() => page.getByText("Counting…").count()).toBe(0);
  if (address !== "overview")
    expect(await tilesOf(page)).toMatchObject({ Accepted: meant.length, ...partsOf(meant), Clicked: 0 });
  if (!/^websites.[a-z-]+$/.test(address) && first > last) await expectDays(page, "By day", meant, dayIn);
}

export async function expectWebsite({ page, open, texts, now }: NumbersStage, website: string): Promise<void> {
  await open(`websites/${website}`);
  const today = texts.filter((it) => it.website === website && dayOf(it.acceptedAt) === dayOf(now));
  await expect.poll(() => tilesOf(page)).toMatchObject({ Accepted: today.length, ...partsOf(today) });
}

export async function expectReport({ page, open, texts }: NumbersStage, website: string | null): Promise<void> {
  const own = texts.filter((it) => website === null || it.website === website);
  for (const by of website ? (["purpose"] as const) : (["website", "purpose"] as const)) {
    await open(`reports?by=${by}${website ? `&website=${website}` : ""}`);
    const { Clicked: _, "Opted out": __, ...tiles } = await tilesOf(page);
    expect(tiles).toEqual({ Accepted: own.length, ...partsOf(own) });
    await expectOutcomes(page, own);
    await expectDays(page, "By day", own);
    const rows = await tableOf(page, `By ${by}`);
    for (const name of by === "website" ? WEBSITES : PURPOSES) {
      const group = own.filter((it) => it[by] === name);
      const sent = group.filter(({ outcome }) => SENT.includes(outcome));
      const segments = sent.reduce((sum, it) => sum + it.segments, 0);
      expect([by, name, ...(rows[name] ?? []).slice(0, 2).map(toNumber)]).toEqual([by, name, sent.length, segments]);
    }
  }
}

export async function expectCampaign(stage: NumbersStage, website: string, purpose: string): Promise<void> {
  const { page, open, texts } = stage;
  const own = texts.filter((it) => it.website === website && it.purpose === purpose);
  await open(`websites/${website}/campaigns/${encodeURIComponent(purpose)}`);
  expect(await tilesOf(page)).toEqual({ Accepted: own.length, ...partsOf(own), Clicked: 0, "Opted out": 0 });
  await expectOutcomes(page, own);
  await expectDays(page, "By day", own);
  const waiting = of(own, "waiting").toLocaleString("en-US");
  await page.getByRole("heading", { name: `${waiting} texts of ${purpose} are held` }).waitFor();
}

export async function expectWaiting({ page, open, texts }: NumbersStage): Promise<void> {
  await open("waiting");
  for (const website of WEBSITES) {
    const own = texts.filter((it) => it.website === website);
    const group = page.locator("tbody").filter({ has: page.locator(`a[href="#/websites/${website}"]`) });
    expect(toNumber(await group.locator("th .count").textContent())).toBe(of(own, "waiting", "scheduled"));
    for (const purpose of PURPOSES) {
      const meant = own.filter((it) => it.purpose === purpose);
      const counts = await group
        .locator("tr")
        .filter({ has: page.getByRole("link", { name: purpose, exact: true }) })
        .locator("td.number a")
        .allTextContents();
      const expected = [of(meant, "waiting"), of(meant, "scheduled")].sort();
      expect([website, purpose, counts.map(toNumber).sort()]).toEqual([website, purpose, expected]);
    }
  }
}

/** A number leads to a list that has as many rows, at its end. */
export async function expectLists(stage: NumbersStage, website: string, purpose: string): Promise<void> {
  const { page, open, texts } = stage;
  for (const [outcome, words] of Object.entries(OUTCOME_WORDS)) {
    const count = of(
      texts.filter((it) => it.website === website && it.purpose === purpose),
      outcome,
    );
    if (count === 0) continue;
    await open(`websites/${website}/campaigns/${encodeURIComponent(purpose)}`);
    const row = page.getByRole("row").filter({ has: page.getByRole("rowheader", { name: new RegExp(`^${words}`) }) });
    await row.getByRole("link").click();
    expect([outcome, await countRows(page)]).toEqual([outcome, count]);
  }
}

/** How many rows a list of messages has at its end. */
async function countRows(page: Page): Promise<number> {
  const older = page.getByRole("button", { name: "Older" });
  const all = page.getByText("These are all.");
  for (;;) {
    await older.or(all).first().waitFor();
    if (await all.isVisible()) break;
    const before = await page.locator("table.messages tbody tr").count();
    await older.click();
    await expect
      .poll(async () => (await page.locator("table.messages tbody tr").count()) > before || all.isVisible())
      .toBeTruthy();
  }
  return page.locator("table.messages tbody tr").count();
}
