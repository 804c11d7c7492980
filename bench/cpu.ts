// The CPU time of the workerd process, and of other programs, as Linux counts it.
import { readdir, readFile } from "node:fs/promises";

/** Linux tells times to programs in hundredths of a second, whatever the kernel's own clock. */
const TICK_MILLISECONDS = 10;

interface ProcessStat {
  pid: number;
  name: string;
  parent: number;
  cpuMilliseconds: number;
  /** Of its children that have ended, and of theirs. */
  endedMilliseconds: number;
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

/** @returns what the work gives, and the milliseconds of CPU meanwhile; undefined where the system does not tell */
export async function timeCpu<T>(pid: number | undefined, work: () => Promise<T>): Promise<[T, number | undefined]> {
  const before = await readCpu(pid);
  const result = await work();
  const after = await readCpu(pid);
  return [result, before === undefined || after === undefined ? undefined : after - before];
}

/** Of this process and those that it has started and seen end, of all programs, and of all cores; milliseconds so far. */
export interface MachineCpu {
  own: number;
  busy: number;
  all: number;
}

/** Undefined where the system does not tell. See proc_stat(5): user, nice, system, idle, iowait, irq, softirq, steal. */
export async function readMachine(): Promise<MachineCpu | undefined> {
  const own = await readStat("self");
  const text = await readFile("/proc/stat", "utf8").catch(() => undefined);
  if (!own || text === undefined) return undefined;
  const times = text.slice(0, text.indexOf("\n")).trim().split(/ +/).slice(1, 9).map(Number);
  const all = times.reduce((sum, time) => sum + time, 0);
  const idle = (times[3] ?? 0) + (times[4] ?? 0);
  return {
    own: own.cpuMilliseconds + own.endedMilliseconds,
    busy: (all - idle) * TICK_MILLISECONDS,
    all: all * TICK_MILLISECONDS,
  };
}

/** What other programs took of the machine's CPU time in between, from 0 to 1. */
export function othersShare(before: MachineCpu, after: MachineCpu): number {
  return (after.busy - before.busy - (after.own - before.own)) / (after.all - before.all);
}

/** See proc_pid_stat(5): the name is in parentheses, and may have parentheses and spaces itself. */
async function readStat(pid: string): Promise<ProcessStat | undefined> {
  const text = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => undefined);
  if (text === undefined) return undefined;
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  const [parent, user, system, endedUser, endedSystem] = [1, 11, 12, 13, 14].map((index) => Number(fields[index]));
  return {
    pid: Number(text.slice(0, text.indexOf(" "))),
    name: text.slice(text.indexOf("(") + 1, text.lastIndexOf(")")),
    parent: parent ?? Number.NaN,
    cpuMilliseconds: ((user ?? Number.NaN) + (system ?? Number.NaN)) * TICK_MILLISECONDS,
    endedMilliseconds: ((endedUser ?? Number.NaN) + (endedSystem ?? Number.NaN)) * TICK_MILLISECONDS,
  };
}
