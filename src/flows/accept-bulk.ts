import type * as z from "zod";
import type { Deps } from "../deps.ts";
import {
  BrokenBodyError,
  type BulkChunk,
  BulkReader,
  type bulkSendAnswerSchema,
  MAX_BULK_MESSAGES,
} from "../domain/bulk-request.ts";
import { RequestFailure } from "../domain/failure.ts";
import { tryFields } from "../domain/field-errors.ts";
import { sendRequestSchema } from "../domain/send-request.ts";
import { sha256Hex } from "../platform/secrets.ts";
import type { OnceKey, StoredMessage } from "../platform/store/store-messages.ts";
import {
  followUp,
  IDEMPOTENCY_MILLISECONDS,
  type Sender,
  storeOptions,
  storeOrCancel,
  toStoredMessage,
} from "./accept-message.ts";

export type BulkAnswer = z.output<typeof bulkSendAnswerSchema>;

/**
 * Stores the messages of a body while it comes in. Each stands for itself: what is wrong with one is told in the answer,
 * and keeps none of the others.
 * @param body in pieces
 * @param key the Idempotency-Key: the same body again stores what is not stored yet, and answers the same ids
 * @throws RequestFailure as for one message; bulk-interrupted around it when some messages are stored
 */
export async function acceptBulk(
  deps: Deps,
  sender: Sender,
  body: AsyncIterable<Uint8Array>,
  key: string | undefined,
): Promise<BulkAnswer> {
  const run = new BulkRun(deps, sender, key, key === undefined ? deps.newId() : await firstId(sender, key));
  try {
    await readAll(body, run);
  } catch (error) {
    throw interrupted(error, run.answer);
  }
  return run.answer;
}

async function readAll(body: AsyncIterable<Uint8Array>, run: BulkRun): Promise<void> {
  const reader = new BulkReader();
  const storeWhole = async () => {
    for (let chunk = reader.take(); chunk; chunk = reader.take()) await run.store(chunk);
  };
  for await (const piece of body) {
    reader.write(piece);
    await storeWhole();
  }
  reader.end();
  await storeWhole();
  await run.finish();
}

function interrupted(error: unknown, { successSent }: BulkAnswer): unknown {
  const known = error instanceof BrokenBodyError ? new RequestFailure({ kind: "body-not-json" }) : error;
  if (!(known instanceof RequestFailure) || successSent.length === 0) return known;
  return new RequestFailure(
    { kind: "bulk-interrupted", because: known.failure, stored: successSent },
    { cause: error },
  );
}

/** With a key, the ids follow from it: the same request has the same. A UUID of version 8. */
async function firstId({ client }: Sender, key: string): Promise<string> {
  const hex = await sha256Hex(`bulk ${client.websiteId} ${key}`);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

/** The id of the message at an index: the first id with its last eight digits counted on. */
function nthId(first: string, index: number): string {
  const last = (Number.parseInt(first.slice(-8), 16) + index) % 2 ** 32;
  return first.slice(0, -8) + last.toString(16).padStart(8, "0");
}

class BulkRun {
  readonly answer: BulkAnswer = { successSent: [], failedSent: [] };
  readonly #deps: Deps;
  readonly #sender: Sender;
  readonly #key: string | undefined;
  readonly #firstId: string;
  readonly #attempt: string;
  #chunks = 0;
  #count = 0;

  constructor(deps: Deps, sender: Sender, key: string | undefined, first: string) {
    this.#deps = deps;
    this.#sender = sender;
    this.#key = key;
    this.#firstId = first;
    this.#attempt = deps.newId();
  }

  /** @throws RequestFailure */
  async store({ items, json }: BulkChunk): Promise<void> {
    const start = this.#count;
    this.#count += items.length;
    if (this.#count > MAX_BULK_MESSAGES) throw wrongCount(`has more than ${MAX_BULK_MESSAGES} items`);
    const messages = await this.#check(items, start);
    const options = storeOptions(this.#deps, this.#sender.client, await this.#onceKey(String(this.#chunks++), json));
    const stored = await storeOrCancel(this.#deps, options, [...messages.values()]);
    if (stored.kind === "conflict") throw new RequestFailure({ kind: "idempotency-conflict" });
    if (stored.kind === "stored") followUp(this.#deps, stored);
    const { duplicates } = stored;
    for (const [index, { messageId }] of messages) {
      this.answer.successSent.push({ index, messageId: duplicates.get(messageId) ?? messageId });
    }
  }

  /** What is right of the items, by index; what is wrong goes into the answer. */
  async #check(items: unknown[], start: number): Promise<Map<number, StoredMessage>> {
    const messages = new Map<number, StoredMessage>();
    for (const [offset, item] of items.entries()) {
      const index = start + offset;
      const { data, details } = tryFields(sendRequestSchema, item);
      if (details) {
        const errorMessage = details.map(({ field, message }) => `${field}: ${message}`).join("; ");
        this.answer.failedSent.push({ index, ...recipientOf(item), errorMessage });
      } else {
        const id = nthId(this.#firstId, index);
        messages.set(index, await toStoredMessage(this.#deps, this.#sender, data, id));
      }
    }
    return messages;
  }

  /** @throws RequestFailure when there was no message, or the key was used with a longer or shorter body */
  async finish(): Promise<void> {
    if (this.#count === 0) throw wrongCount(`must be an array of 1 to ${MAX_BULK_MESSAGES} send requests`);
    const once = await this.#onceKey("end", String(this.#count));
    if (!once) return;
    const stored = await storeOrCancel(this.#deps, storeOptions(this.#deps, this.#sender.client, once), []);
    if (stored.kind === "conflict") throw new RequestFailure({ kind: "idempotency-conflict" });
  }

  async #onceKey(part: string, bound: string): Promise<OnceKey | undefined> {
    if (this.#key === undefined) return undefined;
    const expiresAt = this.#deps.now() + IDEMPOTENCY_MILLISECONDS;
    return {
      key: `bulk:${part}:${this.#key}`,
      bodyHash: await sha256Hex(bound),
      expiresAt,
      attempt: this.#attempt,
      ...(part === "end" ? {} : { closedBy: `bulk:end:${this.#key}` }),
    };
  }
}

function wrongCount(message: string): RequestFailure {
  return new RequestFailure({ kind: "fields-wrong", details: [{ field: "messages", message }] });
}

function recipientOf(item: unknown): { phone: string | null; email: string | null } {
  const { phone, email } = (item ?? {}) as { phone?: unknown; email?: unknown };
  return { phone: typeof phone === "string" ? phone : null, email: typeof email === "string" ? email : null };
}
