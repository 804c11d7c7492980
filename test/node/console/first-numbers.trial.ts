/** How long the console takes to show numbers, on a service with 100,000 messages. A trial: other tests would be measured with it. */
import type { Browser, BrowserContext } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { operate, type Service, startService } from "../harness/service.ts";
import { openWindow, startBrowser } from "../journeys/browser.ts";

const MESSAGES = 100_000;
const MOST_MILLISECONDS = 500;
const OPENED = 5;

/** Inserts delivered messages of the last 30 days, 1,000 of the last hour among them, with their counts. */
const sqlOf = (now: number) => {
  const at = `${now} - iif(i < 1000, i * 3600, i * 25920)`;
  return `
    INSERT INTO websites (website_id, name, carrier, created_at, updated_at, home, database)
      VALUES ('brand', 'Brand', 'sandbox', ${now}, ${now}, 1, 'DB');
    WITH RECURSIVE n (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < ${MESSAGES - 1})
    INSERT INTO messages (message_id, website_id, client_id, phone, text, callback_data, send_purpose, status, accepted_at, updated_at,
        attempts, carrier)
      SELECT printf('%08x-%04x-7000-8000-%012x', (${at}) >> 16, (${at}) & 65535, i), 'brand', 'c', 12125550100 + i % 5000,
        'Brand: hello', '{}', 'purpose-' || (i % 20), 'DELIVERED', ${at}, ${at}, 1, 'sandbox' FROM n;
    INSERT INTO counts (span, at, kind, subject, detail, count)
      SELECT 'minute', accepted_at / 60000, k.value, w.value, iif(k.value = 'accepted', '', 'sandbox'), count(*)
      FROM messages CROSS JOIN json_each('["", "brand"]') w CROSS JOIN json_each('["accepted", "delivered"]') k
      WHERE accepted_at > ${now - 3_600_000} GROUP BY 2, 3, 4;
    INSERT INTO counts (span, at, kind, subject, detail, count)
      SELECT 'day', accepted_at / 86400000, k.value, w.value, '', count(*)
      FROM messages CROSS JOIN json_each('["", "brand"]') w CROSS JOIN json_each('["accepted", "delivered"]') k GROUP BY 2, 3, 4;
    INSERT INTO counts (span, at, kind, subject, detail, count)
      SELECT 'campaign', accepted_at / 86400000, k.value, 'brand', send_purpose, count(*)
      FROM messages CROSS JOIN json_each('["accepted", "delivered"]') k GROUP BY 2, 3, 5;
    INSERT INTO counted_ledgers (only, messages, as_of) VALUES (1, ${MESSAGES}, ${now});`;
};

describe("the console of a service with 100,000 messages", () => {
  let service: Service;
  let browser: Browser;
  let context: BrowserContext;

  beforeAll(async () => {
    service = await startService({}, [], sqlOf(Date.now()));
    const { token } = await operate(service.url, "POST", "/tokens", { name: "ada" });
    browser = await startBrowser();
    context = await openWindow(browser, { viewport: { width: 1280, height: 860 } });
    const page = await context.newPage();
    await page.goto(`${service.url}/console#/in/${token}`);
    await page.waitForURL(/#\/overview$/);
    await page.close();
  });

  afterAll(async () => {
    await browser?.close();
    await service?.stop();
  });

  it.each([
    ["overview", ".tile-value"],
    ["messages", ".row-link"],
    ["websites/brand", ".tile-value"],
    ["websites/brand/campaigns/purpose-1", ".tile-value"],
    ["waiting", "h1"],
    ["reports", ".tile-value"],
  ])(`shows its first numbers within ${MOST_MILLISECONDS} milliseconds: %s`, async (address, number) => {
    const took: number[] = [];
    for (let time = 0; time < OPENED; time++) {
      const page = await context.newPage();
      const began = performance.now();
      await page.goto(`${service.url}/console#/${address}`, { waitUntil: "commit" });
      await page
        .locator(number)
        .filter({ hasText: /\d|Nothing waits/ })
        .first()
        .waitFor();
      took.push(Math.round(performance.now() - began));
      await page.close();
    }
    // What else the machine does meanwhile is no part of it.
    expect(Math.min(...took), `${took}`).toBeLessThanOrEqual(MOST_MILLISECONDS);
  });
});
