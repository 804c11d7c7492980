// Pure. What an operator sees of a database.

/** A database, of which there is one or several. Times in milliseconds since 1970. */
export interface DatabaseState {
  /** The binding. */
  database: string;
  /** `away`: it does not answer. `unmigrated`: it lacks a migration. `unbound`: websites are in it, and nothing has its name. */
  status: (typeof DATABASE_STATUSES)[number];
  /** null: not known. */
  bytes: number | null;
  limitBytes: number;
  /** The growth of the last days; null: less than a day is known. */
  bytesPerDay: number | null;
  /** At this growth; null: it does not grow, or that is not known. */
  daysLeft: number | null;
  /** When its last sweep ended; null: never. */
  sweptAt: string | null;
  sweepAgeSeconds: number | null;
}

export const DATABASE_STATUSES = ["ok", "away", "unmigrated", "unbound"] as const;

/** Shares of the limit. At the second, a database takes no more messages: receipts and opt-outs must have room. */
export const FILLING_SHARE = 0.7;
export const FULL_SHARE = 0.95;

export const shareOf = ({ bytes, limitBytes }: Pick<DatabaseState, "bytes" | "limitBytes">) =>
  (bytes ?? 0) / limitBytes;

export const percentOf = (size: Pick<DatabaseState, "bytes" | "limitBytes">) => Math.floor(shareOf(size) * 100);

/** In words, for a person. */
export function describeFill({ daysLeft, ...size }: DatabaseState): string {
  const left = daysLeft === null ? "" : `, ${daysLeft} days left`;
  return `${percentOf(size)} % of its limit${left}`;
}
