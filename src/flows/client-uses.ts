import type { Deps } from "../deps.ts";
import { storeUses } from "../platform/store/client-uses.ts";
import { unlessItFails } from "./unless-it-fails.ts";

/** The platform ends what takes longer than 30 seconds after an answer. */
const STORED_AFTER_MILLISECONDS = 20_000;

/** After each request of a client: one call of the store for all that this isolate has noted in some seconds. */
export function keepUses(deps: Deps): void {
  const { clientUses } = deps;
  if (!clientUses.watch()) return;
  deps.later(STORED_AFTER_MILLISECONDS, () =>
    deps.waitUntil(
      unlessItFails(deps, "client.use-not-stored", {}, () => storeUses(deps.db, clientUses.take(), deps.now())),
    ),
  );
}
