// Fills an empty service with a month of two brands, for the console: made by calls of the service, as if they had been made then.
import { isLoopback } from "../../../src/domain/callbacks/callback-url.ts";
import { DAY_MILLISECONDS } from "../../../src/domain/day.ts";
import { listWebsites } from "../../../src/store/clients/websites.ts";
import { DAYS, Month } from "./month.ts";
import { Past } from "./past.ts";
import { Platforms } from "./platforms.ts";

/** @returns false: there are websites, and nothing is done. @throws Error when a call is refused */
export async function fillDemo(env: Env, origin: string, token: string): Promise<boolean> {
  const now = Date.now();
  const past = new Past(env, origin, now - (DAYS + 1) * DAY_MILLISECONDS);
  if ((await listWebsites(past.deps.db)).length > 0) return false;
  const platforms = new Platforms(past);
  await platforms.begin({ authorization: `Bearer ${token}` });
  const endpoints = isLoopback(new URL(origin)) ? origin : undefined;
  for (const { at, run } of new Month(platforms, now).plan(endpoints)) {
    await past.passTo(at);
    await run();
  }
  await past.passTo(now);
  return true;
}
