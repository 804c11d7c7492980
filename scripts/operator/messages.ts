import { describeStatus } from "../../src/domain/callbacks/edge-status.ts";
import type { MessageAnswers } from "../../src/http/operator/messages.ts";
import { callOperator } from "./api.ts";
import { type Command, segment, toQuery } from "./command.ts";
import { type Cell, toTable } from "./table.ts";

type Message = MessageAnswers["OperatorMessage"];

const FILTERS = {
  website: { value: "<websiteId>", summary: "required, unless a phone is given" },
  phone: { value: "<phone>", summary: "to this number" },
  email: { value: "<address>", summary: "to this address" },
  status: { value: "<status>", summary: "such as FAILED_TO_SEND" },
  reason: { value: "<reason>", summary: "such as OUTCOME_UNKNOWN" },
  purpose: { value: "<sendPurpose>", summary: "with this sendPurpose" },
  client: { value: "<clientId>", summary: "of this client" },
  from: { value: "<time>", summary: "accepted then or later, such as 2026-11-21T14:05:00Z" },
  until: { value: "<time>", summary: "accepted before" },
  cursor: { value: "<next>", summary: "the next page, as the one before says" },
};

export const MESSAGE_COMMANDS: Command[] = [
  {
    name: "messages",
    parameters: [],
    summary: "find messages, the latest first, 100 at a time",
    options: FILTERS,
    run: (service, _, values) => {
      const given = Object.fromEntries(Object.keys(FILTERS).map((name) => [name, values[name]]));
      return callOperator(service, "GET", `/messages${toQuery(given)}`);
    },
    show: showFound,
  },
  {
    name: "message",
    parameters: ["<messageId>"],
    summary: "show what became of a message, and what its callbacks were answered",
    options: {},
    run: (service, [id]) => callOperator(service, "GET", `/messages/${segment(id)}`),
    show: showMessage,
  },
];

function showFound(answer: string): string {
  const { messages, next } = JSON.parse(answer) as MessageAnswers["FoundMessages"];
  const more = next ? ["", `There may be more: --cursor ${next}`] : [];
  if (messages.length === 0) return ["No messages.", ...more].join("\n");
  const rows = messages.map((it): Cell[] => [
    ...[it.acceptedAt, it.status, it.phone ?? it.email, it.websiteId, it.sendPurpose, it.carrierMessageId],
    ...[it.messageId, it.reason, it.reasonDetail],
  ]);
  const head = ["ACCEPTED", "STATUS", "TO", "WEBSITE", "PURPOSE", "CARRIER'S ID", "ID", "REASON", "DETAIL"];
  return [toTable([head, ...rows]), ...more].join("\n");
}

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

function timeline({ events, callbacks }: Message): Cell[][][] {
  const byEvent = new Map(callbacks.map((callback) => [callback.eventId, callback]));
  return events.map(({ eventId, eventType, status, reason, occurredAt }) => {
    const callback = byEvent.get(eventId);
    const what = eventType === "message.status" ? status : eventType.replace("message.", "");
    const why = reason ? `${reason}, ` : "";
    const response = callback?.response ? [["", "", `  ${callback.response.slice(0, 200)}`]] : [];
    return [[occurredAt, what, why + describeCallback(callback)], ...response];
  });
}

function describeCallback(callback: Message["callbacks"][number] | undefined): string {
  if (!callback) return "no callback wanted";
  const { attemptedAt, outcome, httpStatus, durationMilliseconds } = callback;
  if (attemptedAt === null) return "callback waits to be posted";
  if (outcome === null) return "callback is being posted, or its outcome is unknown";
  const what = outcome === "answered" ? describeStatus(httpStatus) : outcome;
  return `callback ${what} after ${durationMilliseconds} ms`;
}
