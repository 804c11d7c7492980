// What an operator looks at first: what has become of the texts, pending texts that should have gone, and the problems. It writes nothing.
import type { Deps } from "../../deps.ts";
import { DAY_MILLISECONDS } from "../../domain/day.ts";
import { isStoreUnavailable } from "../../domain/failure.ts";
import type { ProblemDetail, ServiceState } from "../../domain/operations/problems.ts";
import { type Candidate, MOST_WEBSITES, readTraffic, readWebsites } from "../../store/operations/overview.ts";
import { readNames } from "../../store/operations/problem-names.ts";
import { readHistory, type ToldProblem } from "../../store/operations/told-problems.ts";
import { askEach, type Missing } from "../databases/ask-each.ts";
import { inFirst } from "../databases/places.ts";
import { type AddedUp, addUp } from "./add-up-traffic.ts";
import { FEW_ROWS, readServiceState } from "./read-service-state.ts";

const HISTORY_DAYS = 7;
const MOST_PROBLEMS = 50;

export interface Overview extends AddedUp {
  state: ServiceState;
  isCut: boolean;
  past: ToldProblem[];
  names: ProblemNames;
  missing: Missing;
}

/** The names of what the problems concern, by id. */
export interface ProblemNames {
  websites: ReadonlyMap<string, { name: string; timeZone: string | null }>;
  clients: ReadonlyMap<string, string | null>;
}

/** @param websiteId null: all of them @param origin see readServiceState */
export async function readOverview(
  deps: Deps,
  websiteId: string | null,
  origin: string,
  requestId: string,
): Promise<Overview> {
  const now = deps.now();
  const [state, traffic, history] = await Promise.all([
    readServiceState(deps, origin, requestId, FEW_ROWS),
    askEach(deps, ({ db }) => readTraffic(db, websiteId, now)),
    readPast(deps, now),
  ]);
  const ids = websiteId === null ? choose(traffic.answers.flatMap((answer) => answer.candidates)) : [websiteId];
  const chosen = ids.slice(0, MOST_WEBSITES);
  const counted = await askEach(deps, ({ db }) => readWebsites(db, chosen, now));
  const named = await nameProblems(deps, [...state.details, ...history.past.map(({ detail }) => detail)]);
  const figures = addUp(traffic.answers, counted.answers, chosen, now);
  return {
    ...{ state, ...figures, isCut: ids.length > chosen.length },
    ...{ past: history.past, names: named.names },
    missing: together(traffic.missing, counted.missing, named.missing, history.missing),
  };
}

async function nameProblems(deps: Deps, details: Partial<ProblemDetail>[]) {
  const websiteIds = [...new Set(details.flatMap(({ websiteId }) => websiteId ?? []))];
  const clientIds = [...new Set(details.flatMap(({ clientId }) => clientId ?? []))];
  const none: ProblemNames = { websites: new Map(), clients: new Map() };
  if (websiteIds.length + clientIds.length === 0) return { names: none, missing: {} };
  const { answers, missing } = await askEach(deps, ({ db }) => readNames(db, websiteIds, clientIds));
  const names: ProblemNames = {
    websites: new Map(answers.flatMap((answer) => answer.websites)),
    clients: new Map(answers.flatMap((answer) => answer.clients)),
  };
  return { names, missing };
}

/** The other databases are shown while the first, which has the history, is away. */
async function readPast(deps: Deps, now: number): Promise<{ past: ToldProblem[]; missing: Missing }> {
  const { db, database } = inFirst(deps);
  try {
    return { past: await readHistory(db, now - HISTORY_DAYS * DAY_MILLISECONDS, MOST_PROBLEMS), missing: {} };
  } catch (error) {
    if (!isStoreUnavailable(error)) throw error;
    return { past: [], missing: { unavailableDatabases: [database] } };
  }
}

function together(...all: Missing[]): Missing {
  const unavailableDatabases = [...new Set(all.flatMap((one) => one.unavailableDatabases ?? []))];
  return unavailableDatabases.length > 0 ? { unavailableDatabases } : {};
}

/** The ids of websites: those of which something is held, then the busiest of today and of yesterday over all databases. */
function choose(candidates: Candidate[]): string[] {
  const ranked = Map.groupBy(candidates, ({ rank }) => rank);
  const ids = [0, 1, 2, 3].flatMap((rank) => {
    const accepted = new Map<string, number>();
    for (const one of ranked.get(rank) ?? [])
      accepted.set(one.websiteId, (accepted.get(one.websiteId) ?? 0) + one.accepted);
    return [...accepted].sort(([, a], [, b]) => b - a).map(([id]) => id);
  });
  return [...new Set(ids)];
}
