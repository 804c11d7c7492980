import type { Deps } from "../../deps.ts";
import { refusedSeconds } from "../../domain/messages/retry-policy.ts";
import { LATEST_MILLISECONDS } from "../../domain/messages/sender-pace.ts";
import { describeError } from "../../platform/describe-error.ts";
import type { ClaimedMessage } from "../../store/messages/claimed-message.ts";

/**
 * Waits for the turn of a message, if its sender has a pace and its turn comes soon. Without an answer the message waits: the pace holds.
 * @returns null: it goes now; otherwise the seconds after which it asks again
 */
export async function takeTurn(deps: Deps, message: ClaimedMessage): Promise<number | null> {
  const { carrier, sender, pace, segments, isUrgent, hasWaited } = message;
  if (!pace || sender === null) return null;
  const asked = deps.now();
  try {
    const turn = await deps.turns.ask({ carrier, sender }, { segments, isUrgent, hasWaited }, pace);
    if (!turn.isGranted) return Math.ceil(turn.milliseconds / 1000);
    if (turn.milliseconds > 0) await scheduler.wait(Math.ceil(turn.milliseconds));
    return deps.now() - asked - turn.milliseconds > LATEST_MILLISECONDS ? 0 : null;
  } catch (error) {
    deps.log("warn", "sender.turn-unknown", { carrier, sender, error: describeError(error) });
    return refusedSeconds(deps.random());
  }
}
