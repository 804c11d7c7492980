/** @import { ErrorDetail } from "./types.js" */

/**
 * @typedef {object} ErrorFields
 * @property {number | null} status the HTTP status; null: no answer came
 * @property {number | null} code such as 40001; never changes its meaning. null: no answer came
 * @property {ErrorDetail[]} details one for each field that breaks a rule, or each message that is stored, or may be
 * @property {string | null} requestId quote it when you ask the operator
 * @property {string | null} docUrl where the code is explained
 * @property {number | null} retryAfterSeconds how long the service asks to wait
 * @property {string | null} idempotencyKey of a send: with it, the same message may be sent again without texting anybody twice
 * @property {"refused" | "unknown"} outcome `unknown`: an attempt may have been taken, because its answer was lost or a 5xx, or
 *   because messages of a bulk request are stored: `details` has their ids
 */

/** A request that failed, after all its attempts. `message` is for a person, and its words may change. */
export class TextgateError extends Error {
  /**
   * @param {string} message
   * @param {ErrorFields} fields
   * @param {unknown} [cause] why no answer came
   */
  constructor(message, fields, cause) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = "TextgateError";
    this.status = fields.status;
    this.code = fields.code;
    this.details = fields.details;
    this.requestId = fields.requestId;
    this.docUrl = fields.docUrl;
    this.retryAfterSeconds = fields.retryAfterSeconds;
    this.idempotencyKey = fields.idempotencyKey;
    this.outcome = fields.outcome;
  }
}
