// A client of Textgate in Node 20.11 or newer, without dependencies.
//   TEXTGATE_URL=… CLIENT_ID=… CLIENT_SECRET=… node client.mjs send +12125550100 "Hello"
//   … node client.mjs schedule +12125550100 2026-11-27T09:00:00-05:00 "Hello"
//   … node client.mjs cancel <messageId>
//   … node client.mjs subscriptions +12125550100 +12125550101
//   … node client.mjs subscriptions numbers.csv
import { randomUUID } from "node:crypto";
import { realpathSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { setTimeout as wait } from "node:timers/promises";

const ATTEMPTS = 5;

/** What the service refused, and why. */
export class TextgateError extends Error {
  constructor({ code, message, details = [] }) {
    super([`${code}: ${message}`, ...details.map((it) => `${it.field}: ${it.message}`)].join("\n"));
    Object.assign(this, { name: "TextgateError", code, details });
  }
}

/**
 * Sends one text. It goes out once, however often it takes to get an answer.
 * @param message the fields of POST /text/message/send
 * @param key names this message: keep your own with it, and you can repeat it after a crash too (for 24 hours)
 * @returns the messageId
 */
export async function send(message, key = randomUUID()) {
  const { messageId } = await call("/text/message/send", message, { "Idempotency-Key": key });
  return messageId;
}

/**
 * Cancels texts that wait, 1,000 at most. A text in `notCancelled` has gone, or may go.
 * @returns {"cancelled": [id], "notCancelled": [{"messageId", "status"}]}
 */
export async function cancel(...messageIds) {
  return call("/text/message/cancel", { messageIds });
}

/** Asks which numbers are subscribed: up to 5,000 in an array, up to 50,000 in a CSV file. */
export async function subscriptionStatus({ phoneNumbers = [], csvPath }) {
  const csv = csvPath ? await readFile(csvPath, "base64") : "";
  return call("/text/subscription/status", { phone_numbers: phoneNumbers, csv_file: csv });
}

/**
 * Repeats what may succeed the next time: no answer, 408, 429 and 5xx. Anything else is refused for good. All calls here
 * may be repeated: one has a key, the others change nothing the second time. A text or a bulk request without a key may not.
 */
async function call(path, body, headers = {}) {
  const url = new URL(path, setting("TEXTGATE_URL"));
  const credentials = { "X-Client-ID": setting("CLIENT_ID"), "X-Client-Secret": setting("CLIENT_SECRET") };
  const request = {
    method: "POST",
    headers: { "Content-Type": "application/json", ...credentials, ...headers },
    body: JSON.stringify(body),
  };
  for (let attempt = 1; ; attempt += 1) {
    const { ok, status, retryAfter, text, lost } = await post(url, request).catch((error) => ({ lost: error }));
    if (ok) return JSON.parse(text);
    const mayRepeat = lost || status === 408 || status === 429 || status >= 500;
    if (!mayRepeat || attempt === ATTEMPTS) throw lost ?? toError(status, text);
    await wait(1000 * (Number(retryAfter) || 2 ** (attempt - 1)));
  }
}

async function post(url, request) {
  const answer = await fetch(url, { ...request, signal: AbortSignal.timeout(30_000) });
  const { ok, status } = answer;
  return { ok, status, retryAfter: answer.headers.get("Retry-After"), text: await answer.text() };
}

/** A proxy on the way may answer something else than JSON. */
function toError(status, text) {
  let error = {};
  try {
    error = JSON.parse(text);
  } catch {}
  return new TextgateError({ code: status * 100, message: text.slice(0, 200), ...error });
}

function setting(name) {
  const value = process.env[name];
  if (!value) throw new Error(`${name} is missing in the environment`);
  return value;
}

async function main([command, ...args]) {
  if (command === "send" && args.length === 2) {
    const [phone, text] = args;
    return { messageId: await send({ phone, text, callbackData: "{}", sendPurpose: "example" }) };
  }
  if (command === "schedule" && args.length === 3) {
    const [phone, sendAt, text] = args;
    return { messageId: await send({ phone, text, sendAt, callbackData: "{}", sendPurpose: "example" }) };
  }
  if (command === "cancel" && args.length > 0) return cancel(...args);
  if (command === "subscriptions" && args.length > 0) {
    return subscriptionStatus(args[0].endsWith(".csv") ? { csvPath: args[0] } : { phoneNumbers: args });
  }
  throw new Error(
    "usage: client.mjs send <phone> <text> | schedule <phone> <time> <text> | cancel <messageId>… | subscriptions <phone>… | subscriptions <file.csv>",
  );
}

if (process.argv[1] && import.meta.filename === realpathSync(process.argv[1])) {
  main(process.argv.slice(2)).then(
    (answer) => console.log(JSON.stringify(answer)),
    (error) => {
      console.error([error.message, error.cause?.code].filter(Boolean).join(": "));
      process.exitCode = 1;
    },
  );
}
