import type { Deps } from "../deps.ts";
import type { Uses } from "../domain/client-uses.ts";
import { storeUses } from "../platform/store/client-uses.ts";
import { askEach } from "./ask-each.ts";
import { inEach } from "./places.ts";
import { unlessItFails } from "./unless-it-fails.ts";

/** The platform ends what takes longer than 30 seconds after an answer. */
const STORED_AFTER_MILLISECONDS = 20_000;

/** After each request of a client: one call of the store for all that this isolate has noted in some seconds. */
export function keepUses(deps: Deps): void {
  const { clientUses } = deps;
  if (!clientUses.watch()) return;
  deps.later(STORED_AFTER_MILLISECONDS, () =>
    deps.waitUntil(unlessItFails(deps, "client.use-not-stored", {}, () => storeEverywhere(deps, clientUses.take()))),
  );
}

/** A database notes the clients that it has. */
async function storeEverywhere(deps: Deps, uses: Uses): Promise<void> {
  await askEach(inEach(deps), ({ db }) => storeUses(db, uses, deps.now()));
}
