import type * as z from "zod";
import type { Deps } from "../../deps.ts";
import { RequestFailure, type Tried } from "../../domain/failure.ts";
import { BrokenBodyError } from "../../domain/json-reader.ts";
import {
  type BulkChunk,
  BulkReader,
  type bulkSendAnswerSchema,
  MAX_BULK_MESSAGES,
} from "../../domain/messages/bulk-request.ts";
import type { IgnoredFields } from "../../domain/messages/ignored-fields.ts";
import type { AcceptedMessage } from "../../domain/messages/send.ts";
import { type SendRequest, sendRequestSchema } from "../../domain/messages/send-request.ts";
import { echoEmail, echoPhone } from "../../domain/people/echo.ts";
import { type Begun, type BulkPart, beginBulk } from "../../store/messages/idempotency-keys.ts";
import { hashBody, IDEMPOTENCY_MILLISECONDS, type Sender, toStoredMessage, trySend } from "./accept-message.ts";
import { findEmailFault, findPhones } from "./find-phones.ts";
import { queueAccepted } from "./queue-jobs.ts";
import { storePart } from "./store-part.ts";

type BulkAnswer = z.output<typeof bulkSendAnswerSchema>;

/** The error of a message that breaks no rule, in a part that an earlier attempt has stored without it. */
const REFUSED_AT_FIRST = "is not stored: it broke a rule when this request first came. Send it in a request of its own";

/** Messages over the limit that get an error of their own; the rest, of which there may be millions, share one. */
const MOST_SURPLUS = 50_000;

/**
 * Stores the messages of a body while it comes in. Messages are independent: the answer lists the errors of each, and the valid
 * ones are stored.
 * @param key the Idempotency-Key: a retry with the same body stores the messages that are missing, and answers the same ids
 * @param ignored gets the names that the body and its messages have beside the known fields
 * @throws RequestFailure as for one message; bulk-interrupted around it when some messages are stored
 */
export async function acceptBulk(
  deps: Deps,
  sender: Sender,
  body: AsyncIterable<Uint8Array>,
  key: string | undefined,
  ignored: IgnoredFields,
): Promise<BulkAnswer> {
  const run = new BulkRun(deps, sender, key, ignored);
  try {
    await readAll(body, run);
  } catch (error) {
    throw interrupted(error, run.answer, key !== undefined);
  }
  return run.answer;
}

async function readAll(body: AsyncIterable<Uint8Array>, run: BulkRun): Promise<void> {
  const reader = new BulkReader((name) => run.ignored.add(name));
  const storeWhole = async () => {
    for (let chunk = reader.take(); chunk; chunk = reader.take()) await run.store(chunk);
  };
  for await (const piece of body) {
    if (run.isFull) continue;
    reader.write(piece);
    await storeWhole();
  }
  if (!run.isFull) reader.end();
  await storeWhole();
  await run.finish();
}

function interrupted(error: unknown, { successSent: stored }: BulkAnswer, isKeyed: boolean): unknown {
  const known = error instanceof BrokenBodyError ? notJson(error) : error;
  const failure = known instanceof RequestFailure ? known.failure : ({ kind: "fault" } as const);
  if ("because" in failure || (stored.length === 0 && failure.kind !== "outcome-unknown")) return known;
  return new RequestFailure({ kind: "bulk-interrupted", because: failure, stored, isKeyed }, { cause: error });
}

function notJson({ message }: BrokenBodyError): RequestFailure {
  return new RequestFailure({ kind: "body-not-json", problem: message });
}

/** The id of the message at an index: the first id, with the index added to its last eight hexadecimal digits. */
function nthId(first: string, index: number): string {
  const last = (Number.parseInt(first.slice(-8), 16) + index) % 2 ** 32;
  return first.slice(0, -8) + last.toString(16).padStart(8, "0");
}

class BulkRun {
  readonly answer: BulkAnswer = { successSent: [], failedSent: [] };
  /** With what the body and its messages have beside the known fields. */
  readonly ignored: IgnoredFields;
  readonly #deps: Deps;
  readonly #sender: Sender;
  readonly #key: string | undefined;
  readonly #attempt: string;
  #begun: Begun | undefined;
  #parts = 0;
  #count = 0;

  constructor(deps: Deps, sender: Sender, key: string | undefined, ignored: IgnoredFields) {
    this.ignored = ignored;
    this.#deps = deps;
    this.#sender = sender;
    this.#key = key;
    this.#attempt = deps.newId();
  }

  /** Whether the rest of the body is answered as surplus: it is neither read nor stored. */
  get isFull(): boolean {
    return this.#count > MAX_BULK_MESSAGES + MOST_SURPLUS;
  }

  /** @throws RequestFailure */
  async store(chunk: BulkChunk): Promise<void> {
    const { items } = chunk;
    const start = this.#count;
    this.#count += items.length;
    const room = Math.max(0, MAX_BULK_MESSAGES - start);
    if (room > 0) await this.#acceptPart(items.slice(0, room), start, chunk);
    for (const [offset, item] of items.slice(room).entries()) this.#refuseSurplus(item, start + room + offset);
  }

