import { expect } from "vitest";
import { countLedgers } from "../../../src/flows/operations/count-ledgers.ts";
import type { World } from "../../world.ts";
import { RandomWork, type Row, readGone } from "./random-work.ts";

const NOT_SUBSCRIBED = ["NOT_SUBSCRIBED", "NOT_FOUND", "FAILED_TO_MATCH"];
const ENDED_BEFORE = ["CANCELLED", "EXPIRED", "QUIET_HOURS", "FREQUENCY_CAP", "UNREACHABLE"];

/** As the documentation has it; null: pending. */
export function classOf(status: unknown, reason: unknown): string | null {
  if (status === "PENDING_TO_SEND") return null;
  if (NOT_SUBSCRIBED.includes(String(status))) return "notSubscribed";
  if (status === "FAILED_TO_SEND") return ENDED_BEFORE.includes(String(reason)) ? "endedBefore" : "notTaken";
  if (status === "DELIVERED") return "delivered";
  if (status === "SENDING" || reason === "NO_RECEIPT" || reason === "OUTCOME_UNKNOWN") return "noReceipt";
  return "undelivered";
}

const [MINUTE, DAY] = [60_000, 86_400_000];

class Tally {
  readonly counts = new Map<string, number>();

  add(website: unknown, span: "minute" | "day", time: unknown, kind: string, detail = ""): void {
    const at = Math.floor(Number(time) / (span === "day" ? DAY : MINUTE));
    for (const subject of ["", website]) this.#put([span, at, kind, subject, detail]);
  }

  /** On a day of the campaign of its purpose. */
  campaign({ website_id, accepted_at, send_purpose }: Row, kind: string): void {
    this.#put(["campaign", Math.floor(Number(accepted_at) / DAY), kind, website_id, send_purpose]);
  }

  /** In the minute in which it went. */
  gone({ website_id, send_purpose }: Row, time: unknown): void {
    this.#put(["minute", Math.floor(Number(time) / MINUTE), "gone", website_id, send_purpose]);
  }

  #put(key: unknown[]): void {
    this.counts.set(key.join(" "), (this.counts.get(key.join(" ")) ?? 0) + 1);
  }

  lines(): string[] {
    return [...this.counts].map(([key, count]) => `${key}: ${count}`).sort();
  }
}

/** What the rows say, of the minutes of the last hour and of all days. */
async function readRows(world: World, { erased }: RandomWork): Promise<string[]> {
  const tally = new Tally();
  const isShown = (time: unknown) => Math.floor(Number(time) / MINUTE) > Math.floor(world.now / MINUTE) - 60;
  for (const row of [...(await world.rows("SELECT * FROM messages")), ...erased.messages]) {
    if (row.is_reply !== 0) continue;
    const [website, at, kind] = [row.website_id, row.accepted_at, classOf(row.status, row.reason_code)];
    tally.add(website, "day", at, "accepted");
    tally.campaign(row, "accepted");
    if (kind) tally.add(website, "day", at, kind);
    if (kind) tally.campaign(row, kind);
    if (!isShown(at)) continue;
    tally.add(website, "minute", at, "accepted");
    if (kind) tally.add(website, "minute", at, kind, String(row.carrier ?? ""));
  }
  const clicked = await world.rows(
    "SELECT DISTINCT m.message_id, m.website_id, m.accepted_at, m.send_purpose FROM clicks c JOIN messages m USING (message_id) WHERE c.is_person = 1",
  );
  for (const row of [...clicked, ...erased.clicked]) {
    tally.add(row.website_id, "day", row.accepted_at, "clicked");
    tally.campaign(row, "clicked");
  }
  for (const row of [...(await readGone(world)), ...erased.gone]) if (isShown(row.at)) tally.gone(row, row.at);
  for (const row of [...(await world.rows("SELECT * FROM subscription_changes")), ...erased.changes]) {
    const kind = row.subscribed === 1 ? row.was_subscribed !== 1 && "joined" : row.was_subscribed === 1 && "parted";
    if (kind) tally.add(row.website_id, "day", row.changed_at, kind);
  }
  return tally.lines();
}

async function readCounts(world: World): Promise<string[]> {
  const rows = await world.rows(
    "SELECT * FROM counts WHERE count <> 0 AND kind NOT IN ('optedOut', 'outcome', 'receipt') AND (span <> 'minute' OR at > ?1)",
    Math.floor(world.now / MINUTE) - 60,
  );
  return rows
    .map(({ span, at, kind, subject, detail, count }) => `${[span, at, kind, subject, detail].join(" ")}: ${count}`)
    .sort();
}

/** Compares the table counts with what the rows say, after random work that runs twice, late and out of order. */
export async function expectCounted(world: World, seed: number, steps: number): Promise<void> {
  const work = new RandomWork(world, seed);
  await work.begin();
  for (let step = 0; step < steps; step++) {
    await work.step();
    if (step % 20 !== 19) continue;
    await countLedgers(world.deps, world.now);
    expect(await readCounts(world), `${seed}: step ${step}`).toEqual(await readRows(world, work));
  }
  expect((await readCounts(world)).length).toBeGreaterThan(10);
  expect(await world.rows("SELECT as_of FROM counted_ledgers")).toMatchObject([{ as_of: expect.any(Number) }]);
}
