import { registerHooks } from "node:module";
import { STUB } from "./stub.ts";

// Some of src/ stands beside code that only workerd can run.
registerHooks({
  resolve: (specifier, context, next) =>
    specifier.startsWith("cloudflare:")
      ? { url: `data:text/javascript,${STUB}`, shortCircuit: true }
      : next(specifier, context),
});

/** @param path in src/. Loaded by its URL: the Worker's types are not those of Node, and scripts are checked with the latter. */
export const loadSource = (path: string) => import(new URL(`../src/${path}`, import.meta.url).href);
