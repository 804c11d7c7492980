// The CPU time of the workerd process, as Linux counts it.
import { readdir, readFile } from "node:fs/promises";

/** Linux tells times to programs in hundredths of a second, whatever the kernel's own clock. */
const TICK_MILLISECONDS = 10;

interface ProcessStat {
  pid: number;
  name: string;
  parent: number;
  cpuMilliseconds: number;
}

/** The newest workerd that this process has started; undefined where there is no /proc. */
export async function findWorkerd(): Promise<number | undefined> {
  const entries = await readdir("/proc").catch(() => []);
  const processes = await Promise.all(entries.filter((entry) => /^\d+$/.test(entry)).map((pid) => readStat(pid)));
  const own = processes.filter((stat) => stat?.parent === process.pid && stat.name === "workerd");
  return own.length === 0 ? undefined : Math.max(...own.map((stat) => stat?.pid ?? 0));
}

/** Milliseconds of CPU so far, in user and in kernel mode; undefined where the system does not tell. */
export async function readCpu(pid: number | undefined): Promise<number | undefined> {
  return pid === undefined ? undefined : (await readStat(String(pid)))?.cpuMilliseconds;
}

/** See proc_pid_stat(5): the name is in parentheses, and may have parentheses and spaces itself. */
async function readStat(pid: string): Promise<ProcessStat | undefined> {
  const text = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => undefined);
  if (text === undefined) return undefined;
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  const [parent = Number.NaN, user = Number.NaN, system = Number.NaN] = [1, 11, 12].map((index) =>
    Number(fields[index]),
  );
  return {
    pid: Number(text.slice(0, text.indexOf(" "))),
    name: text.slice(text.indexOf("(") + 1, text.lastIndexOf(")")),
    parent,
    cpuMilliseconds: (user + system) * TICK_MILLISECONDS,
  };
}
