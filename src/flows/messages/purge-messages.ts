import type { Deps } from "../../deps.ts";
import { findOldMessages, removeMessages } from "../../store/messages/retention.ts";
import { inBatches } from "../in-turn.ts";

/** Purges messages, their events and links; subscriptions and their ledger stay. @returns the number of messages */
export async function purgeMessages({ db }: Deps, before: number, mostSteps: number): Promise<number> {
  let after = 0;
  const take = async () => {
    const found = await findOldMessages(db, before, after);
    after = found.at(-1)?.age ?? after;
    return found.length === 0 ? null : [...Map.groupBy(found, ({ websiteId }) => websiteId).values()];
  };
  return inBatches(mostSteps, take, (messages) => removeMessages(db, messages));
}
