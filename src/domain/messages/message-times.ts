// Pure. When a message may go, and until when: as its request says, and as the sending hours of its website have it.
import type { Credentials } from "../clients/client.ts";
import { toE164 } from "../people/phone.ts";
import { ruleOn } from "./closed-hours.ts";
import { kindOf } from "./kind.ts";
import type { NewMessage } from "./new-message.ts";
import type { SendRequest } from "./send-request.ts";
import { PAST_MILLISECONDS } from "./send-times.ts";

type Settings = Pick<Credentials, "sendingHours" | "transactionalPurposes">;
type Times = Pick<NewMessage, "sendAt" | "expiresAt" | "opensAt" | "refusedAs" | "refusedBecause">;

/** Whether sending hours hold it: they are for marketing only. */
const isHeldToHours = (client: Settings, request: Pick<SendRequest, "kind" | "sendPurpose">): boolean =>
  client.sendingHours !== null && kindOf(client, request) === "marketing";

/**
 * Each is left out where it says nothing: the message may go at once, and until SUBMIT_WITHIN_HOURS are over.
 * @param phone as digits; undefined: no number is known, and sending hours are asked when it goes
 * @param submitWithin SUBMIT_WITHIN_HOURS in milliseconds
 */
export function timesOf(
  client: Settings,
  request: SendRequest,
  phone: number | undefined,
  { messageId, acceptedAt }: Pick<NewMessage, "messageId" | "acceptedAt">,
  submitWithin: number,
): Times {
  const { sendAt } = request;
  // A part of a bulk request may be stored by a repetition, which finds times valid that are past. They still end it.
  const isLate = sendAt !== undefined && sendAt < acceptedAt - PAST_MILLISECONDS;
  const expireAt = request.expireAt ?? (isLate ? sendAt + submitWithin : undefined);
  const asked: Times = {
    ...(sendAt === undefined || sendAt <= acceptedAt ? {} : { sendAt }),
    ...(expireAt === undefined ? {} : { expiresAt: expireAt }),
  };
  const { sendingHours } = client;
  if (sendingHours === null || phone === undefined || !isHeldToHours(client, request)) return asked;
  const message = { ...request, ...asked, messageId, phone: toE164(phone) };
  const ruling = ruleOn(sendingHours, message, asked.sendAt ?? acceptedAt);
  if (ruling.kind === "ends") return { ...asked, refusedAs: ruling.code, refusedBecause: ruling.because };
  return ruling.kind === "waits" ? { ...asked, sendAt: ruling.sendAt, opensAt: ruling.opensAt } : asked;
}
