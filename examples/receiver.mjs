// A receiver of callbacks in Node 20.11 or newer, without dependencies. Put it behind https.
//   CALLBACK_SECRET=whsec_… node receiver.mjs 3000
import { createHmac, timingSafeEqual } from "node:crypto";
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

// In memory, to be short. Yours are tables: a callback comes only once, so store it before you answer.
const seen = new Set();
const latest = new Map();

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
function handle(event) {
  if (event.eventType !== "message.status") return console.log(event.eventId);
  const rank = `${event.occurredAt} ${event.status === "SENDING" ? 0 : 1}`;
  const known = latest.get(event.messageId);
  const what = event.reason ? `${event.status}, ${event.reason}` : event.status; // the reason: null, or a code
  if (!known || known.rank < rank) latest.set(event.messageId, { rank, what });
  console.log(`${event.eventId}: the message is ${latest.get(event.messageId).what}`);
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
  const isNew = !seen.has(event.eventId);
  seen.add(event.eventId);
  response.writeHead(204, CLOSE).end(); // at once: the service waits for 10 seconds
  if (isNew) handle(event);
}

const server = createServer((request, response) => receive(request, response).catch(() => response.destroy()));
server.listen(Number(process.argv[2] ?? 3000), "127.0.0.1", () =>
  console.log(`Receiving at http://127.0.0.1:${server.address().port}/`),
);