  async #acceptPart(items: unknown[], start: number, chunk: BulkChunk): Promise<void> {
    this.#begun ??= await this.#begin();
    const { firstId, begunAt } = this.#begun;
    const ids = items.map((_, offset) => nthId(firstId, start + offset));
    const { messages, faults } = await this.#check(items, ids, begunAt);
    const part = await this.#toPart(this.#parts++, chunk.json, ids);
    const stored = await storePart(
      this.#deps,
      this.#sender.client,
      part,
      messages,
      (id) => `messages[${start + ids.indexOf(id)}]`,
    );
    if (stored.kind === "conflict") throw new RequestFailure({ kind: "idempotency-conflict" });
    if (stored.kind === "stored") queueAccepted(this.#deps, "bulk", stored);
    for (const [offset, id] of ids.entries()) {
      const index = start + offset;
      const messageId = stored.answered.get(id);
      if (messageId === undefined) {
        const errorMessage = faults.get(id) ?? REFUSED_AT_FIRST;
        this.answer.failedSent.push({ index, ...recipientOf(items[offset]), errorMessage });
        continue;
      }
      const scheduledFor = stored.schedule.get(messageId);
      const times = scheduledFor === undefined ? {} : { scheduledFor: new Date(scheduledFor).toISOString() };
      this.answer.successSent.push({ index, messageId, ...times });
    }
  }

  #refuseSurplus(item: unknown, index: number): void {
    const place = index - MAX_BULK_MESSAGES;
    if (place > MOST_SURPLUS) return;
    const which = place === MOST_SURPLUS ? "this message and all after it are" : "this message is";
    const errorMessage = `a request has at most ${MAX_BULK_MESSAGES.toLocaleString("en-US")} messages: ${which} not stored`;
    this.answer.failedSent.push({ index, ...recipientOf(item), errorMessage });
  }

  /** A request with a key has the ids that are stored with the key; any other has new ids. */
  async #begin(): Promise<Begun> {
    const { home, clientId } = this.#sender.client;
    const newId = this.#deps.newId(home);
    const now = this.#deps.now();
    const expiresAt = now + IDEMPOTENCY_MILLISECONDS;
    if (this.#key === undefined) return { firstId: newId, expiresAt, begunAt: now };
    return beginBulk(this.#deps.db, { clientId, key: this.#key, newId, expiresAt, now });
  }

  /** @returns the valid messages, and the errors of the others by their ids */
  async #check(items: unknown[], ids: string[], begunAt: number) {
    const messages: AcceptedMessage[] = [];
    const faults = new Map<string, string>();
    // A repetition finds the times of its messages valid as they were at first.
    const tried = items.map((item) => trySend(this.#sender, item, begunAt));
    const valid = tried.flatMap(({ data }) => data ?? []);
    const phones = await findPhones(this.#deps, this.#sender.client, valid);
    for (const [offset, id] of ids.entries()) {
      this.ignored.addOf(sendRequestSchema, items[offset]);
      const request = tried[offset] as Tried<SendRequest>;
      const fault = request.data && findEmailFault(this.#sender.client, request.data, phones);
      const { data, details = [] } = fault ? { details: [fault] } : request;
      if (data) messages.push(await toStoredMessage(this.#deps, this.#sender, data, phones, id));
      else faults.set(id, details.map(({ field, message }) => `${field}: ${message}`).join("; "));
    }
    return { messages, faults };
  }

  /** @throws RequestFailure when the body has no message, or the key was used with a longer or shorter body */
  async finish(): Promise<void> {
    if (this.#count === 0) {
      const message = `must be an array of 1 to ${MAX_BULK_MESSAGES} send requests, in a JSON object: {"messages": […]}`;
      throw new RequestFailure({ kind: "fields-wrong", details: [{ field: "messages", message }] });
    }
    const part = await this.#toPart(this.#parts, String(this.#count), []);
    if (!part) return;
    const stored = await storePart(this.#deps, this.#sender.client, part, []);
    if (stored.kind === "conflict") throw new RequestFailure({ kind: "idempotency-conflict" });
  }

  /** @param json what a repetition must repeat */
  async #toPart(number: number, json: string, ids: string[]): Promise<BulkPart | null> {
    if (this.#key === undefined || !this.#begun) return null;
    const { firstId, expiresAt } = this.#begun;
    return {
      firstId,
      expiresAt,
      key: this.#key,
      number,
      ids,
      bodyHash: await hashBody(json),
      attempt: this.#attempt,
    };
  }
}

function recipientOf(item: unknown): { phone: string | null; email: string | null } {
  const { phone, email } = (item ?? {}) as { phone?: unknown; email?: unknown };
  return {
    phone: typeof phone === "string" ? echoPhone(phone) : null,
    email: typeof email === "string" ? echoEmail(email) : null,
  };
}
