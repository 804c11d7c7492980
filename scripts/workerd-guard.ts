import { type ChildProcess, spawn } from "node:child_process";
import { subscribe } from "node:diagnostics_channel";
import { basename } from "node:path";

/** No line ever comes: `read` waits for the end of the pipe. */
const WAIT_AND_KILL = 'read -r _; kill -9 "$0"';

let isGuarding = false;

/** Watches each workerd that this process starts, by way of Miniflare too: its end follows ours, and Miniflare hears of its own. */
export function guardWorkerd(): void {
  if (isGuarding) return;
  isGuarding = true;
  subscribe("child_process", (message) => {
    const { process: child } = message as { process: ChildProcess };
    child.once("spawn", () => {
      if (basename(child.spawnfile) !== "workerd") return;
      endWithThisProcess(child);
      failUnread(child);
    });
  });
}

/**
 * Ends workerd when this process ends, even by SIGKILL: an orphaned workerd keeps its port, at 100 % CPU. A shell waits for the end
 * of a pipe whose other end only this process holds.
 */
function endWithThisProcess(workerd: ChildProcess): void {
  // In a session of its own: a signal to our process group does not end it.
  const shell = spawn("sh", ["-c", WAIT_AND_KILL, String(workerd.pid)], {
    detached: true,
    stdio: ["pipe", "ignore", "ignore"],
  });
  shell.on("error", () => {}); // no sh, no guard
  shell.stdin.on("error", () => {});
  shell.unref();
  workerd.once("exit", () => shell.kill("SIGKILL"));
}

/**
 * Miniflare waits for the "finish" or an "error" of workerd's standard input. If workerd ends before it has read all of it, Node gives an
 * error (EPIPE). But if Node sees the end of the process first, it gives neither, and Miniflare would wait forever.
 */
function failUnread(workerd: ChildProcess): void {
  const { stdin } = workerd;
  stdin?.on("error", () => {}); // Miniflare may have stopped listening
  workerd.once("exit", (code, signal) => {
    if (stdin?.writableFinished) return;
    stdin?.emit("error", new Error(`workerd ended at once (${signal ?? `exit code ${code}`}).`));
  });
}
