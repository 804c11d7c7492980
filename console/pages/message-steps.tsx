import type { JSX } from "preact";
import type { Callback, Message } from "../answers.ts";
import { evidenceOf, sourceWords } from "../lib/audit-words.ts";
import { capitalized, countOf } from "../lib/numbers.ts";
import { lookOfStatus, whyOf } from "../lib/status-words.ts";
import { answerOf, carrierOf, clientOf, groupTries, type Tries } from "../lib/story.ts";
import { formatSeconds, formatShortSpan, formatSpan, formatTime } from "../lib/times.ts";
import { Copy } from "../parts/copy.tsx";
import type { Step } from "../parts/timeline.tsx";

/** What happened to a message, the oldest first, and what will. */
export function stepsOf(message: Message, now: number): Step[] {
  const failed = message.callbacks.find((it) => it.attemptedAt !== null && !answerOf(it).isTaken)?.eventId;
  const past: Step[] = [
    acceptance(message),
    ...consent(message, now),
    ...hold(message),
    ...groupTries(message.submissions).map((tries, index) => tryStep(message, tries, index)),
    ...message.events.flatMap((event) => outcome(message, event)),
    ...message.callbacks.flatMap((callback) => post(message, callback, callback.eventId === failed)),
    ...clicks(message),
  ];
  // A sort keeps the order of what has the same time.
  past.sort((one, other) => new Date(one.at).getTime() - new Date(other.at).getTime());
  return [...past, ...future(message, now)];
}

const acceptance = (message: Message): Step => ({
  key: "accepted",
  at: message.acceptedAt,
  icon: "messages",
  what: `Accepted from ${clientOf(message)}`,
  rest: `for ${message.sendPurpose}`,
});

function consent({ consent, acceptedAt, status }: Message, now: number): Step[] {
  if (!consent) return [];
  const { subscribed, since, source, operator, proof, changeId } = consent;
  const state = subscribed ? "Subscribed" : since && source !== "undo" ? "Opted out" : "Not subscribed";
  const from = since
    ? `Since ${formatTime(since, now)}, ${sourceWords(source ?? "", operator)}`
    : "Nobody had subscribed this number";
  return [
    {
      key: "consent",
      at: acceptedAt,
      icon: subscribed ? "shield" : "none",
      tone: subscribed ? "ok" : "plain",
      what: `${state} at that moment`,
      explanation: [
        `${from}.`,
        evidenceOf(consent, now),
        status === "PENDING_TO_SEND" && "It is looked at again when the text goes.",
      ]
        .filter(Boolean)
        .join(" "),
      ...(proof && {
        details: {
          label: "Proof",
          content: <pre class="words">{changeId === null ? proof : `#${changeId} ${proof}`}</pre>,
        },
      }),
    },
  ];
}

function hold({ waits, acceptedAt }: Message): Step[] {
  const held = waits?.held;
  if (!held) return [];
  return [
    {
      key: "held",
      at: held.since > acceptedAt ? held.since : acceptedAt,
      icon: "held",
      what: `Held by ${held.by}`,
      explanation: held.reason && `“${held.reason}”`,
    },
  ];
}

const OUTCOMES: Record<string, { words: string; icon: Step["icon"]; tone: "bad" | "wait" | "plain" }> = {
  accepted: { words: "took it", icon: "sending", tone: "plain" },
  refused: { words: "refused it", icon: "failed", tone: "bad" },
  later: { words: "could not take it yet", icon: "waiting", tone: "wait" },
  limited: { words: "could not take it from this sender yet", icon: "waiting", tone: "wait" },
  unauthorized: { words: "refused our account", icon: "failed", tone: "bad" },
  skipped: { words: "was not asked: it is paused", icon: "waiting", tone: "wait" },
  unknown: { words: "gave no answer", icon: "no-receipt", tone: "wait" },
};

function tryStep(message: Message, tries: Tries, index: number): Step {
  const { words, icon, tone } = OUTCOMES[tries.outcome] ?? {
    words: tries.outcome,
    icon: "none" as const,
    tone: "plain" as const,
  };
  const carrier = carrierOf(message);
  const many = tries.count > 1;
  return {
    key: `try ${index}`,
    at: tries.until,
    icon,
    tone,
    what: many ? `${countOf(tries.count, "more try", "more tries")} of ${carrier}, same answer` : `${carrier} ${words}`,
    rest: many ? undefined : index === 0 ? "first try" : "another try",
    explanation: many ? (
      `The first of them ${formatSeconds(tries.at)}.`
    ) : tries.outcome === "accepted" && message.carrierMessageId ? (
      <>
        It is <Copy value={message.carrierMessageId} what="The carrier’s id" /> there.
      </>
    ) : undefined,
    ...(tries.reason &&
      !many && {
        details: {
          label: `${carrier}’s words`,
          content: <pre class="words">{tries.reason}</pre>,
          isOpen: index === 0 && tone === "bad",
        },
      }),
  };
}

