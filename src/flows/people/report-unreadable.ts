import type { InboundText } from "../../carriers/carrier.ts";
import type { Deps } from "../../deps.ts";
import { countUnreadable } from "../../store/people/unreadable-texts.ts";
import { inFirst } from "../databases/places.ts";

const CHARSET = /^[\w.:+()-]+$/;

/**
 * Logs and counts what cannot be read of a call for inbound texts, for an operator: an opt-out may be in it. Only the names of character sets
 * are stored of it.
 * @param texts what could be read of the call; none: its form is unknown
 * @throws RequestFailure store-unavailable: the carrier calls again
 */
export async function reportUnreadable(
  deps: Deps,
  requestId: string,
  carrier: string,
  texts: InboundText[],
): Promise<void> {
  const charsets = texts.flatMap(({ unknownCharset }) => unknownCharset ?? []);
  for (const charset of charsets) deps.log("warn", "inbound.charset-unknown", { requestId, carrier, charset });
  if (texts.length === 0) deps.log("warn", "inbound.unreadable", { requestId, carrier });
  const faults = charsets.map((charset) => `character set ${CHARSET.test(charset) ? charset : "(no name)"}`);
  for (const fault of texts.length === 0 ? ["unknown form"] : faults)
    await countUnreadable(inFirst(deps).db, carrier, fault, deps.now());
}
