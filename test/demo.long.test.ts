import { env } from "cloudflare:test";
import { afterEach, expect, it, vi } from "vitest";
import { fillDemo } from "../scripts/workers/demo/fill.ts";
import { SALE_TEXTS } from "../scripts/workers/demo/sale.ts";
import { countingDatabase } from "./counting-database.ts";
import { OPERATOR_TOKEN, World } from "./world.ts";

/**
 * `npm start` waits for it, for two seconds on a machine that does nothing else. Other work makes any measured time longer, so the test
 * counts. In November 2026 it was 531 calls and 12,087 rows for 585 texts; the days on which the campaigns fall make a difference. The texts
 * of the sale are stored by two calls: their rows take a quarter of a second, and are counted apart.
 */
const MOST_CALLS = 652;
const MOST_ROWS_WRITTEN = 15_000;
/** A text, its two events and its subscription with their indexes. */
const MOST_ROWS_OF_A_SALE = 22 * SALE_TEXTS;

afterEach(() => {
  vi.restoreAllMocks();
});

/** Days on which chance alone had chosen nobody whose text is still on its way, and on which it had. */
it.each(["2026-11-27", "2026-11-30", "2026-12-01"])(
  "the month of the demo that ends on %s asks the database for as much as two seconds have room for, and has the texts of a sale and some hundred others, in each status",
  async (day) => {
    vi.spyOn(Date, "now").mockReturnValue(Date.parse(`${day}T01:00:00Z`));
    const world = await World.create();
    const counted = countingDatabase(env.DB);
    const own = { ...env, DB: counted.db, OPERATOR_TOKEN };
    const fill = () => fillDemo(own, "https://demo.example", OPERATOR_TOKEN);
    expect(await fill()).toBe(true);
    const { calls, rowsWritten } = counted.take();
    const [stored] = await world.rows("SELECT count(*) AS texts, count(DISTINCT status) AS statuses FROM messages");
    expect(stored).toEqual({ texts: expect.toSatisfy((texts) => texts > SALE_TEXTS + 400), statuses: 7 });
    expect(calls).toBeLessThanOrEqual(MOST_CALLS);
    expect(rowsWritten).toBeLessThanOrEqual(MOST_ROWS_WRITTEN + MOST_ROWS_OF_A_SALE);
    // A service that has websites is left as it is.
    expect(await fill()).toBe(false);
    expect(counted.take().rowsWritten).toBe(0);
  },
);
