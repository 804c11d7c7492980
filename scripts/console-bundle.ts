// The script of the console as one file, for scripts/console-assets.ts.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type RolldownPluginOption, rolldown } from "rolldown";

export const SOURCES = join(import.meta.dirname, "../console");
export const TARGET = ["es2023", "chrome123", "firefox125", "safari17.5"];

/**
 * In this order the files stand in the bundle, each after those that it imports. gzip finds a repetition only within the last 32 KB, so
 * those that are alike are together: two kilobytes less in the whole. The order has been found by trial: see find-console-order.ts.
 */
export const ORDER = join(import.meta.dirname, "console-order.txt");

/** @returns all files but main.tsx, which is the last; one that the order lacks comes after the others */
export function filesInOrder(): string[] {
  const all = ["lib", "parts", "pages"].flatMap((folder) =>
    readdirSync(join(SOURCES, folder)).map((name) => join(SOURCES, folder, name)),
  );
  const known = readFileSync(ORDER, "utf8").trim().split("\n");
  const placeOf = (path: string) => known.indexOf(path.slice(SOURCES.length + 1)) >>> 0; // none: the last
  return all.sort((one, other) => placeOf(one) - placeOf(other));
}

/** Rolldown names what is local so that gzip finds more repetitions than in what esbuild makes: 1.5 KB less. */
export async function bundleScript(files: string[], plugins: RolldownPluginOption[] = []): Promise<string> {
  const entry = "entry-of-the-console.js";
  const imports = [...files, join(SOURCES, "main.tsx")].map((path) => `import ${JSON.stringify(path)};`);
  const bundle = await rolldown({
    cwd: SOURCES,
    input: entry,
    plugins: [
      {
        name: "entry",
        resolveId: (id) => (id === entry ? entry : null),
        load: (id) => (id === entry ? imports.join("\n") : null),
      },
      ...plugins,
    ],
    transform: {
      target: TARGET,
      // The older form of a call takes an element's children as arguments: a kilobyte less of names in the whole.
      jsx: { runtime: "classic", pragma: "h", pragmaFrag: "Fragment" },
      inject: { h: ["preact", "h"], Fragment: ["preact", "Fragment"] },
    },
  });
  const { output } = await bundle.generate({ format: "iife", minify: true, comments: false });
  return output[0].code;
}
