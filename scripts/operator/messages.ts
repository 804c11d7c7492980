import type { MessageAnswers } from "../../src/http/operator/messages.ts";
import { callOperator } from "./api.ts";
import { type Command, segment } from "./command.ts";
import { type Cell, toTable } from "./table.ts";

type Message = MessageAnswers["OperatorMessage"];

export const MESSAGE_COMMANDS: Command[] = [
  {
    name: "message",
    parameters: ["<messageId>"],
    summary: "show what became of a message, and what its callbacks were answered",
    options: {},
    run: (service, [id]) => callOperator(service, "GET", `/messages/${segment(id)}`),
    show: showMessage,
  },
];

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
  "websiteId",
  "clientId",
  "carrier",
  "carrierMessageId",
  "attempts",
] as const satisfies (keyof Message)[];

function showMessage(answer: string): string {
  const message = JSON.parse(answer) as Message;
  const facts = FACTS.map((field) => [field, message[field]]);
  const times = [[message.acceptedAt, "accepted", ""], ...timeline(message)];
  const { waits } = message;
  const until = waits?.until ? ` until ${waits.until}` : "";
  const waiting = waits ? ["", `It waits${until} for: ${waits.because}.`] : [];
  return [toTable(facts.filter(([, value]) => value !== null)), "", toTable(times), ...waiting].join("\n");
}

function timeline({ events, callbacks }: Message): Cell[][] {
  const byEvent = new Map(callbacks.map((callback) => [callback.eventId, callback]));
  return events.flatMap(({ eventId, eventType, status, occurredAt }) => {
    const callback = byEvent.get(eventId);
    const what = eventType === "message.status" ? status : eventType.replace("message.", "");
    const response = callback?.response ? [["", "", `  ${callback.response.slice(0, 200)}`]] : [];
    return [[occurredAt, what, describeCallback(callback)], ...response];
  });
}

function describeCallback(callback: Message["callbacks"][number] | undefined): string {
  if (!callback) return "no callback wanted";
  const { attemptedAt, outcome, httpStatus, durationMilliseconds } = callback;
  if (attemptedAt === null) return "callback waits to be posted";
  if (outcome === null) return "callback is being posted, or its outcome is unknown";
  const what = outcome === "answered" ? `answered ${httpStatus}` : outcome;
  return `callback ${what} after ${durationMilliseconds} ms`;
}
