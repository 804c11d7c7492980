// Pure. What a message is for: a frequency cap is for marketing only.

export const KINDS = ["marketing", "transactional"] as const;

export type MessageKind = (typeof KINDS)[number];

/** What decides the kind of the messages of a website: see WebsiteSettings. */
interface KindSettings {
  transactionalPurposes: string[] | null;
  isCapped: boolean;
}

/**
 * The kind of a message as it is stored. undefined: marketing of a website without a cap. So a message that no cap concerns costs
 * nothing more to store, and its claim looks for no cap.
 */
export function kindToStore(
  { transactionalPurposes, isCapped }: KindSettings,
  { kind, sendPurpose }: { kind?: MessageKind; sendPurpose: string },
): MessageKind | undefined {
  const listed = transactionalPurposes?.includes(sendPurpose) ? "transactional" : "marketing";
  const actual = kind ?? listed;
  return actual === "transactional" || isCapped ? actual : undefined;
}
