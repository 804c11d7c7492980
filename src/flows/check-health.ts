import type { Deps } from "../deps.ts";
import { describeError } from "../platform/describe-error.ts";
import { CHECK_TIMEOUT_MILLISECONDS, type Check, type CheckName, type Health } from "../platform/health-memory.ts";
import { probeDatabase } from "../platform/store/database.ts";
import { withinTime } from "../platform/time-limit.ts";

/** A valid id of no website and no client. */
const NOBODY = "/health";

/** Reads from each store once, as a request does, all in parallel. Changes nothing. */
export async function checkHealth(deps: Deps): Promise<Health> {
  const [configuration, database, credentials, limiter] = await Promise.all([
    check(deps, "configuration", async () => requireKey(deps)),
    check(deps, "database", () => probeDatabase(deps.db)),
    check(deps, "credentials", () => deps.credentials.read(NOBODY)),
    check(deps, "limiter", () => deps.limiter.admit(NOBODY, deps.now)),
  ]);
  return { configuration, database, credentials, limiter };
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
