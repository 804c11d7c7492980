// What a client is told to do about a bulk request that broke off after some of its messages were stored.
import type { BulkInterrupted } from "../domain/failure.ts";
import { CHUNK_MESSAGES } from "../domain/messages/bulk-request.ts";
import { describeLimit, FULL, UNAVAILABLE } from "./fixed-errors.ts";

const REST = "it stores the remaining messages, and answers the same ids for the others.";

/** How the client can go on without sending a text twice. It depends on whether the stored messages are known. */
export function adviseBulk({ because, stored, isKeyed }: BulkInterrupted, cause: string): string {
  const count = stored.length === 1 ? "1 message was" : `${stored.length} messages were`;
  const before =
    stored.length === 0 ? "No message was stored before that." : `${count} stored before that: details names each.`;
  const whole = "Repeat the same request with the same Idempotency-Key";
  switch (because.kind) {
    case "idempotency-conflict":
      return `This Idempotency-Key was used with another body within the last 24 hours. The first ${stored.length} messages are the same in both bodies and are stored: details names each. The others are not stored: send them with a new Idempotency-Key.`;
    case "outcome-unknown":
      return `${cause} ${before} Send at once what details does not name: it is not stored.`;
    case "store-unavailable":
    case "fault": {
      const what = because.kind === "fault" ? cause : UNAVAILABLE;
      if (isKeyed) {
        return `${what} ${before} ${whole}: ${REST} Do not send a part of it, because messages that details does not name may be stored as well.`;
      }
      if (because.kind === "fault") {
        return `${what} ${before} The ${CHUNK_MESSAGES} after them may be stored as well: if you send those again, people may get the text twice. With an Idempotency-Key, it would be safe to repeat the whole request.`;
      }
      return `${what} ${before} Send only the others, after the time in Retry-After.`;
    }
    case "daily-limit-reached":
      return isKeyed
        ? `${describeLimit(because)} ${before} ${whole}, after the time in Retry-After: ${REST}`
        : `${describeLimit(because)} ${before} Send only the others, after the time in Retry-After.`;
    case "store-full":
      return isKeyed
        ? `${FULL} ${before} Tell the operator of the service. ${whole} once there is room: ${REST}`
        : `${FULL} ${before} Tell the operator of the service, and send only the others once there is room.`;
    case "body-incomplete":
    case "body-not-json":
      return isKeyed
        ? `${cause} ${before} ${whole} and the whole body: ${REST}`
        : `${cause} ${before} Send only the others.`;
    default:
      return `${cause} ${before} Send only the others${isKeyed ? ", with a new Idempotency-Key" : ""}.`;
  }
}
