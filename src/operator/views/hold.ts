import type { Hold } from "../../domain/messages/hold.ts";
import { toTime } from "../../http/time.ts";

export function holdView({ holdId, sendPurpose, clientId, since, by, reason }: Hold) {
  return { holdId, sendPurpose, clientId, since: toTime(since), by, reason };
}
