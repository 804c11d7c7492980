const LOOK_MILLISECONDS = 250;

/** Ends this process with exit code 0 at a signal, or when npm or the reader of its output has gone. */
export function exitWhenStopped(): void {
  // Registered before Miniflare's handlers, which exit with another code.
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => process.exit(0));
  // The reader of our output has gone.
  for (const stream of [process.stdout, process.stderr]) stream.on("error", () => process.exit(0));
  // npm hands a SIGTERM to the shell between it and us, and that shell ends without a word to us.
  if (process.env.npm_lifecycle_event) onParentGone(() => process.exit(0));
}

function onParentGone(act: () => void): void {
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    act();
  }, LOOK_MILLISECONDS);
  timer.unref();
}
