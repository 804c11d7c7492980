import type { ComponentChildren, JSX } from "preact";
import { Fragment } from "preact";
import { formatDayHeading, isSameDay } from "../lib/times.ts";
import { Icon, type IconName } from "./icon.tsx";
import { Time } from "./time.tsx";

export interface Step {
  key: string;
  at: string | number;
  icon: IconName;
  tone?: "ok" | "bad" | "wait" | "plain";
  /** What happened, and the gray rest of the sentence. */
  what: ComponentChildren;
  rest?: ComponentChildren;
  explanation?: ComponentChildren;
  details?: { label: string; content: ComponentChildren; isOpen?: boolean } | undefined;
  content?: ComponentChildren;
  isFuture?: boolean;
}

/** A gap that is longer is dashed: the steps are not of one sequence. */
const LONG_GAP = 5 * 60_000;

interface Props {
  label: string;
  steps: Step[];
  precision: "tenths" | "seconds";
  now: number;
}

/** What happened, in the order given, by day. A line tells what was from what will be. */
export function Timeline({ label, steps, precision, now }: Props): JSX.Element {
  const headingOf = (at: Step["at"], above: Step["at"] | undefined) =>
    (above === undefined || !isSameDay(above, at)) && (
      <li class="timeline-day">
        <h2>{formatDayHeading(at, now)}</h2>
      </li>
    );
  return (
    <ol class="timeline" aria-label={label}>
      {steps.map((step, index) => {
        const [before, after] = [steps[index - 1], steps[index + 1]];
        const isNow = step.isFuture && !before?.isFuture;
        return (
          <Fragment key={step.key}>
            {isNow && (
              <>
                {headingOf(now, before?.at)}
                <li class="timeline-now">
                  <span>
                    Now, <Time at={now} as="seconds" />
                  </span>
                </li>
              </>
            )}
            {headingOf(step.at, isNow ? now : before?.at)}
            <StepRow step={step} precision={precision} rail={railOf(step, after)} />
          </Fragment>
        );
      })}
    </ol>
  );
}

/** The line to the next step of the same day. */
function railOf(step: Step, after: Step | undefined): "" | "solid" | "dashed" {
  if (!after || !isSameDay(step.at, after.at) || (after.isFuture && !step.isFuture)) return "";
  const gap = Math.abs(new Date(after.at).getTime() - new Date(step.at).getTime());
  return step.isFuture || gap > LONG_GAP ? "dashed" : "solid";
}

function StepRow({
  step,
  precision,
  rail,
}: {
  step: Step;
  precision: "tenths" | "seconds";
  rail: string;
}): JSX.Element {
  const { at, icon, tone = "plain", what, rest, explanation, details, content, isFuture } = step;
  return (
    <li class={`step ${rail} ${isFuture ? "future" : ""}`}>
      <span class="step-time">
        <Time at={at} as={precision} />
      </span>
      <span class={`step-icon ${tone}`}>
        <Icon name={icon} />
      </span>
      <div class="step-words">
        <p class="step-what">
          <strong>{what}</strong> {rest && <span class="rest">{rest}</span>}
        </p>
        {explanation && <p class="step-explanation">{explanation}</p>}
        {content}
        {details && (
          <details open={details.isOpen}>
            <summary>{details.label}</summary>
            {details.content}
          </details>
        )}
      </div>
    </li>
  );
}

/** A text as a person has seen it, or has written it: theirs is the dark one. */
export function Bubble({ text, isTheirs }: { text: string; isTheirs?: boolean }): JSX.Element {
  return <p class={`bubble ${isTheirs ? "theirs" : ""}`}>{text}</p>;
}
