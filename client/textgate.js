import { EventFeed } from "./event-feed.js";
import { request } from "./request.js";

/**
 * @import { BulkSendAnswer, CancelAnswer, Message, MessageStatuses, PhoneList, Requests, SendAnswer, SendRequest, SubscribeAnswer,
 *   SubscribeRequest, SubscriptionStatuses, TestEventAnswer, UnsubscribeAnswer } from "./types.js"
 */

/**
 * @typedef {object} Options
 * @property {string} url of the service, such as https://sms.example.com
 * @property {string} clientId
 * @property {string} clientSecret
 * @property {number} [attempts] of each call, the first included (default: 5)
 * @property {number} [longestWaitSeconds] a call whose `Retry-After` is longer fails at once (default: 60)
 * @property {number} [timeoutSeconds] of one attempt (default: 30; 300 for lists and bulk sends, which may be of many megabytes)
 * @property {typeof globalThis.fetch} [fetch]
 * @property {(milliseconds: number, signal?: AbortSignal) => Promise<void>} [wait] between two attempts, for tests
 * @property {(names: string[]) => void} [onIgnoredFields] fields of a request that the service does not know (default: a warning)
 *
 * @typedef {object} CallOptions
 * @property {AbortSignal} [signal] ends the call, and throws its reason. What the service has taken stays taken
 *
 * @typedef {CallOptions & { idempotencyKey?: string }} SendOptions `idempotencyKey` (1 to 255 visible characters, such as
 *   `order-4711-shipped`): keep your own with the message, and you can send it again after a crash too, within 24 hours. A random one is
 *   made where it is left out
 */

/**
 * A client of Textgate. Every call repeats what may pass, and throws a TextgateError when it fails. All of them are safe to repeat: a send
 * goes out once, however often it takes to get an answer.
 */
export class Textgate {
  #settings;
  #timeoutSeconds;

