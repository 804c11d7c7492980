// Pure. What a message is for: a frequency cap and sending hours are for marketing only.

export const KINDS = ["marketing", "transactional"] as const;

export type MessageKind = (typeof KINDS)[number];

export function kindOf(
  { transactionalPurposes }: { transactionalPurposes: string[] | null },
  { kind, sendPurpose }: { kind?: MessageKind; sendPurpose: string },
): MessageKind {
  return kind ?? (transactionalPurposes?.includes(sendPurpose) ? "transactional" : "marketing");
}
