import type { Deps } from "../deps.ts";
import { describeError } from "../platform/describe-error.ts";
import { CHECK_TIMEOUT_MILLISECONDS, type Check, type CheckName, type Health } from "../platform/health-memory.ts";
import { probeDatabase } from "../platform/store/health.ts";
import { withinTime } from "../platform/time-limit.ts";

/** Names no website and no client: neither can have such an id. */
const NOBODY = "/health";

/** Asks each store once, as a request does, and all at the same time. Nothing is changed. */
export async function checkHealth(deps: Deps): Promise<Health> {
  const [configuration, database, credentials, limiter] = await Promise.all([
    check(deps, "configuration", async () => requireKey(deps)),
    check(deps, "database", () => probeDatabase(deps.db)),
    check(deps, "credentials", () => deps.credentials.read(NOBODY)),
    check(deps, "limiter", () => deps.limiter.admit(NOBODY, deps.now)),
  ]);
  return { configuration, database, credentials, limiter };
}

/** What is malformed has failed before; without a key, no callback can be signed. */
function requireKey({ config }: Deps): void {
  if (config.serviceKey === undefined) throw new Error("neither SERVICE_KEY nor OPERATOR_TOKEN is set");
}

async function check(deps: Deps, name: CheckName, ask: () => Promise<unknown>): Promise<Check> {
  const started = deps.now();
  try {
    await withinTime(CHECK_TIMEOUT_MILLISECONDS, ask());
    return { status: "ok", milliseconds: deps.now() - started };
  } catch (error) {
    deps.log("error", "health.failing", { check: name, error: describeError(error) });
    return { status: "failing", milliseconds: deps.now() - started };
  }
}
