import { stripVTControlCharacters } from "node:util";

/** What wrangler says at every start, every request and every batch. Its warnings and errors are none of these. */
const REMARKS = [
  /^\s*$/,
  /^Using (secrets|vars) defined in /,
  /^Your Worker has access to the following bindings:/,
  /^Binding +Resource +Mode/,
  /^env\.\w+ .* (local|remote)$/,
  /^⎔ (Starting local server|Connection status updated|Shutting down)/,
  /^\[wrangler:info\] /,
  // This service is swept each minute: see minute-sweep.ts.
  /Scheduled Workers are not automatically triggered/,
  /^ +To manually trigger a scheduled event, run:/,
  /^ +curl "[^"]+\/scheduled"$/,
  /^ +For more details, see \S+#test-cron-triggers-locally$/,
];

export function isRemark(line: string): boolean {
  const plain = stripVTControlCharacters(line);
  return REMARKS.some((remark) => remark.test(plain));
}

/** After it, wrangler waits for somebody to change the source. */
const BUILD_FAILURE = /\[ERROR\] Build failed/;

/** A wrong flag makes wrangler print all the right ones after it. */
const HELP = /^ +(-\w, )?--\w/;

const TAIL_LINES = 30;

/** Shows wrangler's lines, from when it is opened; before that it keeps them. */
export function createOutput({ quiet, show }: { quiet: boolean; show: (line: string) => void }) {
  const tail: string[] = [];
  let held: string[] | undefined = [];
  let buildFailed = false;
  return {
    add(line: string): void {
      if (!isRemark(line) && !HELP.test(line)) tail.push(line);
      buildFailed ||= BUILD_FAILURE.test(stripVTControlCharacters(line));
      if (tail.length > TAIL_LINES) tail.shift();
      if (quiet && isRemark(line)) return;
      if (held) held.push(line);
      else show(line);
    },
    open(): void {
      for (const line of held ?? []) show(line);
      held = undefined;
    },
    hasFailedToBuild: (): boolean => buildFailed,
    /** The last lines that are no remarks. */
    tail: (): string => tail.join("\n"),
  };
}
