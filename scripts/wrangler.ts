import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as wait } from "node:timers/promises";

const WRANGLER = join(import.meta.dirname, "../node_modules/wrangler/bin/wrangler.js");

/** No banner (and no look for updates), no telemetry, no questions, nothing fetched from the internet. */
const SILENCE = {
  WRANGLER_HIDE_BANNER: "true",
  WRANGLER_SEND_METRICS: "false",
  WRANGLER_NO_SKILLS_UPDATE_PROMPTS: "true",
  CLOUDFLARE_CF_FETCH_ENABLED: "false",
};

/** How long wrangler may take to end by itself: it takes about 1.4 s. */
const PATIENCE_MILLISECONDS = 2500;

export interface Wrangler {
  /** Begins a run; its lines, of both streams, go to `onLine`. */
  start(args: string[], onLine: (line: string) => void): WranglerRun;
  /** Ends every run and all its processes, and begins no further one. */
  stop(): Promise<void>;
  /** The same at once, without a word to anyone. */
  kill(): void;
}

export interface WranglerRun {
  /** Resolves to the exit code; null: it was ended by a signal. */
  exited: Promise<number | null>;
}

export function createWrangler(): Wrangler {
  const children: ChildProcess[] = [];
  let stopping = false;
  return {
    start(args, onLine) {
      if (stopping) throw new Error("wrangler is being stopped");
      const child = spawnGroup(args);
      children.push(child);
      for (const input of [child.stdout, child.stderr]) {
        if (input) createInterface({ input }).on("line", onLine);
      }
      return { exited: once(child, "exit").then(([code]) => code as number | null) };
    },
    async stop() {
      stopping = true;
      await Promise.all(children.map(endGroup));
    },
    kill: () => children.forEach(killGroup),
  };
}

/** In a process group of its own: a Ctrl-C reaches us alone, and whatever wrangler starts can be ended with it. */
function spawnGroup(args: string[]): ChildProcess {
  return spawn(process.execPath, [WRANGLER, ...args], {
    cwd: join(import.meta.dirname, ".."),
    env: { ...process.env, ...SILENCE },
    detached: true,
    stdio: ["ignore", "pipe", "pipe"],
  });
}

async function endGroup(child: ChildProcess): Promise<void> {
  const closed = once(child, "close");
  if (isRunning(child)) {
    child.kill("SIGTERM");
    await Promise.race([once(child, "exit"), wait(PATIENCE_MILLISECONDS, undefined, { ref: false })]);
  }
  killGroup(child);
  if (!child.stdout?.closed) await Promise.race([closed, wait(500, undefined, { ref: false })]);
}

function isRunning(child: ChildProcess): boolean {
  return child.exitCode === null && child.signalCode === null;
}

function killGroup(child: ChildProcess): void {
  if (child.pid === undefined) return;
  try {
    process.kill(-child.pid, "SIGKILL");
  } catch {
    // Nothing of it is left.
  }
}
