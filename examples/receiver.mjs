// A receiver of callbacks in Node 20.11 or newer. Put it behind https.
//   CALLBACK_SECRET=whsec_… node receiver.mjs 3000 events.ndjson
import { appendFileSync, readFileSync } from "node:fs";
import { appendFile } from "node:fs/promises";
import { createServer } from "node:http";
// In your project: install the package as client/README.md says, and import from "textgate-client".
import { SignatureError, verifyCallback } from "../client/index.js";

const MAX_BYTES = 256 * 1024;
/** A new connection for each event: none, as it comes only once, shall meet a connection that is about to end. */
const CLOSE = { Connection: "close" };

const secret = process.env.CALLBACK_SECRET ?? "";
if (!secret.startsWith("whsec_")) {
  console.error("CALLBACK_SECRET is missing in the environment, or does not begin with whsec_");
  process.exit(1);
}

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

/** Events may come out of order: the latest that occurred counts, and SENDING is never later than what follows it. */
function note({ eventType, messageId, occurredAt, status, reason }) {
  if (eventType !== "message.status") return;
  const rank = `${occurredAt} ${status === "SENDING" ? 0 : 1}`;
  const known = latest.get(messageId);
  if (!known || known.rank < rank) {
    latest.set(messageId, { rank, what: reason ? `${status}, ${reason}` : status }); // the reason: null, or a code
  }
}

function handle(event) {
  note(event);
  const { eventId, eventType, messageId } = event;
  console.log(eventType === "message.status" ? `${eventId}: the message is ${latest.get(messageId).what}` : eventId);
}

async function receive(request, response) {
  const chunks = [];
  let length = 0;
  for await (const chunk of request) {
    length += chunk.length;
    if (length > MAX_BYTES) return request.destroy();
    chunks.push(chunk);
  }
  let event;
  try {
    event = await verifyCallback({ secret, headers: request.headers, body: Buffer.concat(chunks) });
  } catch (error) {
    if (!(error instanceof SignatureError)) throw error;
    return response.writeHead(401, CLOSE).end("wrong signature\n");
  }
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
