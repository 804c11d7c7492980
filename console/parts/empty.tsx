import type { ComponentChildren, JSX } from "preact";
import { CommandLine, OPERATOR } from "./copy.tsx";
import { Icon } from "./icon.tsx";

export interface EmptyStep {
  title: string;
  meaning: string;
  line?: string;
  act?: ComponentChildren;
  isDone?: boolean;
}

/** What to do where nothing is yet: each step with the line of the CLI that does it. */
export function EmptySteps({ steps }: { steps: EmptyStep[] }): JSX.Element {
  const next = steps.findIndex(({ isDone }) => !isDone);
  return (
    <ol class="empty-steps">
      {steps.map(({ title, meaning, line, act, isDone }, index) => (
        <li key={title}>
          <span class={`step-number ${index === next ? "first" : ""}`} aria-hidden="true">
            {isDone ? <Icon name="delivered" /> : index + 1}
          </span>
          <div>
            <h2>{title}</h2>
            <p>{meaning}</p>
            {line && <CommandLine line={line} />}
          </div>
          {act && <div class="empty-act">{act}</div>}
        </li>
      ))}
    </ol>
  );
}

interface ShellProps {
  line: string;
  /** What stands before and after the command, and then in words. */
  around?: string[];
  /** Only its place is kept, so that what is around it does not move. */
  isOff?: boolean | undefined;
}

/** Under a list: the same from a shell. */
export function FromShell({ line, around = [], isOff }: ShellProps): JSX.Element {
  const [before, after, words] = around;
  return (
    <p class="from-shell" style={{ visibility: isOff ? "hidden" : "" }}>
      The same from a shell:{" "}
      <code>
        {before}
        {OPERATOR}
        {line}
        {after}
      </code>
      {words}
    </p>
  );
}
