// Pure. How many databases are enough, and how much one of them holds.
import { LIMIT } from "./model.ts";
import { type DatabaseKind, type DatabaseOutcome, type Demand, type Kind, runDatabase } from "./observe.ts";
import { countWebsites, placeBySize, zipfSizes } from "./placement.ts";

export type Placement = "size" | "rate";

export interface Cell extends Kind {
  placement: Placement;
  databases: number;
}

/** Of a deployment. */
export interface Outcome extends Cell {
  /** The most websites that a database has. */
  mostWebsites: number;
  /** Of all databases. */
  growth: number;
  refused: number;
  /** The database in which a send takes longest. */
  slowest: DatabaseOutcome;
  /** Each of the databases. */
  keepsUp: boolean;
  holds: boolean;
}

const sizesOf = (placement: Placement, websites: number): number[] =>
  placement === "size" ? zipfSizes(websites) : new Array<number>(websites).fill(1);

/** Runs each kind of database once. */
export class Runs {
  readonly #seed: number;
  readonly #websites: number;
  readonly #known = new Map<string, DatabaseOutcome>();

  constructor(seed: number, websites: number) {
    this.#seed = seed;
    this.#websites = websites;
  }

  database(kind: DatabaseKind): DatabaseOutcome {
    const { isGrouped, consumers, writingCall, websites, rate } = kind;
    const name = [isGrouped, consumers, writingCall, websites, rate].join(" ");
    const outcome = this.#known.get(name) ?? runDatabase(kind, this.#seed);
    this.#known.set(name, outcome);
    return outcome;
  }

  cell(cell: Cell): Outcome {
    const homes = placeBySize(sizesOf(cell.placement, this.#websites), cell.databases);
    const counts = countWebsites(homes, cell.databases).filter((count) => count > 0);
    const outcomes = counts.map((websites) => this.database({ ...cell, websites, rate: LIMIT }));
    const sum = (of: (outcome: DatabaseOutcome) => number) => outcomes.reduce((total, it) => total + of(it), 0);
    return {
      ...cell,
      mostWebsites: Math.max(...counts),
      growth: sum(({ growth }) => growth),
      refused: sum(({ refused }) => refused),
      slowest: outcomes.reduce((slowest, it) => (it.p99 <= slowest.p99 ? slowest : it)),
      keepsUp: outcomes.every(({ keepsUp }) => keepsUp),
      holds: outcomes.every(({ holds }) => holds),
    };
  }

  /** The fewest databases that do what is asked, if as many as there are websites do. */
  fewest(kind: Kind & { placement: Placement }, demand: Demand): Outcome | undefined {
    const cellOf = (databases: number) => this.cell({ ...kind, databases });
    const enough = firstThat((databases) => cellOf(databases)[demand], this.#websites);
    return enough === undefined ? undefined : cellOf(enough);
  }

  /** The most requests a second of all websites of one database with which it does what is asked. Theirs is the limit. */
  most(kind: Kind & { websites: number }, demand: Demand): number {
    const steps = Math.min(MOST_RATE, LIMIT * kind.websites) / STEP;
    const isTooMany = (step: number) => !this.database({ ...kind, rate: (step * STEP) / kind.websites })[demand];
    return ((firstThat(isTooMany, steps) ?? steps + 1) - 1) * STEP;
  }
}

/** Requests a second, between which a most is found. More than the last one no database takes. */
const STEP = 10;
const MOST_RATE = 1500;

/** @returns the first of 1 to `last` that is true, where all after one that is true are; undefined if the last is not */
export function firstThat(isTrue: (value: number) => boolean, last: number): number | undefined {
  if (!isTrue(last)) return undefined;
  let [before, found] = [0, last];
  while (found - before > 1) {
    const middle = Math.floor((before + found) / 2);
    if (isTrue(middle)) found = middle;
    else before = middle;
  }
  return found;
}
