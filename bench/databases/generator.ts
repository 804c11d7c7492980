// A load generator in a process of its own, which can be pinned to a core: each message is a load, and is answered by its result.
import { closedLoop } from "../load.ts";
import type { GeneratorLoad } from "./cores.ts";

process.on("message", async ({ url, requests, options }: GeneratorLoad) => {
  process.send?.(await closedLoop(url, requests, options).catch((error: Error) => ({ error: error.message })));
});
process.on("disconnect", () => process.exit());
