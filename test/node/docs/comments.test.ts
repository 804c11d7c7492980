/** The style guide of CONTRIBUTING.md, in comments and in the descriptions of the API. In Node: to import all files as texts takes seconds in workerd. */
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { ROOT } from "../../../scripts/wrangler.ts";

const FOLDERS = "{src,scripts,console,client,bench,test,migrations}";
const FILES = globSync([`${FOLDERS}/**/*.{ts,tsx,sql}`, "*.ts"], {
  cwd: ROOT,
  exclude: ["**/node_modules", "test/node/typed-client/api.d.ts"],
});

/** A comment, or a sentence in it, whose subject comes after "Of …". */
const BEGINS_WITH_OF = /(?:\/\*\*|\/\/|^\s*\*|--|^.*\*.*[.:]) Of [a-z]/m;
/** The same in a text that a person sees. */
const SHOWN_WITH_OF = /["`.] ?Of [a-z]/;
const PHRASES = /(?:\/\*\*|\/\/|^\s*\*|--) .*\b(?:what waits|likewise)\b/im;

const isShown = (path: string) => /^(?:src|console|scripts)\//.test(path);

function faultIn(path: string): string[] {
  const text = readFileSync(join(ROOT, path), "utf8");
  const found = [BEGINS_WITH_OF, PHRASES, ...(isShown(path) ? [SHOWN_WITH_OF] : [])].map(
    (rule) => rule.exec(text)?.[0],
  );
  return found.flatMap((words) => (words === undefined ? [] : [`${path}: ${words}`]));
}

it("a comment and a description begin with their subject", () => {
  expect(FILES.length).toBeGreaterThan(900);
  expect(FILES.flatMap(faultIn)).toEqual([]);
});

it.each(["/** ", "// ", " * It ends. ", "-- "])("finds it after %j", (opening) =>
  expect(`${opening}Of several, one.`).toMatch(BEGINS_WITH_OF),
);
