import type * as z from "zod";
import { REQUESTS_PER_SECOND } from "../domain/clients/sliding-window.ts";
import type {
  BulkInterrupted,
  Failure,
  FieldError,
  ImportInterrupted,
  ImportProgress,
  Unconfirmed,
} from "../domain/failure.ts";
import type { OverLimit } from "../domain/messages/daily-limit.ts";
import { toSize } from "../domain/to-size.ts";
import { adviseBulk } from "./advise-bulk.ts";
import { adviseImport } from "./advise-import.ts";
import { adviseUnknown } from "./advise-unknown.ts";
import { docsOf, ERROR_CODES, type ErrorKind } from "./error-codes.ts";
import type { errorSchema } from "./error-schema.ts";
import { describeLimit, FIXED, FULL, isFixed, UNAVAILABLE } from "./fixed-errors.ts";

export interface ErrorAnswer {
  code: number;
  message: string;
  details?: FieldError[];
  import?: ImportProgress;
  headers?: Record<string, string>;
}

/**
 * How long a caller waits before it repeats a request that a store did not answer, or refused because it is overloaded. Callers
 * that were refused together come back spread over that time.
 */
const STORE_RETRY_SECONDS = { silent: [2, 4], refused: [3, 9] } as const;

/** The one place that turns a failure into an answer. @param random a number from 0 to 1, which spreads the retries of callers */
export function failureResponse(failure: Failure, requestId: string, random: number): Response {
  return toResponse(toAnswer(failure, random), requestId);
}

/** Nothing of an unexpected fault is shown; the request id finds it in the log. */
export const FAULT: ErrorAnswer = {
  code: ERROR_CODES.fault,
  message: "Internal server error. The operator of the service finds its cause in the log, under the requestId.",
};

/** The same for a request that sends: a client that repeats it without a key may text a person twice. */
const SEND_FAULT: ErrorAnswer = {
  ...FAULT,
  message: `${FAULT.message} The message may be stored, so repeat the request only with the same Idempotency-Key.`,
};

const SENDS = /\/message\/send$/;

/** @param route the path of the call, as the router has it */
export const faultOf = (route: string | null): ErrorAnswer => (SENDS.test(route ?? "") ? SEND_FAULT : FAULT);

export function faultResponse(requestId: string, route: string | null = null): Response {
  return toResponse(faultOf(route), requestId);
}

export function toResponse(answer: ErrorAnswer, requestId: string): Response {
  const { code, message, details = [], import: progress, headers } = answer;
  const body: z.output<typeof errorSchema> = {
    code,
    message,
    details,
    ...(progress && { import: progress }),
    requestId,
  };
  const link = `<${docsOf(code)}>; rel="help"`;
  return Response.json(body, { status: Math.floor(code / 100), headers: { ...headers, link } });
}

/** @param random see failureResponse */
export function toAnswer(failure: Failure, random: number): ErrorAnswer {
  if (failure.kind === "bulk-interrupted") return explainInterrupted(failure, random);
  if (failure.kind === "import-interrupted") return explainImport(failure, random);
  if (failure.kind === "outcome-unknown") return explainUnconfirmed(failure.unconfirmed);
  return { code: ERROR_CODES[failure.kind], ...explain(failure, random) };
}

function explainUnconfirmed(unconfirmed: Unconfirmed[]): ErrorAnswer {
  const details = unconfirmed.map(({ field, messageId }) => ({ field, message: "may be stored", messageId }));
  return { code: ERROR_CODES.fault, message: adviseUnknown(unconfirmed.length), details };
}

function explainInterrupted(failure: BulkInterrupted, random: number): ErrorAnswer {
  const { because, stored } = failure;
  const answer = because.kind === "fault" ? FAULT : toAnswer(because, random);
  const details = stored.map(({ index, messageId }) => ({
    field: `messages[${index}]`,
    message: "is stored",
    messageId,
  }));
  return {
    ...answer,
    message: adviseBulk(failure, answer.message),
    details: [...(answer.details ?? []), ...details],
  };
}

function explainImport({ because, import: progress }: ImportInterrupted, random: number): ErrorAnswer {
  const answer = because.kind === "fault" ? FAULT : toAnswer(because, random);
  const cause = answer.message.replace(/[^.]$/, "$&.");
  return { ...answer, message: `${cause} ${adviseImport(because.kind, progress)}`, import: progress };
}

