import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { delimiter, dirname, join } from "node:path";
import { createInterface } from "node:readline";

/** The directory of this project. */
export const ROOT = join(import.meta.dirname, "..");

/** No banner (and no look for updates), no telemetry, no questions. */
const SILENCE = {
  WRANGLER_HIDE_BANNER: "true",
  WRANGLER_SEND_METRICS: "false",
  WRANGLER_NO_SKILLS_UPDATE_PROMPTS: "true",
};

const TAIL_LINES = 30;

const running = new Set<ChildProcess>();
process.on("exit", () => running.forEach(killGroup));

/** Its message has the last lines of wrangler's output. */
export class WranglerFailure extends Error {}

/**
 * Runs wrangler to its end, and the build that it runs, on this very Node, without the developer's login. Its own log goes to the
 * directory, and so do its settings: in the settings of a developer it notes each version that has told of its telemetry, and a
 * failure would show that line.
 * @throws WranglerFailure
 */
export async function runWrangler(directory: string, ...args: string[]): Promise<void> {
  // In a process group of its own: what it has started can be ended with it.
  const child = spawn(process.execPath, [join(ROOT, "node_modules/wrangler/bin/wrangler.js"), ...args], {
    cwd: ROOT,
    env: {
      ...process.env,
      ...SILENCE,
      HOME: directory,
      XDG_CONFIG_HOME: directory,
      PATH: [dirname(process.execPath), process.env.PATH].join(delimiter),
      WRANGLER_LOG_PATH: join(directory, "logs"),
    },
    detached: true,
    stdio: ["ignore", "pipe", "pipe"],
  });
  running.add(child);
  const lines: string[] = [];
  for (const input of [child.stdout, child.stderr]) createInterface({ input }).on("line", (line) => lines.push(line));
  const [code, signal] = await once(child, "close");
  running.delete(child);
  if (code !== 0)
    throw new WranglerFailure([...lines.slice(-TAIL_LINES), `(${signal ?? `exit code ${code}`})`].join("\n"));
}

function killGroup({ pid }: ChildProcess): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, "SIGKILL");
  } catch {
    // Nothing of it is left.
  }
}
