// A receiver of callbacks in Node 20.11 or newer, without dependencies. Put it behind https.
//   CALLBACK_SECRET=whsec_… node receiver.mjs 3000 events.ndjson
import { createHmac, timingSafeEqual } from "node:crypto";
import { appendFileSync, readFileSync } from "node:fs";
import { appendFile } from "node:fs/promises";
import { createServer } from "node:http";

const TOLERANCE_SECONDS = 300;
const MAX_BYTES = 256 * 1024;
/** A new connection for each event: none, as it comes only once, shall meet a connection that is about to end. */
const CLOSE = { Connection: "close" };

const secret = process.env.CALLBACK_SECRET ?? "";
if (!secret.startsWith("whsec_")) {
  console.error("CALLBACK_SECRET is missing in the environment, or does not begin with whsec_");
  process.exit(1);
}
const key = Buffer.from(secret.slice("whsec_".length), "base64");

const [port = "3000", file = "events.ndjson"] = process.argv.slice(2);

/** By eventId: resolves once the event is on the disk. */
const stored = new Map();
/** By messageId. */
const latest = new Map();

/**
 * Stores an event, or waits until it is stored. Yours is a row in a table, with the eventId as its key.
 * @throws Error when it cannot be stored
 */
function store(event) {
  const { eventId } = event;
  if (!stored.has(eventId)) {
    const storing = appendFile(file, `${JSON.stringify(event)}\n`, { flush: true });
    stored.set(eventId, storing);
    storing.catch(() => stored.delete(eventId));
  }
  return stored.get(eventId);
}

/** What an earlier run has stored. A line that it did not finish was never answered with success. */
function load() {
  appendFileSync(file, "\n");
  for (const line of readFileSync(file, "utf8").split("\n")) {
    try {
      const event = JSON.parse(line);
      stored.set(event.eventId, Promise.resolve());
      note(event);
    } catch {}
  }
}

/** Whether the body comes from the service, and has just been sent: see www.standardwebhooks.com. */
function isGenuine(headers, body) {
  const id = headers["webhook-id"];
  const timestamp = headers["webhook-timestamp"];
  const digest = createHmac("sha256", key).update(`${id}.${timestamp}.`).update(body).digest("base64");
  const expected = Buffer.from(`v1,${digest}`);
  // While the secret is being replaced there are two signatures, and one of them is made with yours.
  const signatures = (headers["webhook-signature"] ?? "").split(" ").map((it) => Buffer.from(it));
  const isSigned = signatures.some((it) => it.length === expected.length && timingSafeEqual(it, expected));
  return isSigned && Math.abs(Date.now() / 1000 - timestamp) <= TOLERANCE_SECONDS;
}

/** Events may come out of order: the latest that occurred counts, and SENDING is never later than what follows it. */
function note({ eventType, messageId, occurredAt, status }) {
  if (eventType !== "message.status") return;
  const rank = `${occurredAt} ${status === "SENDING" ? 0 : 1}`;
  const known = latest.get(messageId);
  if (!known || known.rank < rank) latest.set(messageId, { rank, status });
}

function handle(event) {
  note(event);
  const { eventId, eventType, messageId } = event;
  console.log(eventType === "message.status" ? `${eventId}: the message is ${latest.get(messageId).status}` : eventId);
}

async function receive(request, response) {
  const chunks = [];
  let length = 0;
  for await (const chunk of request) {
    length += chunk.length;
    if (length > MAX_BYTES) return request.destroy();
    chunks.push(chunk);
  }
  const body = Buffer.concat(chunks); // as it came: JSON that is parsed and written again has another signature
  if (!isGenuine(request.headers, body)) return response.writeHead(401, CLOSE).end("wrong signature\n");
  const event = JSON.parse(body);
  const isNew = !stored.has(event.eventId);
  try {
    await store(event); // before the answer: the event is never posted again
  } catch (error) {
    // No 2xx for what is lost here: the operator sees the answer beside the event. Alarm a person, and once you can store
    // again, ask for the status of this message.
    console.error(`${event.eventId} is not stored: ${error.message}`);
    return response.writeHead(503, CLOSE).end("not stored\n");
  }
  response.writeHead(204, CLOSE).end(); // before any work: the service waits for 10 seconds
  if (isNew) handle(event);
}

load();
const server = createServer((request, response) => receive(request, response).catch(() => response.destroy()));
server.listen(Number(port), "127.0.0.1", () => console.log(`Receiving at http://127.0.0.1:${server.address().port}/`));
