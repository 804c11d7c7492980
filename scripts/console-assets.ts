// A part of the build command of wrangler.toml: bundles the console, console/, for the page public/console.html.
import { readdirSync, renameSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { build } from "esbuild";
import { rolldown } from "rolldown";

const ROOT = join(import.meta.dirname, "..");
const SOURCES = join(ROOT, "console");
const TARGET = ["es2023", "chrome123", "firefox125", "safari17.5"];

/** Pages of a subject; the others come after them. */
const SUBJECTS = [
  /waiting|conv/,
  /message|person/,
  /audit|dead|databases|begin|tokens|sessions|problems/,
  /website|client|setting|endpoint|reports/,
];

const [script, style] = await Promise.all([bundleScript(), bundleStyle()]);
put("app.js", script);
put("app.css", style);

/** Rolldown names what is local so that gzip finds more repetitions than in what esbuild makes: 1.5 KB less. */
async function bundleScript(): Promise<string> {
  const entry = "entry-of-the-console.js";
  const bundle = await rolldown({
    cwd: SOURCES,
    input: entry,
    plugins: [
      {
        name: "entry",
        resolveId: (id) => (id === entry ? entry : null),
        load: (id) => (id === entry ? inOrder().join("\n") : null),
      },
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

/**
 * In this order the files stand in the bundle. gzip finds a repetition only within the last 32 KB, so those that are alike are together:
 * a kilobyte less in the whole than in the order in which they import each other. What is best has been found by trial.
 * @returns lines that import them
 */
function inOrder(): string[] {
  const filesOf = (folder: string) => readdirSync(join(SOURCES, folder)).map((name) => join(SOURCES, folder, name));
  const { words = [], code = [] } = Object.groupBy(filesOf("lib"), (path) =>
    /words|table|story/.test(path) ? "words" : "code",
  );
  const subjectOf = (path: string) => SUBJECTS.findIndex((subject) => subject.test(basename(path))) >>> 0; // none: the last
  const pages = filesOf("pages").sort((one, other) => subjectOf(one) - subjectOf(other));
  const files = [...code.reverse(), ...filesOf("parts"), ...pages, ...words, join(SOURCES, "main.tsx")];
  return files.map((path) => `import ${JSON.stringify(path)};`);
}

async function bundleStyle(): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [join(SOURCES, "style/app.css")],
    bundle: true,
    target: TARGET,
    charset: "utf8",
    minify: true,
    legalComments: "none",
    write: false,
  });
  return outputFiles[0]?.text ?? "";
}

/** At once: several services may start together, and one that runs serves the file. */
function put(name: string, text: string): void {
  const part = join(ROOT, `.console-${process.pid}`);
  writeFileSync(part, text);
  renameSync(part, join(ROOT, "public/console", name));
}
