import { TextgateError } from "./error.js";

/**
 * @import { ErrorDetail } from "./types.js"
 *
 * @typedef {object} Settings
 * @property {string} url of the service, without a slash at its end
 * @property {Headers} headers with the credentials
 * @property {number} attempts
 * @property {number} longestWaitSeconds
 * @property {typeof fetch} fetch
 * @property {(milliseconds: number, signal?: AbortSignal) => Promise<void>} wait
 * @property {(names: string[]) => void} onIgnoredFields
 *
 * @typedef {object} Call
 * @property {"GET" | "POST"} method
 * @property {string} path with its query
 * @property {unknown} [body]
 * @property {string | undefined} [idempotencyKey]
 * @property {number} timeoutSeconds of one attempt
 * @property {AbortSignal | undefined} [signal]
 *
 * @typedef {{ status: number, headers: Headers, text: string }} Answer
 * @typedef {{ code: number, message: string, details: ErrorDetail[], requestId?: string }} OwnError as the service writes it
 */

const [FIRST_WAIT_SECONDS, LONGEST_BACKOFF_SECONDS] = [1, 30];

/**
 * Makes a call, and repeats it after what may pass: no answer, 408, 429 and 5xx. Each call may be repeated: a send has a key, a test event may come twice, and the
 * others change nothing the second time. So a call without a key that stores something must not come here.
 * @param {Settings} settings
 * @param {Call} call
 * @returns {Promise<any>} the body of the answer
 * @throws {TextgateError}
 */
export async function request(settings, call) {
  const init = toInit(settings, call);
  let mayBeTaken = false;
  for (let attempt = 1; ; attempt += 1) {
    const { answer, lost } = await tryOnce(settings, call, init);
    if (!answer) call.signal?.throwIfAborted();
    if (answer && answer.status >= 200 && answer.status < 300) {
      const body = parseObject(answer.text);
      if (body) return noteIgnored(settings, answer.headers, body);
    }
    const own = answer && readOwn(answer.text);
    mayBeTaken ||= !answer || isUnclear(answer.status) || (own?.details ?? []).some(isStored);
    const error = toError(settings, call, { answer, own, lost, outcome: mayBeTaken ? "unknown" : "refused" });
    const mayPass = !answer || isUnclear(answer.status) || answer.status === 429;
    const isTooLong = (error.retryAfterSeconds ?? 0) > settings.longestWaitSeconds;
    if (!mayPass || isTooLong || attempt >= settings.attempts) throw error;
    await settings.wait(1000 * waitSeconds(error.retryAfterSeconds, attempt), call.signal);
  }
}

/** Whether the service may have done what was asked. A 2xx that is not the service's comes from a proxy on the way. @param {number} status */
function isUnclear(status) {
  return status === 408 || status >= 500 || (status >= 200 && status < 300);
}

/** A message of a bulk request that ended early. @param {ErrorDetail} detail */
function isStored({ messageId }) {
  return messageId !== undefined;
}

/**
 * @param {Settings} settings
 * @param {Call} call
 * @returns {RequestInit}
 */
function toInit({ headers: own }, { method, body, idempotencyKey }) {
  const headers = new Headers(own);
  if (idempotencyKey !== undefined) headers.set("Idempotency-Key", idempotencyKey);
  if (body === undefined) return { method, headers, redirect: "manual" };
  headers.set("Content-Type", "application/json");
  // A redirect would hand the secret to another host, and turn a POST into a GET.
  return { method, headers, redirect: "manual", body: JSON.stringify(body) };
}

/**
 * @param {Settings} settings
 * @param {Call} call
 * @param {RequestInit} init
 * @returns {Promise<{ answer?: Answer, lost?: unknown }>}
 */
async function tryOnce(settings, { path, timeoutSeconds, signal }, init) {
  signal?.throwIfAborted();
  const timeout = AbortSignal.timeout(timeoutSeconds * 1000);
  try {
    const response = await settings.fetch(settings.url + path, {
      ...init,
      signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
    });
    return { answer: { status: response.status, headers: response.headers, text: await response.text() } };
  } catch (error) {
    return { lost: error };
  }
}

