// Pure. What a message is for: a frequency cap and sending hours are for marketing only.

export const KINDS = ["marketing", "transactional"] as const;

export type MessageKind = (typeof KINDS)[number];

/** What decides the kind of the messages of a website: see WebsiteSettings. */
interface KindSettings {
  transactionalPurposes: string[] | null;
  isCapped: boolean;
}

export function kindOf(
  { transactionalPurposes }: Pick<KindSettings, "transactionalPurposes">,
  { kind, sendPurpose }: { kind?: MessageKind; sendPurpose: string },
): MessageKind {
  return kind ?? (transactionalPurposes?.includes(sendPurpose) ? "transactional" : "marketing");
}

/**
 * The kind of a message as it is stored. undefined: marketing of a website without a cap. So a message that no cap concerns costs
 * nothing more to store, and its claim looks for no cap.
 */
export const kindToStore = (
  kind: MessageKind,
  { isCapped }: Pick<KindSettings, "isCapped">,
): MessageKind | undefined => (kind === "transactional" || isCapped ? kind : undefined);
