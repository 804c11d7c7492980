// Pure. The move of a website to another database.

/** In their order; the last two instead of what follows. */
export const MOVE_STEPS = ["prepare", "copy", "check", "switch", "fence", "kept", "clear", "failed"] as const;

export type MoveStep = (typeof MOVE_STEPS)[number];

/** For so long the source keeps its rows, and the website can be moved back. */
const KEPT_MILLISECONDS = 24 * 3_600_000;

/** A move that a job has not worked on for so long is taken up by the sweep. */
export const IDLE_MILLISECONDS = 30_000;

/** Steps of which nobody needs to do anything now. */
const RESTING: readonly MoveStep[] = ["kept", "failed"];

/** A move as the directory has it. Times in milliseconds since 1970. */
export interface Move {
  websiteId: string;
  home: number;
  source: string;
  target: string;
  step: MoveStep;
  startedAt: number;
  /** When a job last worked on it. */
  workedAt: number;
  /** null: the website is in the source. */
  movedAt: number | null;
  /** Of the last job; null: it did what it had to. */
  error: string | null;
}

export const isUnderWay = ({ step }: Move) => !RESTING.includes(step);

/** Until then nothing is cleared of a move that is over: in the source, or where it has failed, in the target. */
export const keptUntil = ({ movedAt, workedAt }: Move) => (movedAt ?? workedAt) + KEPT_MILLISECONDS;

/** Whether the website may be moved back. */
export const canGoBack = (move: Move, now: number) =>
  move.step === "kept" && move.movedAt !== null && now < keptUntil(move);