function explain(failure: Extract<Failure, { kind: ErrorKind }>, random: number): Omit<ErrorAnswer, "code"> {
  if (isFixed(failure)) return FIXED[failure.kind];
  switch (failure.kind) {
    case "path-unknown":
      return {
        message: `There is no such path. ${failure.nearest ? `Did you mean ${failure.nearest}?` : "/docs has all of them."}`,
      };
    case "method-wrong":
      return explainMethod(failure);
    case "credentials-missing":
    case "credentials-wrong":
      return { message: failure.message };
    case "operation-denied": {
      const { operation } = failure;
      return {
        message: `The operation "${operation}" is not granted to this client. Ask the operator of the service.`,
      };
    }
    case "rate-exceeded":
      return {
        message: `This website has made more than ${REQUESTS_PER_SECOND} requests in one second, counted over all its clients. Repeat the request after the time in Retry-After.`,
        headers: { "retry-after": String(failure.retryAfterSeconds) },
      };
    case "tests-exceeded":
      return {
        message: "This client was tried too often. Repeat the request after the time in Retry-After.",
        headers: { "retry-after": String(failure.retryAfterSeconds) },
      };
    case "look-ups-exceeded":
      return {
        message: `A viewer looks up at most ${failure.most} people a minute. Repeat the request after the time in Retry-After, or use a token with the role operator.`,
        headers: { "retry-after": String(failure.retryAfterSeconds) },
      };
    case "daily-limit-reached":
      return explainLimit(failure);
    case "media-type-wrong":
      return { message: `The Content-Type must be ${failure.expected}: ${describeType(failure.given)}.` };
    case "body-too-large":
      return {
        message: `The body is larger than ${toSize(failure.limitBytes)}, the most that this call accepts. Split it.`,
      };
    case "body-not-json":
      return { message: `The body ${failure.problem}` };
    case "fields-wrong":
      return { message: fieldsMessage(failure.details), details: failure.details };
    case "resource-unknown":
      return explainUnknown(failure);
    case "count-changed": {
      const { count } = failure;
      return {
        message: `Nothing was done: the count is ${count} now, and not as expected. Look again, and repeat the call with this count.`,
        details: [{ field: "expected", message: `is ${count} now`, count }],
      };
    }
    case "store-full":
    case "store-unavailable":
      return explainStore(failure, random);
  }
}

function explainUnknown({ what, details = [], hint }: Extract<Failure, { kind: "resource-unknown" }>) {
  const message = `There is no such ${what}.${hint ? ` ${hint}` : ""}`;
  return details.length > 0 ? { message: `${message} details has those that there are.`, details } : { message };
}

/** If http is redirected to https, most clients follow with a GET, although their authors wrote a POST. */
function explainMethod({ given, allow }: Extract<Failure, { kind: "method-wrong" }>): Omit<ErrorAnswer, "code"> {
  const isRedirected = given === "GET" && allow.includes("POST");
  const note = isRedirected ? " (a redirect from http to https turns a POST into a GET)" : "";
  const methods = allow.join(", ");
  return { message: `This path takes ${methods}${note}.`, headers: { allow: methods } };
}

function explainLimit(over: OverLimit): Omit<ErrorAnswer, "code"> {
  return {
    message: `${describeLimit(over)} Repeat the request after the time in Retry-After, or ask the operator.`,
    headers: { "retry-after": String(over.retryAfterSeconds) },
  };
}

type StoreFailure = Extract<Failure, { kind: "store-full" | "store-unavailable" }>;

function explainStore(failure: StoreFailure, random: number): Omit<ErrorAnswer, "code"> {
  if (failure.kind === "store-full") {
    return {
      message: `${FULL} Nothing was stored. Tell the operator of the service, and repeat the request once there is room.`,
      headers: { "retry-after": String(FULL_RETRY_SECONDS) },
    };
  }
  const key = failure.isKeyed ? "with the same Idempotency-Key " : "";
  return {
    message: `${UNAVAILABLE} It is safe to repeat the request ${key}after the time in Retry-After.`,
    headers: { "retry-after": String(storeRetrySeconds(failure.isRefused, random)) },
  };
}

/** How many wrong fields a message names. */
const MOST_NAMED = 5;

/** An operator makes room, or a purge does. */
const FULL_RETRY_SECONDS = 600;

function describeType(given: string | null): string {
  return given === null || given === ""
    ? "the request has none"
    : `this request has ${JSON.stringify(given.slice(0, 100))}`;
}

function storeRetrySeconds(isRefused: boolean | undefined, random: number): number {
  const [least, most] = STORE_RETRY_SECONDS[isRefused ? "refused" : "silent"];
  return least + Math.floor((most - least + 1) * random);
}

/** A message about a whole line names it itself. */
const sayWhere = ({ line, value }: FieldError) =>
  line === undefined || value === undefined ? "" : `; line ${line} has ${JSON.stringify(value)}`;

/** The message names the fields as well, because many clients show nothing else. */
function fieldsMessage(details: FieldError[]): string {
  const [first] = details;
  if (details.length === 1 && first) return `${first.field}: ${first.message}${sayWhere(first)}`;
  const fields = [...new Set(details.map(({ field }) => field))];
  const more = fields.length > MOST_NAMED ? ", …" : "";
  return `${details.length} rules are broken (${fields.slice(0, MOST_NAMED).join(", ")}${more}): details says which.`;
}
