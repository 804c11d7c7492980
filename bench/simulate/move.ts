// Pure. A website moves to another database while it and its neighbors work.
import { READING_CALL_MILLISECONDS, STATEMENTS, statementsOf } from "./model.ts";
import type { World } from "./world.ts";

const ROWS_A_STEP = 1000;
/** Of the thread of a database that has other websites. */
const MOST_SHARE = 0.1;
/** As many changes may be left when the fence goes up. */
const FEW_CHANGES = 1000;
/** Then the fence goes up, whatever is left. */
const MOST_ROUNDS = 10;
const LONGEST_FENCE_MILLISECONDS = 2000;
/** Between two tries to be done within the longest fence. */
const PAUSE_MILLISECONDS = 500;

export interface MovePlan {
  website: number;
  to: number;
  /** Rows that it has before. */
  rows: number;
  /** Rows of it that a message changes until its last callback, each time it is changed. */
  changesOfMessage: number;
}

/** Milliseconds since the run began. */
export interface Moved {
  fencedAt: number;
  doneAt: number;
}

/** Copies by 1,000 rows, replays what has changed until it is little, and stops the writes of the website for the rest. */
export class Move {
  readonly #world: World;
  readonly #plan: MovePlan;
  readonly #from: number;
  readonly #hasNeighbors: { from: boolean; to: boolean };
  #loggedSince = 0;
  #rounds = 0;
  rowsCopied = 0;
  /** Fences that were lifted because they took too long. */
  givenUp = 0;
  /** When the last of them was: milliseconds since the run began. */
  copiedAt = 0;
  /** undefined: it is not done. */
  moved: Moved | undefined;

  constructor(world: World, plan: MovePlan) {
    this.#world = world;
    this.#plan = plan;
    this.#from = world.route.homeOf(plan.website);
    const has = (home: number) => world.model.homes.some((own, website) => own === home && website !== plan.website);
    this.#hasNeighbors = { from: has(this.#from), to: has(plan.to) };
  }

  startAt(time: number): void {
    this.#world.events.at(time, () => {
      this.#world.route.logged = this.#plan.website;
      this.#loggedSince = time;
      const compare = (rows: number, then: () => void) => this.#compare(rows, true, then);
      const copy = (rows: number, then: () => void) => this.#step(rows, true, () => this.#copied(rows, then));
      const { rows } = this.#plan;
      inSteps(rows, copy, () => inSteps(rows, compare, () => this.#replay()));
    });
  }

  #copied(rows: number, then: () => void): void {
    this.rowsCopied += rows;
    this.copiedAt = this.#world.events.now;
    then();
  }

  /** Rounds get shorter, as each replays what has changed during the one before. */
  #replay(): void {
    const changes = this.#changesSince(this.#loggedSince);
    if (changes <= FEW_CHANGES || this.#rounds >= MOST_ROUNDS) {
      this.#fence();
      return;
    }
    this.#rounds++;
    this.#loggedSince = this.#world.events.now;
    inSteps(
      changes,
      (rows, then) => this.#step(rows, true, then),
      () => this.#replay(),
    );
  }

  #changesSince(time: number): number {
    const { model, events } = this.#world;
    const messagesPerSecond = model.rate * (1 - model.lookUps);
    return Math.ceil(((events.now - time) / 1000) * messagesPerSecond * this.#plan.changesOfMessage);
  }

  /** Stops the writes of the website, replays and compares what is left, and leads the website on. */
  #fence(): void {
    const { events, route } = this.#world;
    const { website, to } = this.#plan;
    const fencedAt = events.now;
    // All calls are as far away: those that are made from now on come after the one that fences.
    route.fence(website);
    let isGivenUp = false;
    const unlessGivenUp = (work: () => void) => () => {
      if (!isGivenUp) work();
    };
    events.after(LONGEST_FENCE_MILLISECONDS, () => {
      if (this.moved !== undefined || route.homeOf(website) === to) return;
      isGivenUp = true;
      this.#giveUp();
    });
    const rest = this.#changesSince(this.#loggedSince);
    const flip = unlessGivenUp(() => {
      route.logged = undefined;
      route.lift(website, to);
      this.moved = { fencedAt, doneAt: events.now };
    });
    // The directory stands in the first database; the new home learns that the website lives there.
    const tell = unlessGivenUp(() => this.#write(to, 1, () => this.#write(0, 1, flip)));
    const compare = unlessGivenUp(() => this.#compare(Math.max(1, Math.min(rest, ROWS_A_STEP)), false, tell));
    const replay = unlessGivenUp(() => inSteps(rest, (rows, then) => this.#step(rows, false, then), compare));
    this.#write(this.#from, 1, replay);
  }

  /** The source was right all the time: its writes go on there. */
  #giveUp(): void {
    const { events, route } = this.#world;
    this.givenUp++;
    this.#rounds = 0;
    this.#write(this.#from, 1, () => {
      route.lift(this.#plan.website, this.#from);
      events.after(PAUSE_MILLISECONDS, () => this.#replay());
    });
  }

  /** Reads rows at the source and writes them at the target. */
  #step(rows: number, isPaced: boolean, then: () => void): void {
    const { events } = this.#world;
    const began = events.now;
    const reading = statementsOf(STATEMENTS.readRow, rows);
    const ofSource = this.#world.database(this.#from).call(false, reading, () => {
      const ofTarget = this.#write(this.#plan.to, rows, () => this.#pace(isPaced, began, ofSource, ofTarget, then));
    });
  }

  #compare(rows: number, isPaced: boolean, then: () => void): void {
    const began = this.#world.events.now;
    const reading = statementsOf(STATEMENTS.readRow, rows);
    const ofTarget = READING_CALL_MILLISECONDS + reading;
    const ofSource = this.#world.database(this.#from).call(false, reading, () => {
      this.#world.database(this.#plan.to).call(false, reading, () => {
        this.#pace(isPaced, began, ofSource, ofTarget, then);
      });
    });
  }

  /** Waits until the step has had no more than its share of each thread that others need. */
  #pace(isPaced: boolean, began: number, ofSource: number, ofTarget: number, then: () => void): void {
    const { from, to } = this.#hasNeighbors;
    const busy = isPaced ? Math.max(from ? ofSource : 0, to ? ofTarget : 0) : 0;
    const { events } = this.#world;
    events.at(Math.max(events.now, began + busy / MOST_SHARE), then);
  }

  #write(home: number, rows: number, then: () => void): number {
    return this.#world.database(home).call(true, statementsOf(STATEMENTS.writeRow, rows), then);
  }
}

/** Calls `step` for each 1,000 rows, one after the other. */
function inSteps(rows: number, step: (rows: number, then: () => void) => void, then: () => void): void {
  if (rows <= 0) then();
  else step(Math.min(rows, ROWS_A_STEP), () => inSteps(rows - ROWS_A_STEP, step, then));
}
