// Pure. What a client asks for in a run: each request, with the messages that it is for.
import { drawn, drawnInteger } from "../../../random.ts";

/** Single with an Idempotency-Key, single without, bulk with. */
export type Kind = "keyed" | "keyless" | "bulk";

export interface PlannedRequest {
  kind: Kind;
  /** null: without a key. */
  key: string | null;
  /** Which messages, counted through the whole run. */
  messages: number[];
  /** The client loses the answer and asks again. */
  repeats: boolean;
}

const LARGEST_BULK = 60;

/** About six in ten requests are single with a key, three are single without one, and one is bulk, with 20 to 60 messages. */
export function planRequests(seed: number, messages: number): PlannedRequest[] {
  const requests: PlannedRequest[] = [];
  for (let next = 0; next < messages; ) {
    const index = requests.length;
    const kind = kindAt(seed, index);
    const wanted = kind === "bulk" ? drawnInteger(20, LARGEST_BULK, seed, "size", index) : 1;
    const length = Math.min(wanted, messages - next);
    const from = next;
    next += length;
    requests.push({
      kind,
      key: kind === "keyless" ? null : `seed-${seed}-request-${index}`,
      messages: Array.from({ length }, (_, offset) => from + offset),
      repeats: kind !== "keyless" && drawn(seed, "repeats", index) < 0.05,
    });
  }
  return requests;
}

function kindAt(seed: number, index: number): Kind {
  const value = drawn(seed, "kind", index);
  if (value < 0.6) return "keyed";
  return value < 0.9 ? "keyless" : "bulk";
}

/** Every fourth kill comes right after the restart of the one before: what finds the lost again can itself be cut off. */
const AT_ONCE_AGAIN = 4;

/** After how many answered messages the service is killed: anywhere in the run but at its very ends. */
export function planKills(seed: number, kills: number, messages: number): number[] {
  const least = Math.ceil(messages * 0.02);
  const most = Math.floor(messages * 0.97);
  const moments = Array.from({ length: kills }, (_, index) => drawnInteger(least, most, seed, "kill", index));
  moments.sort((a, b) => a - b);
  return moments.map(
    (moment, index) => (index % AT_ONCE_AGAIN === AT_ONCE_AGAIN - 1 ? moments[index - 1] : moment) ?? moment,
  );
}
