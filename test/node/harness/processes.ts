import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { setTimeout as wait } from "node:timers/promises";

const [SHORTEST_PAUSE_MILLISECONDS, LONGEST_PAUSE_MILLISECONDS] = [20, 100];

/**
 * Waits until `look` gives something other than undefined, null and false. The pause between two looks grows: a look may ask a
 * service, whose work it holds up.
 */
export async function waitFor<T>(what: string, look: () => Promise<T> | T, milliseconds = 90_000) {
  const deadline = Date.now() + milliseconds;
  for (let pause = SHORTEST_PAUSE_MILLISECONDS; ; pause = Math.min(pause * 1.2, LONGEST_PAUSE_MILLISECONDS)) {
    const found = await look();
    if (found !== undefined && found !== null && found !== false) return found as Exclude<T, undefined | null | false>;
    if (Date.now() > deadline) throw new Error(`waited ${milliseconds} ms in vain for ${what}`);
    await wait(pause);
  }
}

export interface Run {
  child: ChildProcess;
  /** What it has written so far, to both streams. */
  output(): string;
  /** Resolves to the exit code; null: ended by a signal. */
  exited: Promise<number | null>;
}

/** Runs a command in the project's folder, without a terminal, in a process group of its own. */
export function run(command: string, args: string[], { env = {}, input = "" } = {}): Run {
  const child = spawn(command, args, { detached: true, env: { ...process.env, ...env } });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => {
      output += text;
    });
  }
  // A command that ends at once does not read what it is given.
  child.stdin.on("error", () => {});
  child.stdin.end(input);
  const exited = new Promise<number | null>((resolve) => child.on("close", resolve));
  return { child, output: () => output, exited };
}

interface Process {
  pid: number;
  parent: number;
  command: string;
}

/** Those that have ended but that nobody has waited for are left out. */
function listProcesses(): Process[] {
  const lines = execFileSync("ps", ["-eo", "pid=,ppid=,stat=,args="], { encoding: "utf8" }).trim().split("\n");
  return lines.flatMap((line) => {
    const [pid, parent, state = "", ...command] = line.trim().split(/\s+/);
    return state.startsWith("Z") ? [] : [{ pid: Number(pid), parent: Number(parent), command: command.join(" ") }];
  });
}

/** The process and all that it has started, directly or not. */
export function listFamily(pid: number): Process[] {
  const all = listProcesses();
  const childrenOf = (parent: number): Process[] =>
    all.filter((it) => it.parent === parent).flatMap((child) => [child, ...childrenOf(child.pid)]);
  return [...all.filter((it) => it.pid === pid), ...childrenOf(pid)];
}

/** Those of the processes that still run. */
export function stillRunning(processes: Process[]): Process[] {
  const now = listProcesses();
  return processes.filter((it) => now.some(({ pid, command }) => pid === it.pid && command === it.command));
}
