// A send and a delivery as they are usually written: a row and a job for each text, and a call of D1 for each step of it. Nothing is
// grouped, claimed or swept, so a job that comes twice sends twice.
import { AutoRouter, type IRequest, StatusError } from "itty-router";
import { parsePhoneNumberFromString } from "libphonenumber-js";
import * as z from "zod";
import { callCounter } from "./counter.ts";

export { RateLimiter, SenderObject } from "./counter.ts";

interface Client {
  clientId: string;
  websiteId: string;
  secretHash: string;
  callbackUrl: string | null;
}

type Message = z.output<typeof messageSchema> & { messageId: string; websiteId: string; clientId: string };

interface Stored {
  message_id: string;
  client_id: string;
  phone: number;
  callback_data: string;
  status: string;
}

interface Callback {
  clientId: string;
  messageId: string;
  status: string;
  callbackData: string;
}

const CREDENTIALS_CACHE_SECONDS = 60;
/** D1 takes 100 parameters, and one of them is the website. */
const NUMBERS_A_QUERY = 99;
const JOBS_A_CALL = 100;
const CALLBACK_MILLISECONDS = 10_000;

const SCHEMA = `
  CREATE TABLE IF NOT EXISTS usual_messages (message_id TEXT PRIMARY KEY, website_id TEXT NOT NULL, client_id TEXT NOT NULL, phone INTEGER NOT NULL,
    text TEXT NOT NULL, click_url TEXT, callback_data TEXT NOT NULL, send_purpose TEXT NOT NULL, status TEXT NOT NULL,
    accepted_at INTEGER NOT NULL, updated_at INTEGER NOT NULL, called_back TEXT);
  CREATE INDEX IF NOT EXISTS usual_by_phone ON usual_messages (website_id, phone, accepted_at);
  CREATE INDEX IF NOT EXISTS usual_by_status ON usual_messages (status, accepted_at)`;

const messageSchema = z.object({
  phone: z.string().transform((given, context) => {
    const phone = parsePhoneNumberFromString(given);
    if (phone?.isPossible()) return Number(phone.number);
    context.addIssue({ code: "custom", message: "not a phone number" });
    return z.NEVER;
  }),
  text: z.string().min(1).max(1600),
  clickUrl: z.union([z.literal(""), z.url()]).default(""),
  callbackData: z.string().max(4096).default(""),
  sendPurpose: z.string().max(100).default(""),
});
const bulkSchema = z.object({ messages: z.array(messageSchema).min(1).max(50_000) });

type ClientRequest = IRequest & { client: Client };

const router = AutoRouter<ClientRequest, [Env]>();

/** What the bench needs before a load: the table, and the client that it sends as. */
router.put("/client", async (request, env) => {
  const { clientSecret, ...client } = await request.json<Omit<Client, "secretHash"> & { clientSecret: string }>();
  await env.DB.batch(SCHEMA.split(";").map((statement) => env.DB.prepare(statement)));
  const stored: Client = { ...client, secretHash: await hashOf(clientSecret) };
  await env.CREDENTIALS.put(keyOf(client.clientId), JSON.stringify(stored));
  return {};
});

router.all("/text/*", async (request, env) => {
  const client = await readClient(env, request.headers.get("x-client-id") ?? "");
  const hash = await hashOf(request.headers.get("x-client-secret") ?? "");
  if (!client || !isEqual(client.secretHash, hash)) throw new StatusError(401);
  await callCounter(env, client.websiteId);
  request.client = client;
});

router.post("/text/message/send", async (request, env) => {
  const [message] = (await accept(env, request.client, [await readBody(request, messageSchema)])) as [Message];
  return { messageId: message.messageId };
});

router.post("/text/bulk/message/send", async (request, env) => {
  const { messages } = await readBody(request, bulkSchema);
  const accepted = await accept(env, request.client, messages);
  return { successSent: accepted.map(({ messageId }) => messageId) };
});

async function readBody<Schema extends z.ZodType>(request: IRequest, schema: Schema): Promise<z.output<Schema>> {
  const { data, error } = schema.safeParse(await request.json().catch(() => null));
  if (error) throw new StatusError(400, { details: error.issues.map(({ path, message }) => ({ path, message })) });
  return data as z.output<Schema>;
}

/** Looks the numbers up, stores the texts, and queues a job for each: to deliver it, or to say that its person is not subscribed. */
async function accept(
  env: Env,
  { websiteId, clientId }: Client,
  given: z.output<typeof messageSchema>[],
): Promise<Message[]> {
  const phones = given.map(({ phone }) => phone);
  const subscribed = await findSubscribed(env, websiteId, phones);
  const messages = given.map((message) => ({ ...message, messageId: crypto.randomUUID(), websiteId, clientId }));
  const statusOf = ({ phone }: Message) => (subscribed.has(phone) ? "PENDING_TO_SEND" : "NOT_SUBSCRIBED");
  const statements = messages.map((message) => insertStatement(env.DB, message, statusOf(message)));
  if (statements.length === 1) await statements[0]?.run();
  else for (const some of inChunks(statements, JOBS_A_CALL)) await env.DB.batch(some);
  const { true: pending = [], false: others = [] } = Object.groupBy(
    messages,
    ({ phone }) => `${subscribed.has(phone)}`,
  );
  const toDeliver = pending.map(({ messageId }) => ({ messageId }));
  const toTell = others.map((message): Callback => ({ ...message, status: statusOf(message) }));
  for (const jobs of inChunks(toDeliver, JOBS_A_CALL)) await sendJobs(env.MESSAGES as Queue<unknown>, jobs);
  for (const jobs of inChunks(toTell, JOBS_A_CALL)) await sendJobs(env.CALLBACKS as Queue<unknown>, jobs);
  return messages;
}

