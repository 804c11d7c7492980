/** docs/operating.md names every event of the log, and no other. */
import { expect, it } from "vitest";
import operating from "../../docs/operating.md?raw";

const SOURCES = import.meta.glob("../../src/**/*.ts", { query: "?raw", import: "default", eager: true });

/** `log("warn", "an.event"`, with any expression in the place of the level; or the event of what may fail. */
const LOGGED = /\blog\(\s*[^,]+,\s*"([a-z][a-z.-]*)"|unlessItFails\(deps, "([a-z.-]+)"/g;

it("the events of the log are documented", () => {
  const logged = Object.values(SOURCES).flatMap((source) =>
    [...String(source).matchAll(LOGGED)].map(([, event, failure]) => event ?? failure ?? ""),
  );
  const [, table = ""] = operating.split("| `event` | Fields |\n|---|---|\n");
  const rows = table.slice(0, table.indexOf("\n\n")).split("\n");
  const documented = rows.flatMap((row) =>
    [...(row.split("|")[1] ?? "").matchAll(/`([^`]+)`/g)].map(([, name]) => name),
  );
  expect(new Set(logged).size).toBeGreaterThan(30);
  expect([...new Set(documented)].sort()).toEqual([...new Set(logged)].sort());
});
