// Pure. The expected failures of a request, and the check of its fields; http/errors.ts turns each failure into an answer.
import type * as z from "zod";
import type { OverLimit } from "./messages/daily-limit.ts";
import { knownFields } from "./messages/ignored-fields.ts";
import { nameMisnamed } from "./misnamed-fields.ts";

/** A broken rule of a request. `field` is a path such as `phone` or `phone_numbers[3]`. */
export interface FieldError {
  field: string;
  message: string;
  /** The line of a file, from 1, on which a row begins, and the text of its cell. */
  line?: number;
  value?: string;
  /** The id of a message that is stored, or may be. */
  messageId?: string;
  /** The present count, where `expected` is another. */
  count?: number;
}

export type Failure =
  /** `nearest`: what may have been meant, out of the paths that anyone may know. */
  | { kind: "path-unknown"; nearest?: string | undefined }
  | { kind: "method-wrong"; given: string; allow: string[] }
  | { kind: "credentials-missing"; message: string }
  | { kind: "credentials-wrong"; message: string }
  /** The caller's address has made too many look-ups that found nothing: see platform/guesses.ts. */
  | { kind: "guesses-exceeded" }
  /** A viewer has looked up too many people. */
  | { kind: "look-ups-exceeded"; most: number; retryAfterSeconds: number }
  /** A client was tried too often. */
  | { kind: "tests-exceeded"; retryAfterSeconds: number }
  | { kind: "client-suspended" }
  | { kind: "operation-denied"; operation: string }
  | { kind: "signature-wrong" }
  /** With the cookie of a session: the call may come from a page of another site. */
  | { kind: "origin-foreign" }
  /** A viewer changes nothing, and gets no whole number of a person. */
  | { kind: "viewer-denied" }
  | { kind: "rate-exceeded"; retryAfterSeconds: number }
  | { kind: "media-type-wrong"; expected: string; given: string | null }
  | { kind: "encoding-wrong" }
  | { kind: "body-too-large"; limitBytes: number }
  | { kind: "body-incomplete" }
  /** `problem` completes a sentence that begins with "The body". */
  | { kind: "body-not-json"; problem: string }
  | { kind: "fields-wrong"; details: FieldError[] }
  /** `details`: those that there are. `hint`: a sentence about the id. */
  | { kind: "resource-unknown"; what: string; details?: FieldError[]; hint?: string | undefined }
  | { kind: "idempotency-conflict" }
  /** An undo of the import has begun. */
  | { kind: "import-closed" }
  /** A destructive call would act on another count than the caller expects. Nothing was done. */
  | { kind: "count-changed"; count: number }
  /**
   * `isKeyed`: the request may be stored; only a retry with the same Idempotency-Key is safe. `isRefused`: the store is
   * overloaded, and has not run the call.
   */
  | { kind: "store-unavailable"; isKeyed?: boolean; isRefused?: boolean }
  /** The website accepts no more texts for now: nothing was stored. */
  | ({ kind: "daily-limit-reached" } & OverLimit)
  /** The database is nearly full. It refuses new messages, and accepts every other write: receipts, opt-outs, callbacks. */
  | { kind: "store-full" }
  /** Neither the store nor the queue has answered: messages of the request may be stored, and are sent then. */
  | { kind: "outcome-unknown"; unconfirmed: Unconfirmed[] }
  | BulkInterrupted
  | ImportInterrupted;

/** A message that may be stored. `field`: its place in the body of the request. */
export type Unconfirmed = Required<Pick<FieldError, "field" | "messageId">>;

/** A bulk request that failed after some of its messages were stored. */
export interface BulkInterrupted {
  kind: "bulk-interrupted";
  because: Cause;
  stored: { index: number; messageId: string }[];
  /** Whether the request has an Idempotency-Key. */
  isKeyed: boolean;
}

/** A request of an import that failed when rows of the import may have been stored. */
export interface ImportInterrupted {
  kind: "import-interrupted";
  because: Cause;
  import: ImportProgress;
}

