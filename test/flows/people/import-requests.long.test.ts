import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { begin, load, undo } from "./import-requests-stage.ts";

beforeEach(begin);

afterEach(() => {
  vi.restoreAllMocks();
});

describe("an import that breaks off", () => {
  it("has at most 250,000 rows, and says how to cut the file", async () => {
    const rows = Array.from({ length: 250_001 }, (_, index) => `+121255501${10 + (index % 10)}`);
    const { status, body } = await load(rows);
    expect([status, body.code, body.details.length]).toEqual([400, 40001, 1]);
    expect(body.message).toMatch(
      /^body: has more than 250,000 rows, .*cut the file, repeat its first line in each piece/,
    );
    expect((body.import?.storedRows ?? 0) % 5000).toBe(0);
    expect(body.import?.storedRows).toBeGreaterThan(240_000);
    expect(await undo(String(body.import?.importId))).toMatchObject({ restored: 10 });
  });
});
