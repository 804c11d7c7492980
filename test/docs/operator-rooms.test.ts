/** An operator call has the same file name in each of four rooms. */
import { expect, it } from "vitest";

const ROOMS = {
  http: import.meta.glob("../../src/http/operator/*.ts", { query: "?raw" }),
  openapi: import.meta.glob("../../src/openapi/operator/*.ts", { query: "?raw" }),
  scripts: import.meta.glob("../../scripts/operator/*.ts", { query: "?raw" }),
  tests: import.meta.glob("../http/operator/*.test.ts", { query: "?raw" }),
};

/** What the resources of a room share. */
const SHARED = {
  http: ["answers", "params"],
  openapi: ["resource"],
  scripts: ["api", "cli", "command", "commands", "help", "main", "table"],
  tests: [],
};

const RESOURCES = [
  "audit",
  "carriers",
  "clients",
  "databases",
  "dead-jobs",
  "holds",
  "inbound",
  "messages",
  "people",
  "reports",
  "service-state",
  "subscribers",
  "tokens",
  "websites",
] as const;

it.each(Object.keys(ROOMS) as (keyof typeof ROOMS)[])("the room %s has a file for each resource", (room) => {
  const names = Object.keys(ROOMS[room]).map((path) =>
    path
      .split("/")
      .at(-1)
      ?.replace(/(\.test)?\.ts$/, ""),
  );
  expect(names.sort()).toEqual([...RESOURCES, ...SHARED[room]].sort());
});
