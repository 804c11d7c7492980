/** Miniflare fires no cron triggers, but this makes it run one. */
const PATH = "/cdn-cgi/local/scheduled?cron=*+*+*+*+*";

const MINUTE_MILLISECONDS = 60_000;
const TIMEOUT_MILLISECONDS = 50_000;

export type Call = (path: string, signal: AbortSignal) => Promise<Pick<Response, "ok" | "status">>;

/** Fires the scheduled job now, and then each minute, as the cron trigger of wrangler.toml does where it is deployed. */
export async function sweepEachMinute(
  call: Call,
  report: (line: string) => void,
  everyMilliseconds = MINUTE_MILLISECONDS,
): Promise<void> {
  setInterval(() => void sweepOnce(call, report), everyMilliseconds).unref();
  await sweepOnce(call, report);
}

async function sweepOnce(call: Call, report: (line: string) => void): Promise<void> {
  try {
    const { ok, status } = await call(PATH, AbortSignal.timeout(TIMEOUT_MILLISECONDS));
    if (!ok) report(`The scheduled sweep failed: HTTP ${status}.`);
  } catch (error) {
    report(`The scheduled sweep failed: ${error instanceof Error ? error.message : error}.`);
  }
}
