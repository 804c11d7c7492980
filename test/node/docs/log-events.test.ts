/** docs/monitoring.md names every event of the log, and no other. In Node: to import 300 files as texts takes seconds in workerd. */
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { ROOT } from "../../../scripts/wrangler.ts";

const read = (path: string) => readFileSync(join(ROOT, path), "utf8");
const monitoring = read("docs/monitoring.md");
const SOURCES = globSync("src/**/*.ts", { cwd: ROOT }).map(read);

/** `log("warn", "an.event"`, with any expression in the place of the level; or the event of what may fail. */
const LOGGED = /\blog\(\s*[^,]+,\s*"([a-z][a-z.-]*)"|unlessItFails\(deps, "([a-z.-]+)"/g;

it("the events of the log are documented", () => {
  const logged = SOURCES.flatMap((source) =>
    [...source.matchAll(LOGGED)].map(([, event, failure]) => event ?? failure ?? ""),
  );
  const [, table = ""] = monitoring.split("| `event` | Fields |\n|---|---|\n");
  const rows = table.slice(0, table.indexOf("\n\n")).split("\n");
  const documented = rows.flatMap((row) =>
    [...(row.split("|")[1] ?? "").matchAll(/`([^`]+)`/g)].map(([, name]) => name),
  );
  expect(new Set(logged).size).toBeGreaterThan(30);
  expect([...new Set(documented)].sort()).toEqual([...new Set(logged)].sort());
});
