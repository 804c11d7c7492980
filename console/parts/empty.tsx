import type { ComponentChildren, JSX } from "preact";
import { CommandLine, OPERATOR } from "./copy.tsx";

export interface EmptyStep {
  title: string;
  meaning: string;
  line?: string;
  act?: ComponentChildren;
}

/** What to do where nothing is yet: each step with the line of the CLI that does it. */
export function EmptySteps({ steps }: { steps: EmptyStep[] }): JSX.Element {
  return (
    <ol class="empty-steps">
      {steps.map(({ title, meaning, line, act }, index) => (
        <li key={title}>
          <span class={`step-number ${index === 0 ? "first" : ""}`} aria-hidden="true">
            {index + 1}
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

/** Under a list: the same from a shell. */
export function FromShell({ line }: { line: string }): JSX.Element {
  return (
    <p class="from-shell">
      The same from a shell:{" "}
      <code>
        {OPERATOR}
        {line}
      </code>
    </p>
  );
}
