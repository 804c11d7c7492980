import type { Deps } from "../deps.ts";
import type { LogFields } from "../log.ts";
import { describeError } from "../platform/describe-error.ts";

/** Never throws: work that fails is a line of the log. */
export async function unlessItFails(
  deps: Deps,
  event: string,
  fields: LogFields,
  work: () => Promise<void>,
): Promise<void> {
  try {
    await work();
  } catch (error) {
    deps.log("error", event, { ...fields, error: describeError(error) });
  }
}