export interface ImportProgress {
  importId: string;
  /** At least so many rows of the request's file are stored, from its first row on. */
  storedRows: number;
}

/** What ends a request that has stored something. */
type Cause = Exclude<Failure, BulkInterrupted | ImportInterrupted> | { kind: "fault" };

/** Guards, body readers and stores throw it; only the router catches it. */
export class RequestFailure extends Error {
  readonly failure: Failure;

  constructor(failure: Failure, options?: ErrorOptions) {
    super(failure.kind, options);
    this.failure = failure;
  }
}

/** Whether a store has not taken the work: it did not answer, or is full. A retry may succeed. */
export function isStoreUnavailable(error: unknown): boolean {
  return error instanceof RequestFailure && ["store-unavailable", "store-full"].includes(error.failure.kind);
}

export function isStoreFull(error: unknown): boolean {
  return error instanceof RequestFailure && error.failure.kind === "store-full";
}

/** Whether the store refused the call, so that it has no effect. */
export function isStoreRefused(error: unknown): boolean {
  if (!(error instanceof RequestFailure)) return false;
  const { failure } = error;
  if (failure.kind === "store-unavailable") return failure.isRefused === true;
  return failure.kind === "store-full";
}

/** Whether the failure of a transaction says that it has no effect: it was refused, or failed by a fault of its own. */
export function hasNoEffect(error: unknown): boolean {
  return isStoreRefused(error) || !isStoreUnavailable(error);
}

/** @throws RequestFailure fields-wrong, for one field */
export function failField(field: string, message: string): never {
  throw new RequestFailure({ kind: "fields-wrong", details: [{ field, message }] });
}

/** Reads several parameters. @throws RequestFailure fields-wrong, with what each of the readers finds wrong */
export function readTogether<T extends Record<string, () => unknown>>(
  readers: T,
): { [Name in keyof T]: ReturnType<T[Name]> } {
  const details: FieldError[] = [];
  const read = Object.entries(readers).map(([name, reader]) => {
    try {
      return [name, reader()];
    } catch (error) {
      if (!(error instanceof RequestFailure) || error.failure.kind !== "fields-wrong") throw error;
      details.push(...error.failure.details);
      return [name, undefined];
    }
  });
  if (details.length > 0) throw new RequestFailure({ kind: "fields-wrong", details });
  return Object.fromEntries(read);
}

/** @throws RequestFailure fields-wrong, with every broken rule */
export function parseFields<T extends z.ZodType>(schema: T, input: unknown): z.output<T> {
  const parsed = tryFields(schema, input);
  if (parsed.details) throw new RequestFailure({ kind: "fields-wrong", details: parsed.details });
  return parsed.data;
}

/** The checked data, or every broken rule. */
export type Tried<T> = { data: T; details?: never } | { data?: never; details: FieldError[] };

export function tryFields<T extends z.ZodType>(schema: T, input: unknown): Tried<z.output<T>> {
  const parsed = schema.safeParse(input);
  if (parsed.success) return { data: parsed.data };
  const details = parsed.error.issues.flatMap((issue) => toFieldErrors(issue, []));
  return { details: nameMisnamed(details, knownFields(schema), input) };
}

/** The issue of a union says only "Invalid input"; the issues of its first option are the ones that help the caller. */
function toFieldErrors(issue: z.core.$ZodIssue, parent: PropertyKey[]): FieldError[] {
  const path = [...parent, ...issue.path];
  const firstOption = issue.code === "invalid_union" ? issue.errors[0] : undefined;
  if (firstOption) return firstOption.flatMap((inner) => toFieldErrors(inner, path));
  return [{ field: toFieldName(path), message: issue.message }];
}

function toFieldName(path: PropertyKey[]): string {
  const name = path.reduce<string>(
    (text, key) => (typeof key === "number" ? `${text}[${key}]` : text === "" ? String(key) : `${text}.${String(key)}`),
    "",
  );
  return name === "" ? "body" : name;
}
