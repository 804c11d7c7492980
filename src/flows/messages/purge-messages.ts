import type { Deps } from "../../deps.ts";
import { findOldMessages, removeMessages } from "../../store/messages/retention.ts";
import { inBatches } from "../in-turn.ts";

/** Purges messages, their events and links; subscriptions and their ledger stay. @returns the number of messages */
export async function purgeMessages({ db }: Deps, before: number, mostSteps: number): Promise<number> {
  let after: number | null = 0;
  const take = async () => {
    if (after === null) return null;
    const found: Awaited<ReturnType<typeof findOldMessages>> = await findOldMessages(db, before, after);
    after = found.after;
    return [...Map.groupBy(found.messages, ({ websiteId }) => websiteId).values()];
  };
  return inBatches(mostSteps, take, (messages) => removeMessages(db, messages));
}
