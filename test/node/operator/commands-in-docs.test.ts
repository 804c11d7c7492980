/** Each command that a page or a problem tells somebody to run exists, with its arguments and options. */
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { COMMANDS } from "../../../scripts/operator/commands.ts";
import { COMMON_OPTIONS } from "../../../scripts/operator/help.ts";
import { ROOT } from "../../../scripts/wrangler.ts";

const read = (path: string) => readFileSync(join(ROOT, path), "utf8");
const PAGES = globSync(["*.md", "{client,docs,examples}/*.md"], { cwd: ROOT }).sort();
const SCRIPTS = Object.keys(JSON.parse(read("package.json")).scripts);

/** As a shell reads them, up to the end of the command. A value that another program prints is one word. */
const wordsOf = (text: string) =>
  text.replaceAll(/"\$\(.*\)"/g, "<value>").match(/"[^"]*"|'[^']*'|<[^>]*>|[^\s)]+/g) ?? [];

/** @returns what is wrong with it; undefined: nothing */
function findFault(line: string): string | undefined {
  const [name = "", ...rest] = wordsOf(line);
  if (name === "--help") return undefined;
  const command = COMMANDS.find((it) => it.name === name);
  if (!command) return "there is no such command";
  const known = { ...COMMON_OPTIONS, ...command.options };
  const options = rest.filter((word) => word.startsWith("--")).map((word) => word.slice(2));
  const unknown = options.find((option) => !Object.hasOwn(known, option));
  if (unknown) return `it has no option --${unknown}`;
  const isValue = (place: number) => {
    const before = rest[place - 1] ?? "";
    return before.startsWith("--") && known[before.slice(2)]?.value !== undefined;
  };
  const given = rest.filter((word, place) => !word.startsWith("--") && !isValue(place));
  const isInPlace = command.inPlace !== undefined && options.includes(command.inPlace);
  const expected = command.parameters.length - (isInPlace ? 1 : 0);
  return given.length === expected ? undefined : `it takes ${expected} arguments, not ${given.length}`;
}

const LINES = PAGES.flatMap((page) =>
  [...read(page).matchAll(/npm run (?:-s |--silent )?operator -- ((?:<[^>\n]*>|[^`\n|<>#&…])*)/g)].map(
    ([, line = ""]) => `${page}: ${line.trim()}`,
  ),
);

it("every command of the operator's shell that a page has", () => {
  expect(LINES.length).toBeGreaterThan(90);
  const faults = LINES.flatMap((line) => {
    const fault = findFault(line.slice(line.indexOf(": ") + 2));
    return fault ? [`${line}: ${fault}`] : [];
  });
  expect(faults).toEqual([]);
});

it("finds what it looks for", () => {
  expect(findFault("mesage <id>")).toMatch(/no such command/);
  expect(findFault("message <id> --jsn")).toMatch(/no option --jsn/);
  expect(findFault("message")).toMatch(/takes 1 arguments, not 0/);
  expect(findFault("erase-person --everywhere +12125550100 --yes")).toBeUndefined();
});

it("every npm script that a page has", () => {
  const run = PAGES.flatMap((page) =>
    [...read(page).matchAll(/npm run (?:-s |--silent )?([a-z][\w:]*)/g)].map(([, script]) => `${page}: ${script}`),
  );
  expect(run.length).toBeGreaterThan(120);
  expect(run.filter((found) => !SCRIPTS.includes(found.slice(found.indexOf(": ") + 2)))).toEqual([]);
});

/** Scripts with flags of their own, and the file that has their help. */
const HELPS = {
  start: "scripts/start-options.ts",
  "run bench": "bench/run.ts",
  "run deploy:check": "scripts/deploy-check.ts",
  "run faults": "test/node/trials/run.ts",
  "run mcp": "scripts/mcp/main.ts",
  "run restore": "scripts/restore/main.ts",
};

it.each(Object.entries(HELPS))("every flag of npm %s that a page has", (script, file) => {
  const help = read(file);
  const line = new RegExp(`npm ${script.replace("run ", "run (?:-s |--silent )?")} -- ([^\`\\n|>]*)`, "g");
  const flags = PAGES.flatMap((page) =>
    [...read(page).matchAll(line)].flatMap(([, given = ""]) =>
      [...given.matchAll(/--[a-z][a-z-]*/g)].map(([flag]) => `${page}: ${flag}`),
    ),
  );
  expect(
    flags.filter((found) => !help.includes(`${found.slice(found.indexOf(": ") + 2)} `) && !found.endsWith("--help")),
  ).toEqual([]);
});

/** The scripts are TypeScript, which the Node of the packages runs, and not every Node that README.md allows. */
it("every script that a page has is run by the Node of the packages", () => {
  const own = PAGES.flatMap((page) =>
    [...read(page).matchAll(/(?<!npx )\bnode ((?:scripts|test)\/\S+\.ts)/g)].map(([, path]) => `${page}: ${path}`),
  );
  expect(own).toEqual([]);
});
