// Pure. What a client reads of its own requests that were refused.
import { maskPeople } from "../operations/mask-people.ts";
import { PHONE_RULE } from "../people/phone-fault.ts";

/** A request of a client that was let in by its credentials, and refused. */
export interface RefusedRequest {
  requestId: string;
  /** Milliseconds since 1970. */
  refusedAt: number;
  method: string;
  /** As the API writes it, with names in place of values. */
  path: string;
  /** See docs/errors.md. The HTTP status is the code divided by 100. */
  code: number;
  message: string;
  /** The first few. */
  details: { field: string; message: string }[];
}

/** An isolate stores a refusal of the same client, path and code once in this time, so that a client that is always refused costs little. */
export const REFUSED_ONCE_MILLISECONDS = 10_000;

/** How many refusals of a client are kept, and how long each is kept. */
export const REFUSED_KEPT = 100;
export const REFUSED_KEPT_MILLISECONDS = 7 * 86_400_000;

const MOST_DETAILS = 5;
const MOST_CHARACTERS = 300;

/** What is stored of an answer. Messages quote little of a request; people in it are masked even so. */
export function toKept<T extends Pick<RefusedRequest, "message" | "details">>(refused: T): T {
  const details = refused.details
    .slice(0, MOST_DETAILS)
    .map(({ field, message }) => ({ field: masked(field), message: masked(message) }));
  return { ...refused, message: masked(refused.message), details };
}

/** The rule for numbers has an example, which is nobody's. */
function masked(text: string): string {
  const [before = "", ...after] = text.split(PHONE_RULE);
  return [maskPeople(before), ...after.map(maskPeople)].join(PHONE_RULE).slice(0, MOST_CHARACTERS);
}
