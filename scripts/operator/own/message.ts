import { describeStatus } from "../../../src/domain/callbacks/edge-status.ts";
import type { MessageAnswers } from "../../../src/operator/answers/messages.ts";
import type { Own } from "../command.ts";
import { type Cell, toTable } from "../table.ts";

type Message = MessageAnswers["OperatorMessage"];

/** The story of a message, in the order of time. */
export const MESSAGE: Own = { show: showMessage };

const FACTS = [
  "messageId",
  "status",
  "reason",
  "reasonDetail",
  "phone",
  "email",
  "text",
  "mediaUrl",
  "clickUrl",
  "callbackData",
  "sendPurpose",
  "ignoredFields",
  "websiteId",
  "websiteName",
  "clientId",
  "clientName",
  "encoding",
  "segments",
  "carrier",
  "carrierMessageId",
  "attempts",
] as const satisfies (keyof Message)[];

function showMessage(answer: string): string {
  const message = JSON.parse(answer) as Message;
  const facts = FACTS.map((field) => [
    field,
    Array.isArray(message[field]) ? message[field].join(", ") : message[field],
  ]);
  const steps = [...message.submissions.map(submissionRows), ...timeline(message)];
  const inOrder = steps.toSorted(([one], [other]) => String(one?.[0]).localeCompare(String(other?.[0])));
  const times: Cell[][] = [[message.acceptedAt, "accepted", ""], ...inOrder.flat()];
  const { waits } = message;
  const until = waits?.until ? ` until ${waits.until}` : "";
  const waiting = waits ? ["", `It waits${until} for: ${waits.because}.`] : [];
  return [toTable(facts.filter(([, value]) => value !== null)), "", toTable(times), ...waiting].join("\n");
}

/** Each step has a row, and perhaps more. */
function submissionRows({ at, attempt, outcome, reason }: Message["submissions"][number]): Cell[][] {
  const words = reason ? `: ${reason.slice(0, 200)}` : "";
  return [[at, attempt === null ? "not submitted" : `submission ${attempt}`, outcome + words]];
}

function timeline({ events, callbacks, callbackData }: Message): Cell[][][] {
  const byEvent = new Map(callbacks.map((callback) => [callback.eventId, callback]));
  return events.map(({ eventId, eventType, status, reason, occurredAt }) => {
    const callback = byEvent.get(eventId);
    const what = eventType === "message.status" ? status : eventType.replace("message.", "");
    const why = reason ? `${reason}, ` : "";
    const response = callback?.response ? [["", "", `  ${callback.response.slice(0, 200)}`]] : [];
    return [[occurredAt, what, why + describeCallback(callback, callbackData)], ...response];
  });
}

/** @param callbackData undefined: a viewer does not get it */
function describeCallback(callback: Message["callbacks"][number] | undefined, callbackData?: string): string {
  if (!callback) {
    if (callbackData === undefined) return "no callback";
    return `no callback: ${callbackData === "" ? "callbackData is empty" : "the client had no URL, or does not ask for this event"}`;
  }
  const { attemptedAt, outcome, httpStatus, durationMilliseconds } = callback;
  if (attemptedAt === null) return "callback waits to be posted";
  if (outcome === null) return "callback is being posted, or its outcome is unknown";
  const what = outcome === "answered" ? describeStatus(httpStatus) : outcome;
  return `callback ${what} after ${durationMilliseconds} ms`;
}
