// A part of the build command of wrangler.toml: bundles the console, console/, for the page public/console.html.
import { renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";
import { bundleScript, filesInOrder, SOURCES, TARGET } from "./console-bundle.ts";

const ROOT = join(SOURCES, "..");

const [script, style] = await Promise.all([bundleScript(filesInOrder()), bundleStyle()]);
put("app.js", script);
put("app.css", style);

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
  return withShortNames(outputFiles[0]?.text ?? "");
}

/** No script names a property of the style, so its names are as short as can be: 130 bytes less. */
function withShortNames(style: string): string {
  const names = [...new Set(style.match(/--[a-z0-9-]+/g))];
  return style.replaceAll(/--[a-z0-9-]+/g, (name) => `--${names.indexOf(name).toString(36)}`);
}

/** At once: several services may start together, and one that runs serves the file. */
function put(name: string, text: string): void {
  const part = join(ROOT, `.console-${process.pid}`);
  writeFileSync(part, text);
  renameSync(part, join(ROOT, "public/console", name));
}
