// What a run has seen, in lines.
import { printTable } from "../../harness/table.ts";
import type { Answers } from "./answers.ts";
import type { Log } from "./log.ts";

type Counts = ReadonlyMap<number, number>;

/** A row for each operation, a column for each status. */
export function printCounts({ counts }: Answers, seconds: number): void {
  const rows: [string, Counts][] = [...counts].sort(([one], [other]) => (one < other ? -1 : 1));
  const statuses = [...new Set(rows.flatMap(([, counted]) => [...counted.keys()]))].sort((one, other) => one - other);
  const all = new Map(statuses.map((status) => [status, sum(rows.map(([, counted]) => counted.get(status) ?? 0))]));
  const total = sum(all.values());
  printTable(
    `${total} requests in ${seconds.toFixed(0)} s, ${(total / seconds).toFixed(0)} a second`,
    [
      ["", "requests", ...statuses.map(String)],
      ...[...rows, ["all", all] as [string, Counts]].map(([name, counted]) => [
        name,
        String(sum(counted.values())),
        ...statuses.map((status) => String(counted.get(status) ?? "")),
      ]),
    ],
    1,
  );
}

export function printRest(
  { accepted, reached, reconnects }: Record<"accepted" | "reached" | "reconnects", number>,
  { troubles }: Log,
): void {
  console.log(`${accepted} messages accepted; ${reached} requests to carriers and clients; ${reconnects} reconnects`);
  console.log(`logged: ${[...troubles].map(([event, count]) => `${event} ${count}`).join(", ") || "nothing but info"}`);
}

function sum(counts: Iterable<number>): number {
  return [...counts].reduce((before, count) => before + count, 0);
}
