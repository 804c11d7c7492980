import type { Deps } from "../../deps.ts";
import { chunk } from "../../domain/chunk.ts";
import { homeOf } from "../../domain/databases/home.ts";
import { type AboutMessage, stripWords, withoutWords } from "../../domain/messages/carrier-words.ts";
import type { Job } from "../../domain/messages/job.ts";
import { readSubmitted, recordReceipts, type SentReceipt } from "../../store/messages/receipts.ts";
import { findRecipient, optOutRecipient } from "../../store/people/opt-out-at-carrier.ts";
import { inTurn, togetherOrInTurn } from "../in-turn.ts";
import { unlessItFails } from "../unless-it-fails.ts";
import { queueCallbacks } from "./queue-jobs.ts";
import { rehearse } from "./rehearse.ts";

/** Applies what a carrier has reported in these jobs. Safe to run again. */
export async function applyReports(deps: Deps, jobs: (Job & { kind: "receipts" })[]): Promise<void> {
  const receipts = jobs.flatMap((job) => job.receipts.map((receipt) => ({ ...receipt, carrier: job.carrier })));
  if (receipts.length > 0) await applyReceipts(deps, receipts);
  const rehearsals = jobs.flatMap((job) => job.rehearsals ?? []);
  await inTurn(rehearsals, (rehearsal) => rehearse(deps, rehearsal));
}

/** A transaction of more would hold up sends. */
const MESSAGES_A_CALL = 100;

/**
 * Applies receipts to the statuses of their messages, a hundred messages in a transaction, and queues the callbacks. If a transaction
 * fails by a fault of one of its messages, each of them gets one of its own. Receipts may come early, late, twice or out of order: a
 * final status stays. Safe to run again.
 */
export async function applyReceipts(deps: Deps, brought: SentReceipt[]): Promise<void> {
  const receipts = await withoutTheirWords(deps, brought);
  const messages = [...Map.groupBy(receipts, ({ messageId }) => messageId).values()];
  const optedOut = receipts.filter((receipt) => receipt.optedOut);
  // If one of the two fails, the other is done all the same.
  const apply = [
    () =>
      inTurn(chunk(messages, MESSAGES_A_CALL), (part) => togetherOrInTurn(part, (some) => applyTogether(deps, some))),
    () => optOutAtCarrier(deps, optedOut),
  ];
  await inTurn(apply, (next) => next());
}

/** The receipts without what a carrier repeats of a message. Where the message cannot be read now, all of the words are left out. */
async function withoutTheirWords(deps: Deps, receipts: SentReceipt[]): Promise<SentReceipt[]> {
  // Carriers have words only for what went wrong: a batch of other receipts stays one call of D1.
  const hasWords = ({ status, reason }: SentReceipt) =>
    status !== "DELIVERED" && reason !== null && withoutWords(reason) !== reason;
  const ids = [...new Set(receipts.filter(hasWords).map(({ messageId }) => messageId))];
  if (ids.length === 0) return receipts;
  const submitted = new Map<string, AboutMessage>();
  await unlessItFails(deps, "receipts.words-dropped", { count: ids.length }, async () => {
    for (const [messageId, message] of await readSubmitted(deps.db, ids)) submitted.set(messageId, message);
  });
  return receipts.map((receipt) => {
    const { messageId, reason } = receipt;
    if (reason === null || !hasWords(receipt)) return receipt;
    const message = submitted.get(messageId);
    return { ...receipt, reason: message ? stripWords(reason, message) : withoutWords(reason) };
  });
}

async function applyTogether(deps: Deps, receipts: SentReceipt[]): Promise<void> {
  await queueCallbacks(deps, await recordReceipts(deps.db, receipts, deps.now()));
}

/** Opts out the recipients of messages who have opted out at the carrier. The ledger gets one entry per message. */
export async function optOutAtCarrier(
  deps: Deps,
  messages: { messageId: string; reason: string | null; carrier?: string }[],
): Promise<void> {
  await inTurn(messages, async ({ messageId, reason, carrier }) => {
    const recipient = await findRecipient(deps.db, messageId);
    if (!recipient || (carrier !== undefined && recipient.carrier !== carrier)) return;
    const origin = { source: "carrier", proof: reason ?? messageId, now: deps.now() } as const;
    const run = recipient.hasListeners ? deps.newId(homeOf(messageId)) : null;
    await queueCallbacks(deps, await optOutRecipient(deps.db, messageId, recipient, origin, run));
  });
}
