import type { ComponentChildren, JSX } from "preact";
import { percentOf } from "../lib/numbers.ts";
import { Button } from "./button.tsx";

/** A bar with a true total. */
export function Progress({
  done,
  of,
  title,
  left,
  right,
}: {
  done: number;
  of: number;
  title: string;
  left?: string;
  right?: string;
}) {
  return (
    <div class="progress">
      <h2>{title}</h2>
      <progress value={done} max={Math.max(1, of)} aria-label={title} />
      <div class="progress-words">
        <span>{left ?? `${percentOf(done, of)} %`}</span>
        <span>{right}</span>
      </div>
    </div>
  );
}

/** Appears with the first change of a form: what it will do, and the two ways on. */
export function SaveBar({
  effect,
  rest,
  save,
  discard,
  isOff,
  onSave,
  onDiscard,
}: {
  effect: ComponentChildren;
  rest?: ComponentChildren;
  save: string;
  discard: string;
  isOff?: boolean;
  onSave: () => void;
  onDiscard: () => void;
}): JSX.Element {
  return (
    <section class="save-bar" aria-label={save}>
      <p>
        <strong>{effect}</strong> {rest}
      </p>
      <Button onPress={onDiscard}>{discard}</Button>
      <Button kind="dark" isOff={isOff ?? false} onPress={onSave}>
        {save}
      </Button>
    </section>
  );
}
