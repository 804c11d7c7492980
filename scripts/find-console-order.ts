// Finds a better order for the files of the console, and writes it into console-order.txt: npx node scripts/find-console-order.ts <seconds>
// Moves some files at a time and keeps what makes the bundle smaller; at first, now and then what makes it larger, too. Each try is the sum of
// the minified files, as they would stand, because a bundle takes ten times as long as gzip does.
import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { gzipSync } from "node:zlib";
import { bundleScript, filesInOrder, ORDER, SOURCES } from "./console-bundle.ts";

const sizeOf = (text: string) => gzipSync(text, { level: 9 }).length;
const MAIN = join(SOURCES, "main.tsx");

const given = filesInOrder();
const { texts, rest } = await textsOf(given);
const imports = new Map([...texts.keys()].map((path) => [path, importsOf(path)]));
const before = sizeOf(await bundleScript(given));
const found = search(given, Number(process.argv[2] ?? 60) * 1000);
const after = sizeOf(await bundleScript(found));
console.log(`${before} bytes before, ${after} after`);
if (after < before) writeFileSync(ORDER, found.map((path) => `${path.slice(SOURCES.length + 1)}\n`).join(""));

/** What each file is in the bundle: a mark that no minifier takes away stands at the end of each. */
async function textsOf(files: string[]): Promise<{ texts: Map<string, string>; rest: string }> {
  const transform = (code: string, id: string) =>
    id.startsWith("/") ? { code: `${code}\n;__mark(${JSON.stringify(id)});`, moduleSideEffects: true } : null;
  const marked = await bundleScript(files, [{ name: "mark", transform: { order: "post", handler: transform } }]);
  const parts = marked.split(/[,;]?__mark\(`([^`]+)`\)[,;]?/);
  const pairs = parts
    .slice(0, -1)
    .flatMap((text, at) => (at % 2 === 0 ? [[parts[at + 1] ?? "", `${text};`] as const] : []));
  return { texts: new Map(pairs), rest: parts.at(-1) ?? "" };
}

/** The files and packages that a file imports, in order; types are none. */
function importsOf(path: string): string[] {
  const all = [...texts.keys()];
  const preact = all.filter((it) => /preact\.mjs$|hooks\.mjs$/.test(it));
  if (!path.startsWith(SOURCES)) return preact.slice(0, preact.indexOf(path));
  const named = [...readFileSync(path, "utf8").matchAll(/^import (?!type)[^"]*"(\.[^"]+)";/gm)];
  return [...preact, ...named.map(([, from = ""]) => resolve(dirname(path), from))].filter((it) => texts.has(it));
}

/** As modules are run: each after what it imports. */
function inBundle(order: string[]): string {
  const seen = new Set<string>();
  const add = (path: string): string => {
    if (seen.has(path) || !texts.has(path)) return "";
    seen.add(path);
    return (imports.get(path) ?? []).map(add).join("") + texts.get(path);
  };
  return (
    [...texts.keys()]
      .filter((path) => !path.startsWith(SOURCES))
      .concat(order, MAIN)
      .map(add)
      .join("") + rest
  );
}

function search(first: string[], milliseconds: number): string[] {
  let present = { order: first, size: sizeOf(inBundle(first)) };
  let best = present;
  for (const began = Date.now(); Date.now() - began < milliseconds; ) {
    const heat = 4 * (1 - (Date.now() - began) / milliseconds) + 0.3;
    const order = moved(present.order);
    const next = { order, size: sizeOf(inBundle(order)) };
    if (Math.random() < Math.exp((present.size - next.size) / heat)) present = next;
    if (present.size < best.size) best = present;
  }
  return best.order;
}

function moved(order: string[]): string[] {
  const some = [...order];
  const at = Math.floor(Math.random() * some.length);
  const taken = some.splice(at, 1 + Math.floor(Math.random() * Math.random() * 6));
  some.splice(Math.floor(Math.random() * (some.length + 1)), 0, ...taken);
  return some;
}
