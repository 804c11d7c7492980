// The build command of wrangler.toml: puts the viewer of /docs among the assets, as the pinned package has it.
import { copyFileSync, mkdirSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";

const FILES = ["swagger-ui-bundle.js", "swagger-ui.css", "LICENSE", "NOTICE"];

const source = dirname(createRequire(import.meta.url).resolve("swagger-ui-dist/package.json"));
const target = join(import.meta.dirname, "../public/docs/vendor");

mkdirSync(target, { recursive: true });
for (const file of FILES) copyFileSync(join(source, file), join(target, file));
