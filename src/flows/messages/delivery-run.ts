import type { Deps } from "../../deps.ts";
import type { DueEvent } from "../../domain/callbacks/callback.ts";
import type { Breakers } from "../../domain/messages/breakers.ts";
import type { CircuitBreaker } from "../../domain/messages/circuit-breaker.ts";
import type { Lane } from "../../domain/messages/job.ts";
import { DELIVERY_RUN_MILLISECONDS } from "../../domain/messages/retry-policy.ts";
import { Connections } from "./connections.ts";
import { CALLBACKS_A_JOB, queueCallbacks } from "./queue-jobs.ts";

/** How long a run waits for the submissions of one claim. Slower ones end in the background, and hold up no other batch. */
export const CLAIM_WAIT_MILLISECONDS = 2000;

/** The deliveries of one invocation. */
export interface DeliveryRun {
  /** The queue of its jobs. */
  lane: Lane;
  /** When it begins no further submission: milliseconds since 1970. */
  until: number;
  connections: Connections;
  /** Stored events whose callbacks are not queued yet: fewer than fill a job. */
  due: DueEvent[];
}

export function beginRun(deps: Deps, lane: Lane): DeliveryRun {
  const until = deps.now() + DELIVERY_RUN_MILLISECONDS;
  return { lane, until, connections: new Connections(deps.outbound), due: [] };
}

/** The part of a run that goes through one carrier. */
export interface CarrierRun {
  run: DeliveryRun;
  carrier: string;
  breakers: Breakers;
  /** The one of them that its messages share. */
  breaker: CircuitBreaker;
  /** Its share of the connections. */
  share: number;
}

/** Whether the run may begin no further submission. */
export function isOver(deps: Deps, { until }: DeliveryRun): boolean {
  return deps.now() > until;
}

/**
 * Queues callbacks in full jobs, because each job costs the database a claim and a record. The others wait for those of the next claim,
 * or for the end of the run: see queueRest. If the run is cut off, the sweep queues them.
 */
export async function queueFullJobs(deps: Deps, run: DeliveryRun, due: DueEvent[]): Promise<void> {
  run.due.push(...due);
  const inFull = run.due.length - (run.due.length % CALLBACKS_A_JOB);
  await queueCallbacks(deps, run.due.splice(0, inFull));
}

/** Queues the callbacks that wait for more of the run. */
export async function queueRest(deps: Deps, run: DeliveryRun): Promise<void> {
  await queueCallbacks(deps, run.due.splice(0));
}