/**
 * Spread at random: clients that were refused together do not come back together, and none comes before `Retry-After`.
 * @param {number | null} retryAfterSeconds
 * @param {number} attempt from 1
 */
function waitSeconds(retryAfterSeconds, attempt) {
  const backoff = Math.min(FIRST_WAIT_SECONDS * 2 ** (attempt - 1), LONGEST_BACKOFF_SECONDS);
  if (retryAfterSeconds !== null) return retryAfterSeconds + (backoff / 2) * Math.random();
  return backoff * (0.5 + Math.random() / 2);
}

/**
 * @param {Settings} settings
 * @param {Call} call
 * @param {{ answer: Answer | undefined, own: OwnError | undefined, lost: unknown, outcome: "refused" | "unknown" }} end of the last attempt
 */
function toError({ url }, { method, path, idempotencyKey }, { answer, own, lost, outcome }) {
  const what = `${method} ${url}${path.replace(/\?.*/, "")}`;
  const rest = { idempotencyKey: idempotencyKey ?? null, outcome };
  if (!answer) {
    const fields = { status: null, code: null, details: [], requestId: null, docUrl: null, retryAfterSeconds: null };
    return new TextgateError(`${what}: no answer: ${explain(lost)}`, { ...fields, ...rest }, lost);
  }
  const { status, headers, text } = answer;
  const { code, message, details } = own ?? {
    code: status * 100,
    message: describe(status, headers, text),
    details: [],
  };
  const lines = details.map((detail) => `${detail.field}: ${detail.message}`);
  return new TextgateError(
    // The message of the service has a detail that is alone.
    [`${code}: ${message}`, ...lines.filter((line) => !message.includes(line))].join("\n"),
    {
      ...{ status, code, details, ...rest },
      requestId: own?.requestId || headers.get("X-Request-Id"),
      docUrl: own ? readHelp(headers.get("Link"), url) : null,
      retryAfterSeconds: readRetryAfter(headers.get("Retry-After")),
    },
  );
}

/**
 * @param {string} text of an answer
 * @returns {OwnError | undefined} undefined: it is no error of the service
 */
function readOwn(text) {
  const { code, message, details, requestId } = parseObject(text) ?? {};
  if (typeof code !== "number" || typeof message !== "string") return undefined;
  return { code, message, details: Array.isArray(details) ? details : [], requestId };
}

/** An answer that is not the service's own: a proxy on the way gives it. @param {number} status @param {Headers} headers @param {string} text */
function describe(status, headers, text) {
  const location = headers.get("Location");
  if (status >= 300 && status < 400 && location)
    return `is redirected to ${location}: give its https URL to the client`;
  return text.slice(0, 200) || "the body is empty";
}

/** @param {unknown} lost */
function explain(lost) {
  if (!(lost instanceof Error)) return String(lost);
  const { cause } = lost;
  return cause instanceof Error ? `${lost.message}: ${cause.message || /** @type {any} */ (cause).code}` : lost.message;
}

/** @param {string | null} link such as `</docs#40001>; rel="help"`. @param {string} url of the service. @returns {string | null} */
function readHelp(link, url) {
  const [, path] = /<([^>]*)>\s*;\s*rel="?help"?/.exec(link ?? "") ?? [];
  return path === undefined ? null : new URL(path, `${url}/`).href;
}

/** @param {string | null} value seconds, or a date. @returns {number | null} */
function readRetryAfter(value) {
  if (value === null) return null;
  if (/^\d+$/.test(value)) return Number(value);
  const seconds = (Date.parse(value) - Date.now()) / 1000;
  return Number.isNaN(seconds) ? null : Math.max(0, seconds);
}

/**
 * @param {string} text
 * @returns {any} undefined: it is no JSON object
 */
function parseObject(text) {
  try {
    const value = JSON.parse(text);
    return typeof value === "object" && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}

/** @param {Settings} settings @param {Headers} headers @param {object} body */
function noteIgnored({ onIgnoredFields }, headers, body) {
  const names = headers.get("Ignored-Fields");
  if (names) onIgnoredFields(names.split(", ").map(decode));
  return body;
}

/** @param {string} name percent-encoded */
function decode(name) {
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}
