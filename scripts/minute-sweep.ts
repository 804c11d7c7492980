/** `wrangler dev` fires no cron triggers, but this makes it run one. */
const PATH = "/cdn-cgi/handler/scheduled?cron=*+*+*+*+*";

const MINUTE_MILLISECONDS = 60_000;
const TIMEOUT_MILLISECONDS = 50_000;

/** Fires the scheduled job now, and then each minute, as the cron trigger of wrangler.toml does where it is deployed. */
export async function sweepEachMinute(
  url: string,
  report: (line: string) => void,
  everyMilliseconds = MINUTE_MILLISECONDS,
): Promise<void> {
  setInterval(() => void sweepOnce(url, report), everyMilliseconds).unref();
  await sweepOnce(url, report);
}

async function sweepOnce(url: string, report: (line: string) => void): Promise<void> {
  try {
    const answer = await fetch(url + PATH, { signal: AbortSignal.timeout(TIMEOUT_MILLISECONDS) });
    await answer.body?.cancel();
    if (!answer.ok) report(`The scheduled sweep failed: HTTP ${answer.status}.`);
  } catch (error) {
    report(`The scheduled sweep failed: ${error instanceof Error ? error.message : error}.`);
  }
}
