/** An error's name and message, with its cause's: for the log and the operator, never for a client. */
export function describeError(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const cause = error.cause === undefined ? "" : ` (${describeError(error.cause)})`;
  return `${error.name}: ${error.message}${cause}`;
}

/** Tried with workerd, which has no other words. Cloudflare answers with a status instead, where it can: see edge-status.ts. */
const UNSAID: [RegExp, string][] = [
  [/internal error/, "unknown host, invalid certificate, or no HTTP: the runtime does not say which"],
  [/Network connection lost/, "connection refused, or broken off: the runtime does not say which"],
];

/** Describes the error of a fetch. What the runtime leaves open is said, too. */
export function describeFetchError(error: unknown): string {
  const words = describeError(error);
  const found = UNSAID.find(([pattern]) => pattern.test(words));
  return found ? `${words} (${found[1]})` : words;
}
