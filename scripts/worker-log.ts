/** In rising order. */
export const LOG_LEVELS = ["debug", "info", "log", "warn", "error", "none"] as const;

export type LogLevel = (typeof LOG_LEVELS)[number];

const TAIL_LINES = 30;

/** Holds the Worker's lines back until it is opened. */
export function makeWorkerLog(level: LogLevel, show: (line: string) => void) {
  const tail: string[] = [];
  let held: string[] | undefined = [];
  return {
    /** @param lineLevel the method of `console` that wrote the line */
    add(line: string, lineLevel: string): void {
      tail.push(line);
      if (tail.length > TAIL_LINES) tail.shift();
      if (rank(lineLevel) < rank(level)) return;
      if (held) held.push(line);
      else show(line);
    },
    open(): void {
      for (const line of held ?? []) show(line);
      held = undefined;
    },
    /** The last lines, of every level. */
    tail: (): string => tail.join("\n"),
  };
}

export type WorkerLog = ReturnType<typeof makeWorkerLog>;

function rank(level: string): number {
  return LOG_LEVELS.indexOf(level as LogLevel);
}
