// Pure. The expected failures of a request; http/errors.ts turns each into an answer.

/** One broken rule of a request's body. `field` is a path such as `phone` or `phone_numbers[3]`. */
export interface FieldError {
  field: string;
  message: string;
}

export type Failure =
  | { kind: "path-unknown" }
  | { kind: "method-wrong"; allow: string[] }
  | { kind: "credentials-missing"; message: string }
  | { kind: "credentials-wrong"; message: string }
  | { kind: "client-suspended" }
  | { kind: "operation-denied"; operation: string }
  | { kind: "signature-wrong" }
  | { kind: "rate-exceeded"; retryAfterSeconds: number }
  | { kind: "media-type-wrong"; expected: string }
  | { kind: "encoding-wrong" }
  | { kind: "body-too-large"; limitBytes: number }
  | { kind: "body-incomplete" }
  | { kind: "body-not-json" }
  | { kind: "fields-wrong"; details: FieldError[] }
  | { kind: "resource-unknown"; what: string }
  | { kind: "idempotency-conflict" }
  /** `isKeyed`: what may be stored is found by the same request with the same Idempotency-Key, and by no other. */
  | { kind: "store-unavailable"; isKeyed?: boolean }
  | BulkInterrupted;

/** A bulk request that ended early, when some of its messages were stored. */
export interface BulkInterrupted {
  kind: "bulk-interrupted";
  because: Exclude<Failure, BulkInterrupted> | { kind: "fault" };
  stored: { index: number; messageId: string }[];
  /** Whether it has an Idempotency-Key. */
  isKeyed: boolean;
}

/** Thrown by guards, body readers and stores, and caught in one place, by the router. */
export class RequestFailure extends Error {
  readonly failure: Failure;

  constructor(failure: Failure, options?: ErrorOptions) {
    super(failure.kind, options);
    this.failure = failure;
  }
}

/** Whether a store did not answer: then the same may work later. */
export function isStoreUnavailable(error: unknown): boolean {
  return error instanceof RequestFailure && error.failure.kind === "store-unavailable";
}

/** @returns never: throws the failure of one field. */
export function failField(field: string, message: string): never {
  throw new RequestFailure({ kind: "fields-wrong", details: [{ field, message }] });
}
