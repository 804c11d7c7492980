const LOOK_MILLISECONDS = 250;

/** @returns the exit code, once somebody wants this process to end */
export function untilStopped(): Promise<number> {
  return new Promise((resolve) => {
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => resolve(0));
    // Whoever read our output has gone.
    for (const stream of [process.stdout, process.stderr]) stream.on("error", () => resolve(0));
    // npm hands a SIGTERM to the shell between it and us, and that shell ends without a word to us.
    if (process.env.npm_lifecycle_event) onParentGone(() => resolve(0));
  });
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
