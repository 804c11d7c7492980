import type { Deps } from "../../deps.ts";
import type { Traffic } from "../../domain/operations/traffic.ts";
import { readTraffic, readWebsites } from "../../store/operations/overview.ts";
import { askEach } from "../databases/ask-each.ts";
import { addUp } from "./add-up-traffic.ts";

/** What has become of the texts of the last 30 days, as the overview counts it; null: a database does not answer. */
export async function readMonth(
  deps: Deps,
  websiteId: string | null,
): Promise<{ asOf: number | null; month: Traffic } | null> {
  const now = deps.now();
  const chosen = websiteId === null ? [] : [websiteId];
  const { answers, missing } = await askEach(deps, async ({ db }) => ({
    traffic: await readTraffic(db, websiteId, now),
    websites: await readWebsites(db, chosen, now),
  }));
  if (missing.unavailableDatabases) return null;
  const all = answers.map(({ traffic }) => traffic);
  return addUp(
    all,
    answers.map(({ websites }) => websites),
    chosen,
    now,
  );
}
