// A part of the build command of wrangler.toml: bundles the console, console/, for the page public/console.html.
import { renameSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { build } from "esbuild";

const ROOT = join(import.meta.dirname, "..");

const { outputFiles } = await build({
  absWorkingDir: ROOT,
  entryPoints: [
    { in: "console/main.tsx", out: "app" },
    { in: "console/style/app.css", out: "app" },
  ],
  outdir: "public/console",
  bundle: true,
  format: "esm",
  target: ["es2023", "chrome123", "firefox125", "safari17.5"],
  // The older form of a call takes an element's children as arguments: a kilobyte less of names in the whole.
  tsconfigRaw: { compilerOptions: { jsx: "react", jsxFactory: "h", jsxFragmentFactory: "Fragment" } },
  inject: ["console/jsx.ts"],
  charset: "utf8",
  minify: true,
  legalComments: "none",
  write: false,
});

// At once: several services may start together, and one that runs serves the file.
for (const { path, contents } of outputFiles) {
  const part = join(ROOT, `.console-${process.pid}`);
  writeFileSync(part, contents);
  renameSync(part, join(ROOT, "public/console", basename(path)));
}
