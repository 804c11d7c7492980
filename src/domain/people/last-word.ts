// Pure. Who has the last word on a number. An opt-out counts when it is stored, whoever brings it. A START counts unless an opt-out or the
// erasure of the number is later.

/** Why a keyword had no effect. */
export const WITHOUT_EFFECT = ["no-website", "no-phone-number", "later-opt-out", "unknown-person"] as const;

export type WithoutEffect = (typeof WITHOUT_EFFECT)[number];

/** When a person has sent a text, for its rank among the opt-outs of the number. Milliseconds since 1970. */
export interface Sent {
  /** By the carrier's clock, which ranks texts of this carrier among each other; null: it does not say. */
  sentAt: number | null;
  /** Ranks a START among all other opt-outs, by when these were stored. */
  rankAt: number;
}

/** @param sentAt by the carrier's clock. A time in whole seconds is the end of its second. @param arrivedAt by ours */
export function sentOf(sentAt: number | undefined, arrivedAt: number): Sent {
  if (sentAt === undefined || !Number.isFinite(sentAt)) return { sentAt: null, rankAt: arrivedAt };
  const at = sentAt % 1000 === 0 ? sentAt + 999 : sentAt;
  return { sentAt: at, rankAt: at };
}
