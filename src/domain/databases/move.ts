// Pure. The move of a website to another database, and the times that keep it safe: see src/flows/databases/move-website.ts.

/** What an operator sees of a move. The last two end it. */
export const MOVE_STATES = ["paused", "copying", "comparing", "done", "failed"] as const;

/** As the directory has it. `switched`: the directory leads to the target, and the databases are yet to be told. */
export type MoveState = (typeof MOVE_STATES)[number] | "switched" | "aborted";

/** The times by which nobody writes the rows of a paused website any more. An object, so that the trial of moves can shorten them. */
export const TIMES = {
  /** How long an isolate uses the list of closed websites that it has read from a database. */
  leaseMilliseconds: 10_000,
  /**
   * After it has asked, nothing writes for longer; what takes longer asks again before each of its parts. The longest is a run of
   * deliveries: 8 seconds until its last claim, 20 for the submission, and 40 for each of the calls that claim and that store the
   * outcome.
   */
  longestWorkMilliseconds: 120_000,
  /** How long D1 may still run a call after its caller gave up on it. */
  lateCallMilliseconds: 30_000,
};

/** So long after a website was paused, nobody writes its rows any more: 160 seconds. */
export const quietAfterMilliseconds = () =>
  TIMES.leaseMilliseconds + TIMES.longestWorkMilliseconds + TIMES.lateCallMilliseconds;

/** What a paused website has to wait for is looked at again after this. */
export const PAUSED_SECONDS = 30;

/** How long the source keeps its rows. */
export const KEPT_MILLISECONDS = 24 * 3_600_000;

/** The sweep resumes a move on which no job has worked for this time. */
export const IDLE_MILLISECONDS = 30_000;

/** A move fails if its databases do not let it continue for this time, because its website is paused meanwhile. */
export const GIVE_UP_MILLISECONDS = 10 * 60_000;

/** A move copies the rows at most this often. Each copy includes the writes that came late for the copy before. */
export const MOST_COPIES = 3;

/** A move as the directory has it. Times in milliseconds since 1970. */
export interface Move {
  websiteId: string;
  home: number;
  source: string;
  target: string;
  state: MoveState;
  /** Names the move: a later one of the website has a later time. */
  startedAt: number;
  /** When a job last worked on it. */
  workedAt: number;
  /** null: it is under way. */
  endedAt: number | null;
  /** Counts the steps of its jobs, so that only one of two concurrent jobs continues. */
  turn: number;
  progress: Progress;
  copiedRows: number;
  comparedRows: number;
  /** null: not counted yet. */
  totalRows: number | null;
  /** Why it has failed, or why its latest job has. */
  problem: string | null;
}

export type Key = (string | number)[];

/** Numbers that each database counts by itself. `changes`: of the ledger. `feed`: of events. */
export type Counter = "changes" | "feed";

/** What is added to the numbers of each counter, and the last sum that the target has kept free. */
export type Shifts = Record<Counter, { by: number; end: number }>;

export interface Progress {
  /** When both databases had the website as paused. null: not yet. */
  pausedAt: number | null;
  /** How often the rows were copied anew. */
  copies: number;
  /** The table that is cleared, copied or compared, and the last key of its last page. null: none is yet, or all are. */
  at: { name: string; after: Key | null } | null;
  /** null: not reserved yet. */
  shifts: Shifts | null;
  /** Places in its feed below this one are older than the move. */
  feedUntil: number;
  /** The move has ended, and its old rows are deleted. */
  isCleared: boolean;
}

export const NO_PROGRESS: Progress = {
  ...{ pausedAt: null, copies: 0, at: null, shifts: null, feedUntil: 0, isCleared: false },
};

export const isUnderWay = ({ endedAt }: Move) => endedAt === null;

/** Whether it has failed or was aborted: the website is in the source. */
export const isGivenUp = ({ state }: Move) => state === "aborted" || state === "failed";

/** Whether nothing is decided yet: the website is in the source, and the move can be given up. */
export const canAbort = ({ state }: Move) => state === "paused" || state === "copying" || state === "comparing";

/** The database in which a move that has ended has rows to delete, and from when on. */
export function leftBehind({ state, source, target, endedAt }: Move): { database: string; until: number } {
  const ended = endedAt ?? Number.POSITIVE_INFINITY;
  return state === "done" ? { database: source, until: ended + KEPT_MILLISECONDS } : { database: target, until: ended };
}

/** When the directory deletes it. */
export const isForgotten = ({ progress, endedAt }: Move, now: number) =>
  progress.isCleared && endedAt !== null && endedAt + KEPT_MILLISECONDS <= now;