  /**
   * @param {Options} options
   * @throws {TypeError} the URL is none, or the credentials cannot be sent
   */
  constructor(options) {
    const { protocol } = new URL(options.url);
    if (protocol !== "https:" && protocol !== "http:") throw new TypeError(`url must be an https URL: ${options.url}`);
    this.#timeoutSeconds = options.timeoutSeconds;
    this.#settings = {
      url: options.url.replace(/\/+$/, ""),
      headers: new Headers({ "X-Client-ID": options.clientId, "X-Client-Secret": options.clientSecret }),
      attempts: options.attempts ?? 5,
      longestWaitSeconds: options.longestWaitSeconds ?? 60,
      // Looked up with each call: a test may replace the global one.
      fetch: options.fetch ?? ((input, init) => globalThis.fetch(input, init)),
      wait: options.wait ?? wait,
      onIgnoredFields: options.onIgnoredFields ?? warn,
    };
  }

  /**
   * Sends one text, or schedules it. It goes out once.
   * @param {SendRequest} message
   * @param {SendOptions} [options]
   * @returns {Promise<SendAnswer>} the message is stored
   */
  send(message, { idempotencyKey = crypto.randomUUID(), signal } = {}) {
    return this.#post("/text/message/send", message, { idempotencyKey, signal });
  }

  /**
   * Sends up to 50,000 texts. Each succeeds or fails on its own.
   * @param {SendRequest[]} messages
   * @param {SendOptions} [options]
   * @returns {Promise<BulkSendAnswer>}
   */
  sendBulk(messages, { idempotencyKey = crypto.randomUUID(), signal } = {}) {
    return this.#post("/text/bulk/message/send", { messages }, { idempotencyKey, signal, isLong: true });
  }

  /**
   * Cancels messages that wait. One in `notCancelled` has gone, or may go.
   * @param {string[]} messageIds 1 to 1,000
   * @param {CallOptions} [options]
   * @returns {Promise<CancelAnswer>}
   */
  cancel(messageIds, options) {
    return this.#post("/text/message/cancel", { messageIds }, options);
  }

  /**
   * @param {string} messageId
   * @param {CallOptions} [options]
   * @returns {Promise<Message>}
   */
  status(messageId, options) {
    return this.#get("/text/message/status", { messageId }, options);
  }

  /**
   * @param {string[]} messageIds 1 to 5,000
   * @param {CallOptions} [options]
   * @returns {Promise<MessageStatuses>}
   */
  statuses(messageIds, options) {
    return this.#post("/text/message/statuses", { messageIds }, options);
  }

  /**
   * Subscribes numbers: only with the consent of their owners.
   * @param {SubscribeRequest} list
   * @param {CallOptions} [options]
   * @returns {Promise<SubscribeAnswer>}
   */
  subscribe(list, options) {
    return this.#post("/text/subscribe", list, { ...options, isLong: true });
  }

  /**
   * @param {PhoneList} list
   * @param {CallOptions} [options]
   * @returns {Promise<UnsubscribeAnswer>}
   */
  unsubscribe(list, options) {
    return this.#post("/text/unsubscribe", list, { ...options, isLong: true });
  }

  /**
   * Which numbers are subscribed.
   * @param {PhoneList} list
   * @param {CallOptions} [options]
   * @returns {Promise<SubscriptionStatuses>}
   */
  subscriptionStatus(list, options) {
    return this.#post("/text/subscription/status", list, { ...options, isLong: true });
  }

  /**
   * Your events, from the oldest on or from where you stopped.
   * @param {object} [options]
   * @param {string} [options.after] the `cursor` of an earlier feed (default: from the oldest event on)
   * @param {number} [options.limit] events of one request, 1 to 1,000 (default: 1,000)
   * @param {boolean} [options.follow] wait for more events where there are none, and never end (default: false)
   * @param {number} [options.pauseSeconds] how long to wait for them (default: 60)
   * @param {AbortSignal} [options.signal] ends the feed, and throws its reason
   * @returns {EventFeed}
   */
  events({ after, limit = 1000, follow = false, pauseSeconds = 60, signal } = {}) {
    const readPage = (/** @type {string | undefined} */ cursor) =>
      this.#get(
        "/text/events",
        { limit: String(limit), ...(cursor === undefined ? {} : { after: cursor }) },
        { signal },
      );
    const waitForMore = () => this.#settings.wait(pauseSeconds * 1000, signal);
    return new EventFeed(after, readPage, follow ? waitForMore : undefined);
  }

  /**
   * Your last refused requests, and the last posts to your endpoint: for the developer of a client.
   * @param {number} [limit] of each list, 1 to 100 (default: 20)
   * @param {CallOptions} [options]
   * @returns {Promise<Requests>}
   */
  requests(limit = 20, options) {
    return this.#get("/text/requests", { limit: String(limit) }, options);
  }

  /**
   * Posts one event of the type `test` to your own endpoint, now: to try how it checks the signature. One in 12 seconds.
   * @param {CallOptions} [options]
   * @returns {Promise<TestEventAnswer>} what the endpoint has said, also where it failed
   */
  testEvent(options) {
    return this.#post("/text/test-event", undefined, options);
  }

  /**
   * @param {string} path
   * @param {object | undefined} body
   * @param {{ signal?: AbortSignal | undefined, idempotencyKey?: string, isLong?: boolean }} [options]
   */
  #post(path, body, { isLong = false, ...options } = {}) {
    const timeoutSeconds = this.#timeoutSeconds ?? (isLong ? 300 : 30);
    return request(this.#settings, { method: "POST", path, body, timeoutSeconds, ...options });
  }

  /**
   * @param {string} path
   * @param {Record<string, string>} query
   * @param {{ signal?: AbortSignal | undefined }} [options]
   */
  #get(path, query, options) {
    const timeoutSeconds = this.#timeoutSeconds ?? 30;
    return request(this.#settings, {
      method: "GET",
      path: `${path}?${new URLSearchParams(query)}`,
      timeoutSeconds,
      ...options,
    });
  }
}

/** @param {number} milliseconds @param {AbortSignal} [signal] @returns {Promise<void>} */
function wait(milliseconds, signal) {
  return new Promise((resolve, reject) => {
    const onAbort = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", onAbort);
      resolve();
    }, milliseconds);
    if (signal?.aborted) onAbort();
    else signal?.addEventListener("abort", onAbort, { once: true });
  });
}

/** A field of a wrong name, such as `sendAT`, would otherwise be missing without a word. @param {string[]} names */
function warn(names) {
  console.warn(`Textgate does not know these fields of a request, and ignored them: ${names.join(", ")}`);
}