async function findSubscribed(env: Env, websiteId: string, phones: number[]): Promise<Set<number>> {
  const found = new Set<number>();
  for (const some of inChunks(phones, NUMBERS_A_QUERY)) {
    const places = some.map(() => "?").join(",");
    const sql = `SELECT phone FROM subscriptions WHERE website_id = ? AND subscribed = 1 AND phone IN (${places})`;
    const { results } = await env.DB.prepare(sql)
      .bind(websiteId, ...some)
      .all<{ phone: number }>();
    for (const { phone } of results) found.add(phone);
  }
  return found;
}

function insertStatement(db: D1Database, message: Message, status: string): D1PreparedStatement {
  const { messageId, websiteId, clientId, phone, text, clickUrl, callbackData, sendPurpose } = message;
  return db
    .prepare("INSERT INTO usual_messages VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?10, NULL)")
    .bind(messageId, websiteId, clientId, phone, text, clickUrl, callbackData, sendPurpose, status, Date.now());
}

const sendJobs = (queue: Queue<unknown>, jobs: object[]) =>
  jobs.length === 1 ? queue.send(jobs[0]) : queue.sendBatch(jobs.map((body) => ({ body })));

const inChunks = <T>(items: T[], size: number): T[][] =>
  Array.from({ length: Math.ceil(items.length / size) }, (_, index) => items.slice(index * size, (index + 1) * size));

/** The carrier is a sandbox, which takes each text, and at once says that it is delivered. */
async function deliver(env: Env, { messageId }: { messageId: string }): Promise<void> {
  const select = env.DB.prepare("SELECT * FROM usual_messages WHERE message_id = ?1");
  const row = await select.bind(messageId).first<Stored>();
  if (row?.status !== "PENDING_TO_SEND") return;
  for (const status of ["SENDING", "DELIVERED"]) {
    const update = env.DB.prepare("UPDATE usual_messages SET status = ?2, updated_at = ?3 WHERE message_id = ?1");
    await update.bind(messageId, status, Date.now()).run();
    const callback: Callback = { clientId: row.client_id, messageId, status, callbackData: row.callback_data };
    await (env.CALLBACKS as Queue<unknown>).send(callback);
  }
}

async function callBack(env: Env, { clientId, ...event }: Callback): Promise<void> {
  const client = await readClient(env, clientId);
  if (!client?.callbackUrl) return;
  const body = JSON.stringify({ ...event, occurredAt: new Date().toISOString() });
  const key = await crypto.subtle.importKey("raw", toBytes(client.secretHash), SIGNATURE, false, ["sign"]);
  const signature = new Uint8Array(await crypto.subtle.sign("HMAC", key, toBytes(body))).toHex();
  const headers = { "webhook-id": `${event.messageId}_${event.status}`, "webhook-signature": signature };
  const signal = AbortSignal.timeout(CALLBACK_MILLISECONDS);
  const { status } = await fetch(client.callbackUrl, { method: "POST", headers, body, signal });
  const update = env.DB.prepare("UPDATE usual_messages SET called_back = ?2 WHERE message_id = ?1");
  await update.bind(event.messageId, `${event.status}: ${status}`).run();
}

const SIGNATURE = { name: "HMAC", hash: "SHA-256" };
const toBytes = (text: string) => new TextEncoder().encode(text);
const isEqual = (one: string, other: string) => crypto.subtle.timingSafeEqual(toBytes(one), toBytes(other));
const hashOf = async (text: string) => new Uint8Array(await crypto.subtle.digest("SHA-256", toBytes(text))).toHex();
const keyOf = (clientId: string) => `usual:${clientId}`;
const readClient = (env: Env, clientId: string) =>
  env.CREDENTIALS.get<Client>(keyOf(clientId), { type: "json", cacheTtl: CREDENTIALS_CACHE_SECONDS });

export default {
  fetch: router.fetch,

  async queue({ queue, messages }, env) {
    const work = queue === "textgate-callbacks" ? callBack : deliver;
    const run = async (message: MessageBatch["messages"][number]) => {
      try {
        await work(env, message.body as never);
        message.ack();
      } catch {
        message.retry({ delaySeconds: 10 });
      }
    };
    await Promise.all(messages.map(run));
  },
} satisfies ExportedHandler<Env>;
