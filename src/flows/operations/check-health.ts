import type { Deps } from "../../deps.ts";
import { describeError } from "../../platform/describe-error.ts";
import {
  CHECK_TIMEOUT_MILLISECONDS,
  type Check,
  type CheckName,
  type FailingDatabase,
  type Health,
} from "../../platform/health-memory.ts";
import { withinTime } from "../../platform/time-limit.ts";
import { failingStatus, probeDatabase } from "../../store/database.ts";
import { inEach } from "../databases/places.ts";

/** A valid id of no website and no client. */
const NOBODY = "/health";

/** Shorter than the check itself, so that the check can say which of several does not answer. */
const PROBE_MILLISECONDS = CHECK_TIMEOUT_MILLISECONDS - 200;

/** Reads from each store once, as a request does, all in parallel. Changes nothing. */
export async function checkHealth(deps: Deps): Promise<Health> {
  const failingDatabases: FailingDatabase[] = [];
  const [configuration, database, credentials, limiter] = await Promise.all([
    check(deps, "configuration", async () => requireKey(deps)),
    check(deps, "database", () => probeAll(deps, failingDatabases)),
    check(deps, "credentials", () => deps.credentials.read(NOBODY)),
    check(deps, "limiter", () => deps.limiter.admit(NOBODY, deps.now)),
  ]);
  return {
    configuration,
    database,
    credentials,
    limiter,
    ...(failingDatabases.length > 0 ? { failingDatabases } : {}),
  };
}

async function probeAll(deps: Deps, failing: FailingDatabase[]): Promise<void> {
  const ends = await Promise.allSettled(inEach(deps).map((own) => probe(own, failing)));
  for (const end of ends) if (end.status === "rejected") throw end.reason;
}

async function probe({ db, database }: Deps, failing: FailingDatabase[]): Promise<void> {
  try {
    await withinTime(PROBE_MILLISECONDS, probeDatabase(db));
  } catch (error) {
    failing.push({ database, status: failingStatus(error) });
    throw error;
  }
}

/** Without a key, no callback can be signed. A malformed configuration has failed earlier, in readConfig. */
function requireKey({ config }: Deps): void {
  if (config.serviceKey === undefined) throw new Error("neither SERVICE_KEY nor OPERATOR_TOKEN is set");
}

async function check(deps: Deps, name: CheckName, probe: () => Promise<unknown>): Promise<Check> {
  const started = deps.now();
  try {
    await withinTime(CHECK_TIMEOUT_MILLISECONDS, probe());
    return { status: "ok", milliseconds: deps.now() - started };
  } catch (error) {
    deps.log("error", "health.failing", { check: name, error: describeError(error) });
    return { status: "failing", milliseconds: deps.now() - started };
  }
}
