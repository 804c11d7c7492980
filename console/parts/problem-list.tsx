import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { Problem } from "../answers.ts";
import { ask } from "../lib/ask.ts";
import { countOf } from "../lib/numbers.ts";
import { type Act, wordsOf } from "../lib/problem-words.ts";
import { cityOf, formatClockIn, formatSpan } from "../lib/times.ts";
import { useAct } from "../lib/use-act.ts";
import { ActButton, Button, ButtonLink, FailureLine } from "./button.tsx";
import { copyText } from "./copy.tsx";
import { Icon } from "./icon.tsx";
import { Time, useNow } from "./time.tsx";
import { tellDone } from "./toast.tsx";

const WHOLE = 2;

/** Two stand whole; with three or more, the others have a line each, until one wants to see them. */
export function ProblemList({ problems, isWhole }: { problems: Problem[]; isWhole?: boolean }): JSX.Element {
  const [isOpen, setOpen] = useState(isWhole ?? false);
  const dark = problems.findIndex((problem) => wordsOf(problem).acts.some((act) => "try" in act));
  return (
    <div class="problem-list">
      {problems.map((problem, index) =>
        index < WHOLE || isOpen ? (
          <ProblemRow key={keyOf(problem)} problem={problem} isDark={index === dark} />
        ) : (
          <article class="problem folded" key={keyOf(problem)}>
            <Icon name="problem" class={wordsOf(problem).tone} />
            <h2>
              {wordsOf(problem).sentence} <Since problem={problem} />
            </h2>
            <Button kind="text" onPress={() => setOpen(true)}>
              What to do
            </Button>
          </article>
        ),
      )}
    </div>
  );
}

const keyOf = ({ problem, carrier, sender, websiteId, clientId, database }: Problem) =>
  [problem, carrier, sender, websiteId, clientId, database].join(" ");

function Since({ problem }: { problem: Problem }): JSX.Element | null {
  const now = useNow();
  if (problem.since === null) return null;
  return (
    <span class="since">
      since <Time at={problem.since} />, {formatSpan(now - Date.parse(problem.since))}
    </span>
  );
}

/** What and since when; whom it hurts, and whether anything is lost; the other side's own words; what to do. */
function ProblemRow({ problem, isDark }: { problem: Problem; isDark: boolean }): JSX.Element {
  const { sentence, count, effect, steps, acts, tone } = wordsOf(problem);
  const trying = useAct();
  const { timeZone, cause, nextTryAt } = problem;
  const speaker = problem.carrier ?? problem.clientName ?? problem.host;
  return (
    <article class="problem">
      <Icon name="problem" class={tone} />
      <div>
        <h2>
          {sentence} <Since problem={problem} />
        </h2>
        <p>
          {count && <a href={count.href}>{count.words}</a>}
          {effect}
          {timeZone && ` In ${cityOf(timeZone)} it is ${formatClockIn(timeZone, Date.now())}.`}
        </p>
        {cause && (
          <p class="said">
            {speaker ? `${speaker} says` : "It says"} <code class="words">{cause}</code>
          </p>
        )}
        {nextTryAt && (
          <p class="small dim">
            Next try <Time at={nextTryAt} as="seconds" />.
          </p>
        )}
        <FailureLine failure={trying.failure} />
      </div>
      <div class="problem-do">
        <ol>
          {steps.map((step, index) => (
            <li key={step}>
              <span>{index + 1}</span>
              <p>
                {step} {index === steps.length - 1 && <a href={`/docs/operator#${problem.problem}`}>Runbook</a>}
              </p>
            </li>
          ))}
        </ol>
        <div class="acts">
          {acts.map((act) => (
            <ActOf key={act.label} act={act} isDark={isDark} trying={trying} />
          ))}
        </div>
      </div>
    </article>
  );
}

function ActOf({ act, isDark, trying }: { act: Act; isDark: boolean; trying: ReturnType<typeof useAct> }): JSX.Element {
  if ("go" in act) return <ButtonLink href={act.go}>{act.label}</ButtonLink>;
  if ("note" in act)
    return <Button onPress={() => void copyText(act.note, "A note for its developers")}>{act.label}</Button>;
  return (
    <ActButton
      kind={isDark ? "dark" : "plain"}
      isOff={trying.isBusy}
      onPress={() => void trying.run(() => tryCarrier(act.try))}
    >
      {act.label}
    </ActButton>
  );
}

/** @throws Failure */
export async function tryCarrier(carrier: string): Promise<void> {
  const { due } = await ask<{ due: number }>(`/operator/carriers/${encodeURIComponent(carrier)}/try`, {
    method: "POST",
  });
  tellDone(
    due === 0
      ? `${carrier} is tried with the next text.`
      : `${countOf(due, "text")} of ${carrier} ${due === 1 ? "is" : "are"} tried now.`,
  );
}