/** What the carrier's receipt, or the service, has decided. The submission that led to SENDING shows it. */
function outcome(
  message: Message,
  { eventId, eventType, status, reason, occurredAt }: Message["events"][number],
): Step[] {
  if (eventType !== "message.status" || !status || status === "SENDING") return [];
  const look = lookOfStatus(status);
  const took = message.submissions.find((it) => it.outcome === "accepted")?.at;
  const isReceipt = status === "DELIVERED" || status === "FAILED_TO_DELIVERY";
  const [why, detail] = reason ? whyOf(reason, message.reasonDetail) : [];
  const words = why ? `${why}${detail ? `: ${detail}` : ""}.` : "";
  const after =
    isReceipt && took
      ? `Receipt of ${carrierOf(message)}, ${formatSpan(Math.max(0, Date.parse(occurredAt) - Date.parse(took)))} after it took the text.`
      : "";
  return [
    {
      key: `outcome ${eventId}`,
      at: occurredAt,
      icon: look.shape,
      tone: look.tone,
      what: look.word,
      explanation: [after, capitalized(words)].filter(Boolean).join(" "),
    },
  ];
}

function post(message: Message, callback: Callback, isFirstFailure: boolean): Step[] {
  if (callback.attemptedAt === null) return [];
  const { words, isTaken } = answerOf(callback);
  const event = message.events.find(({ eventId }) => eventId === callback.eventId);
  const name = event?.status && event.eventType === "message.status" ? event.status : "of the click";
  const took = callback.durationMilliseconds === null ? "" : `, ${formatShortSpan(callback.durationMilliseconds)}`;
  return [
    {
      key: `callback ${callback.eventId}`,
      at: callback.attemptedAt,
      icon: "callback",
      tone: isTaken ? "plain" : "bad",
      what: `Callback ${name}`,
      rest: words,
      explanation: isFirstFailure ? "Posted once and not again. The client can read it in its events." : undefined,
      details: {
        label: `Request and answer${took}`,
        content: <PostAndAnswer message={message} callback={callback} />,
        isOpen: isFirstFailure,
      },
    },
  ];
}

function PostAndAnswer({ message, callback }: { message: Message; callback: Callback }): JSX.Element {
  const event = message.events.find(({ eventId }) => eventId === callback.eventId);
  const body = {
    eventId: callback.eventId,
    eventType: event?.eventType,
    status: event?.status,
    callbackData: message.callbackData,
  };
  const answer = [callback.httpStatus ?? callback.outcome, callback.response].filter(Boolean).join("\n");
  return (
    <div class="post-and-answer">
      <div>
        <h3>We posted</h3>
        <pre class="words">{JSON.stringify(body, null, 1)}</pre>
      </div>
      <div>
        <h3>{clientOf(message)} answered</h3>
        <pre class="words">{answer || "nothing"}</pre>
      </div>
    </div>
  );
}

/** The first of all clicks; robots are named and not counted. */
function clicks({ clicks: { people, robots, firstAt }, clickUrl, updatedAt }: Message): Step[] {
  if (firstAt === null && robots === 0) return [];
  const opened = `${countOf(robots, "preview robot")} opened it; that is not counted.`;
  if (firstAt === null)
    return [{ key: "robots", at: updatedAt, icon: "click", what: "Opened by a robot", explanation: opened }];
  return [
    {
      key: "click",
      at: firstAt,
      icon: "click",
      tone: "ok",
      what: "Clicked by a person",
      rest:
        people > 1
          ? `and ${people - 1} more times`
          : `${formatSpan(Math.max(0, Date.parse(firstAt) - Date.parse(updatedAt)))} later`,
      explanation: `The link to ${clickUrl ?? "the page"}.${robots > 0 ? ` ${opened}` : ""}`,
    },
  ];
}

function future(message: Message, now: number): Step[] {
  if (message.status !== "PENDING_TO_SEND") return [];
  const steps: Step[] = [];
  const next = message.retryAt ?? message.waits?.until ?? null;
  if (next && Date.parse(next) > now)
    steps.push({
      key: "next",
      at: next,
      icon: "waiting",
      what: message.waits?.hours ? "The hours open" : message.scheduledFor === next ? "Its time" : "Next try",
      explanation: `In ${formatSpan(Date.parse(next) - now)}.`,
      isFuture: true,
    });
  if (message.endsAt && Date.parse(message.endsAt) > now)
    steps.push({
      key: "end",
      at: message.endsAt,
      icon: "cancelled",
      what: "The last try",
      explanation: `Then it is not sent, and ${clientOf(message)} is told.`,
      isFuture: true,
    });
  return steps;
}
