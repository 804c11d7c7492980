import type { Deps } from "../../deps.ts";
import type { Traffic } from "../../domain/operations/traffic.ts";
import { readTraffic, readWebsites } from "../../store/operations/overview.ts";
import { askEach } from "../databases/ask-each.ts";
import { addUp } from "./add-up-traffic.ts";

/** What has become of the texts of the last 30 days, as the overview counts it. */
interface Month {
  asOf: number | null;
  month: Traffic;
}

/** @param deps of the database of the website */
export async function readMonth({ db, now }: Deps, websiteId: string): Promise<Month> {
  const at = now();
  const [traffic, website] = await Promise.all([readTraffic(db, websiteId, at), readWebsites(db, [websiteId], at)]);
  return addUp([traffic], [website], [websiteId], at);
}

/** All websites together; null: a database does not answer. */
export async function readMonthOfAll(deps: Deps): Promise<Month | null> {
  const now = deps.now();
  const { answers, missing } = await askEach(deps, ({ db }) => readTraffic(db, null, now));
  return missing.unavailableDatabases ? null : addUp(answers, [], [], now);
}
