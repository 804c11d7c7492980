// Pure. Holds what was seen from outside (the client, the carrier, the endpoint) against the service's own record.

import type { CountingReceiver } from "../../harness/counting-receiver.ts";
import { type CountingCarrier, RECEIPT } from "../../harness/fake-kannel.ts";
import { personAt, phoneAt } from "./client.ts";
import type { Load, Sent } from "./load.ts";
import type { EventRow, MessageRow, ServiceRecord } from "./record.ts";

export interface Outside {
  load: Pick<Load, "sent" | "changedIds">;
  carrier: Pick<CountingCarrier, "takenById" | "takenByPhone" | "confirmed" | "reporting" | "strays">;
  receiver: Pick<CountingReceiver, "received" | "wronglySigned">;
}

/** Counts, by the names under which they are printed. */
export type Figures = Record<string, number>;

export interface Tally {
  figures: Figures;
  /** What breaks a promise, or does not agree: one line each. */
  faults: string[];
}

/** The status that a final receipt leads to. */
const FINAL: Record<number, string> = {
  [RECEIPT.delivered]: "DELIVERED",
  [RECEIPT.failed]: "FAILED_TO_DELIVERY",
};

export function tally({ load, carrier, receiver }: Outside, record: ServiceRecord): Tally {
  const faults: string[] = [];
  const messages = tallyMessages(load.sent, carrier, record, faults);
  const callbacks = tallyCallbacks(receiver, record, faults);
  for (const key of load.changedIds) faults.push(`the repeated request ${key} was answered another id`);
  if (carrier.reporting > 0) faults.push(`receipts of ${carrier.reporting} texts were not taken`);
  if (carrier.strays > 0) faults.push(`the carrier was called ${carrier.strays} times under another path`);
  return { figures: { ...messages, ...callbacks }, faults };
}

function tallyMessages(
  sent: Map<number, Sent>,
  carrier: Outside["carrier"],
  record: ServiceRecord,
  faults: string[],
): Figures {
  const rows = new Map(record.messages.map((row) => [row.messageId, row]));
  const rowsOfPhone = Map.groupBy(record.messages, ({ phone }) => phone);
  const counts = {
    accepted: 0,
    unanswered: 0,
    "unanswered, stored": 0,
    submitted: 0,
    "submitted twice": 0,
    "submitted unasked": 0,
    lost: 0,
  };
  for (const [message, { outcome, messageId }] of sent) {
    const phone = phoneAt(message);
    const texts = carrier.takenByPhone.get(phone) ?? 0;
    const stored = rowsOfPhone.get(phone)?.length ?? 0;
    counts.submitted += texts;
    if (texts > 1) counts["submitted twice"]++;
    if (texts > 0 && personAt(message) !== "subscribed") {
      counts["submitted unasked"]++;
      faults.push(`${phone} was sent a text and is ${personAt(message)}`);
    }
    if (texts > 1 || stored > 1) faults.push(`${phone}: ${texts} texts, stored ${stored} times, of one request`);
    if (outcome === "unanswered") {
      counts.unanswered++;
      counts["unanswered, stored"] += Math.min(1, stored);
      continue;
    }
    counts.accepted++;
    const row = rows.get(String(messageId));
    const isLost = row?.phone !== phone || (personAt(message) === "subscribed" && texts === 0 && !isUnknown(row));
    if (isLost) counts.lost++;
    if (isLost) faults.push(`lost: ${messageId} to ${phone}, ${describe(row)}`);
  }
  const unrecorded = [...carrier.takenById.keys()].filter((messageId) => !rows.has(messageId));
  for (const messageId of unrecorded) faults.push(`submitted but not in the record: ${messageId}`);
  return { ...counts, ...tallyRows(record.messages, carrier, faults) };
}

/** Nobody knows whether the carrier has it, and the record says so. */
export function isUnknown(row: MessageRow | undefined): boolean {
  return row !== undefined && (row.claimed || (row.status === "SENDING" && /outcome unknown/.test(row.reason ?? "")));
}

function describe(row: MessageRow | undefined): string {
  return row ? `${row.status}${row.claimed ? ", claimed" : ""}, reason ${row.reason}` : "not in the record";
}

function tallyRows(rows: MessageRow[], carrier: Outside["carrier"], faults: string[]): Figures {
  const unknown = rows.filter(isUnknown);
  const submitted = unknown.filter(({ messageId }) => carrier.takenById.has(messageId));
  for (const row of rows) {
    const fault = rowFault(row, carrier.takenById.get(row.messageId) ?? 0, carrier.confirmed.get(row.messageId));
    if (fault) faults.push(`${row.messageId} to ${row.phone}: ${fault} (${describe(row)})`);
  }
  return {
    "outcome unknown": unknown.length,
    "unknown, 1 text": submitted.length,
    "unknown, 0 texts": unknown.length - submitted.length,
    final: rows.filter(({ status }) => status !== "PENDING_TO_SEND" && status !== "SENDING").length,
    sending: rows.filter((row) => row.status === "SENDING" && !isUnknown(row)).length,
  };
}

/** @param confirmed the last receipt that the service has confirmed */
function rowFault(row: MessageRow, texts: number, confirmed: number | undefined): string | undefined {
  if (isUnknown(row)) return texts > 1 ? `${texts} texts` : undefined;
  const final = confirmed === undefined ? undefined : FINAL[confirmed];
  if (final && row.status !== final) return `its receipt said ${final}`;
  if (!final && (row.status === "DELIVERED" || row.status === "FAILED_TO_DELIVERY")) return "no receipt said so";
  if (row.status === "PENDING_TO_SEND") return "still waits";
  const isTaken = ["SENDING", "DELIVERED", "FAILED_TO_DELIVERY"].includes(row.status);
  return texts === (isTaken ? 1 : 0) ? undefined : `${texts} texts`;
}

function tallyCallbacks(receiver: Outside["receiver"], record: ServiceRecord, faults: string[]): Figures {
  const events = new Map(record.events.map((event) => [event.eventId, event]));
  const posts = [...receiver.received];
  const cutOff = record.events.filter((event) => event.due && event.attempted && event.outcome === null);
  for (const [eventId, count] of posts) {
    if (count > 1) faults.push(`called back ${count} times: ${eventId}`);
    if (!events.get(eventId)?.attempted) faults.push(`called back but not in the record: ${eventId}`);
  }
  for (const event of record.events) {
    const fault = eventFault(event, receiver.received.get(event.eventId) ?? 0);
    if (fault) faults.push(`${event.eventId}: ${fault}`);
  }
  for (const { messageId, status } of record.messages) {
    if (status !== "PENDING_TO_SEND" && !events.has(`${messageId}_${status}`))
      faults.push(`no event: ${messageId}_${status}`);
  }
  if (receiver.wronglySigned > 0) faults.push(`${receiver.wronglySigned} callbacks were wrongly signed`);
  return {
    "callbacks due": record.events.filter(({ due }) => due).length,
    "callbacks received": posts.length,
    "called back twice": posts.filter(([, count]) => count > 1).length,
    "callbacks cut off": cutOff.length,
    "cut off, not received": cutOff.filter(({ eventId }) => !receiver.received.has(eventId)).length,
  };
}

function eventFault(event: EventRow, posts: number): string | undefined {
  if (!event.due) return posts > 0 ? "called back but not due" : undefined;
  if (!event.attempted) return "its callback still waits";
  if (event.outcome === null) return undefined;
  if (event.outcome === "answered" && event.httpStatus === 200)
    return posts === 0 ? "recorded but not received" : undefined;
  return `the callback is recorded as ${event.outcome} ${event.httpStatus}`;
}
