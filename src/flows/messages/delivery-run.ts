import type { Deps } from "../../deps.ts";
import type { CircuitBreaker } from "../../domain/messages/circuit-breaker.ts";
import type { Lane } from "../../domain/messages/job.ts";
import { DELIVERY_RUN_MILLISECONDS } from "../../domain/messages/retry-policy.ts";
import type { OutcomeTally } from "../operations/count-outcomes.ts";
import { Connections } from "./connections.ts";

/** How long a run waits for the submissions of one claim. Slower ones end in the background, and hold up no other batch. */
export const CLAIM_WAIT_MILLISECONDS = 2000;

/** The deliveries of one invocation. */
export interface DeliveryRun {
  /** The queue of its jobs. */
  lane: Lane;
  /** When it begins no further submission: milliseconds since 1970. */
  until: number;
  connections: Connections;
  tally: OutcomeTally;
}

export function beginRun(deps: Deps, lane: Lane, tally: OutcomeTally): DeliveryRun {
  return { lane, until: deps.now() + DELIVERY_RUN_MILLISECONDS, connections: new Connections(deps.outbound), tally };
}

/** The part of a run that goes through one carrier. */
export interface CarrierRun {
  run: DeliveryRun;
  carrier: string;
  breaker: CircuitBreaker;
  /** Its share of the connections. */
  share: number;
}

/** Whether the run may begin no further submission. */
export function isOver(deps: Deps, { until }: DeliveryRun): boolean {
  return deps.now() > until;
}
