import { RequestFailure } from "../../../src/domain/failure.ts";
import { SubscriberFile } from "../../../src/domain/people/subscriber-file.ts";
import { SubscriberRows, type SubscriptionChange } from "../../../src/domain/people/subscriber-rows.ts";
import type { SubscriberPart } from "../../../src/domain/people/subscribers.ts";
import type { Outcome } from "./whole-file.ts";

export const encode = (text: string) => new TextEncoder().encode(text);

/** As if the beginning of each file were so short that pieces are read as they come. */
const BEGINNING_BYTES = 4;

export function readPieces(pieces: Uint8Array[], everyone = false): Outcome {
  const file = new SubscriberFile(Date.now(), everyone, BEGINNING_BYTES);
  const parts = pieces.flatMap((piece) => file.write(piece));
  try {
    parts.push(...file.end());
    const { invalidPhoneNumbers, invalidEmails, invalidCells } = file.invalid;
    return { changes: joinParts(parts), invalidPhoneNumbers, invalidEmails, invalidCells };
  } catch (error) {
    if (!(error instanceof RequestFailure) || error.failure.kind !== "fields-wrong") throw error;
    return { details: error.failure.details };
  }
}

/** What is stored of a number by parts that are stored one after the other. */
function joinParts(parts: SubscriberPart[]): SubscriptionChange[] {
  const rows = new SubscriberRows();
  for (const { changes } of parts) for (const change of changes) rows.add(change);
  return rows.distinct();
}

/** @param places where to cut; beyond the end, modulo the length */
export function cut(bytes: Uint8Array, places: number[]): Uint8Array[] {
  const bounds = [0, ...places.map((place) => place % (bytes.length + 1)).sort((a, b) => a - b), bytes.length];
  return bounds.slice(1).map((end, index) => bytes.slice(bounds[index], end));
}
