/** An error's name and message, with its cause's: for the log and the operator, never for a client. */
export function describeError(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const cause = error.cause === undefined ? "" : ` (${describeError(error.cause)})`;
  return `${error.name}: ${error.message}${cause}`;
}
