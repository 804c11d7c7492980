// Pure. What a move out of a database does to those who stay.
import { Move, type Moved } from "./move.ts";
import { baseModel, type DatabaseKind, LOOK } from "./observe.ts";
import { type Quantiles, quantilesOf } from "./samples.ts";
import { World } from "./world.ts";

/** Milliseconds since the run began. */
const MOVE_FROM = 5000;
const MOVE_END = 120_000;
/** Then all sends that arrived before the end of the move are answered. */
const AFTER = 3000;
const ROWS = 100_000;
/** The row of a message and those of its events and its link, each time they are written until the last callback. */
const CHANGES_OF_MESSAGE = 10;

export interface MoveOutcome extends DatabaseKind {
  /** undefined: it was not done in time. */
  moved: Moved | undefined;
  givenUp: number;
  rowsPerSecond: number;
  /** Sends of the other websites of the database in the same seconds: without the move, and with it. */
  neighborsWithout: Quantiles;
  neighbors: Quantiles;
  /** Sends of the website itself: while it is copied, and those that arrived behind the fence. */
  own: Quantiles;
  fenced: Quantiles;
}

/** To a database that has none. */
export function runMove(kind: DatabaseKind, seed: number): MoveOutcome {
  const [website, from, to] = [0, 0, 1];
  const homes = new Array<number>(kind.websites).fill(from);
  const model = { ...baseModel(kind, seed), homes, databases: 2 };
  const [world, without] = [new World(model), new World(model)];
  const move = new Move(world, { website, to, rows: ROWS, changesOfMessage: CHANGES_OF_MESSAGE });
  move.startAt(MOVE_FROM);
  while (!move.moved && world.events.now < MOVE_END) world.events.runUntil(world.events.now + LOOK);
  const end = world.events.now + AFTER;
  for (const it of [world, without]) it.events.runUntil(end);
  const { fencedAt = MOVE_END, doneAt = MOVE_END } = move.moved ?? {};
  const isOwn = (it: number) => it === website;
  const isNeighbor = (it: number) => it !== website;
  const { samples } = world;
  return {
    ...kind,
    moved: move.moved,
    givenUp: move.givenUp,
    rowsPerSecond: (move.rowsCopied * 1000) / (move.copiedAt - MOVE_FROM),
    neighborsWithout: quantilesOf(without.samples.between(MOVE_FROM, doneAt, isNeighbor)),
    neighbors: quantilesOf(samples.between(MOVE_FROM, doneAt, isNeighbor)),
    own: quantilesOf(samples.between(MOVE_FROM, fencedAt, isOwn)),
    fenced: quantilesOf(samples.between(fencedAt, doneAt, isOwn)),
  };
}
