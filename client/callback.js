/** @import { CallbackEvent, CallbackHeaders } from "./types.js" */

const TOLERANCE_SECONDS = 300;
const encoder = new TextEncoder();

/** The callback does not come from the service, is altered, or is too old: answer 401, and do nothing with it. */
export class SignatureError extends Error {
  /** @param {string} message */
  constructor(message) {
    super(message);
    this.name = "SignatureError";
  }
}

/**
 * Checks who sent a callback, as in Standard Webhooks, and reads it. Store the event before you answer 2xx: it is never posted again.
 * @param {object} callback
 * @param {string} callback.secret the callback secret of the client: `whsec_…`
 * @param {CallbackHeaders} callback.headers of the request, as the server has them; names in any case
 * @param {string | Uint8Array} callback.body as it came: JSON that is parsed and written again has another signature
 * @param {number} [callback.toleranceSeconds] how far the time of the callback may be from now (default: 300)
 * @param {number} [callback.now] milliseconds since 1970 (default: the clock)
 * @returns {Promise<CallbackEvent>}
 * @throws {SignatureError}
 * @throws {TypeError} the secret is none, or the body is parsed already
 */
export async function verifyCallback(callback) {
  const { secret, headers, body, toleranceSeconds = TOLERANCE_SECONDS, now = Date.now() } = callback;
  if (typeof body !== "string" && !(body instanceof Uint8Array)) {
    throw new TypeError("body must be the raw body of the request: a string or bytes");
  }
  const key = await importSecret(secret);
  const id = readHeader(headers, "webhook-id");
  const timestamp = readHeader(headers, "webhook-timestamp");
  const signatures = readHeader(headers, "webhook-signature").split(" ");
  const content = join(encoder.encode(`${id}.${timestamp}.`), typeof body === "string" ? encoder.encode(body) : body);
  if (!(await isSigned(key, signatures, content))) throw new SignatureError("no signature of the callback is right");
  const seconds = /^\d{1,12}$/.test(timestamp) ? Number(timestamp) : Number.NaN;
  if (!(Math.abs(now / 1000 - seconds) <= toleranceSeconds)) {
    throw new SignatureError(`the callback is more than ${toleranceSeconds} seconds away from now: ${timestamp}`);
  }
  return JSON.parse(typeof body === "string" ? body : new TextDecoder().decode(body));
}

/** @param {string} secret */
async function importSecret(secret) {
  const bytes = String(secret).startsWith("whsec_") ? fromBase64(secret.slice("whsec_".length)) : undefined;
  if (!bytes?.length) throw new TypeError("secret must be a callback secret: whsec_ and Base64");
  return crypto.subtle.importKey("raw", bytes, { name: "HMAC", hash: "SHA-256" }, false, ["verify"]);
}

/**
 * While the secret is being replaced there are two signatures, and one that fits is enough. `verify` compares in constant time.
 * @param {CryptoKey} key
 * @param {string[]} signatures each `v1,` and Base64
 * @param {Uint8Array<ArrayBuffer>} content
 */
async function isSigned(key, signatures, content) {
  for (const signature of signatures) {
    const bytes = signature.startsWith("v1,") ? fromBase64(signature.slice("v1,".length)) : undefined;
    if (bytes && (await crypto.subtle.verify("HMAC", key, bytes, content))) return true;
  }
  return false;
}

/**
 * Names of headers have no case. A class of headers finds them so by itself; in a map or an object of other servers they are as they came.
 * @param {CallbackHeaders} headers
 * @param {string} name in lower case
 */
function readHeader(headers, name) {
  const found = typeof headers?.get === "function" ? headers.get(name) : undefined;
  const value = found ?? entriesOf(headers).find(([key]) => String(key).toLowerCase() === name)?.[1];
  const text = Array.isArray(value) && value.length === 1 ? value[0] : value;
  if (typeof text !== "string" || text === "") throw new SignatureError(`the header ${name} is missing`);
  return text;
}

/**
 * @param {any} headers
 * @returns {[unknown, unknown][]}
 */
function entriesOf(headers) {
  if (headers instanceof Map) return [...headers];
  return Object.entries(headers ?? {});
}

/**
 * @param {string} text
 * @returns {Uint8Array<ArrayBuffer> | undefined} undefined: it is no Base64
 */
function fromBase64(text) {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  } catch {
    return undefined;
  }
}

/**
 * @param {Uint8Array} first
 * @param {Uint8Array} second
 */
function join(first, second) {
  const both = new Uint8Array(first.length + second.length);
  both.set(first);
  both.set(second, first.length);
  return both;
}
