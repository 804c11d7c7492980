import type { ComponentChildren, JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { formatCount } from "../lib/numbers.ts";
import { useAct } from "../lib/use-act.ts";
import { Button, FailureLine } from "./button.tsx";
import { Dialog } from "./dialog.tsx";
import { Field } from "./field.tsx";
import { Icon, type IconName } from "./icon.tsx";

interface Props {
  /** What the page showed; the service refuses the act if there are others by then. */
  count?: number;
  title: (count: number) => string;
  /** What ends and whether it can be undone, who will be told, and what it does not stop. */
  lines: { icon: IconName; text: ComponentChildren }[];
  /** What must be typed. Only for what cannot be undone and is of many. */
  typed?: { word: string; label: string };
  /** A field whose words go with it. */
  field?: { label: string; hint?: string };
  act: (count: number) => string;
  isDanger?: boolean;
  /** The way out, named by what stays. */
  out: string;
  milder?: { label: string; onPress: () => void } | undefined;
  run: (expected: number, words: string) => Promise<void>;
  onClose: () => void;
}

export function Confirm(props: Props): JSX.Element {
  const { title, lines, typed, field, act, isDanger, out, milder, run, onClose } = props;
  const [count, setCount] = useState(props.count ?? 0);
  const [words, setWords] = useState("");
  const doing = useAct();
  const changed = doing.failure?.newCount ?? null;
  const isOff = doing.isBusy || (typed !== undefined && words.trim() !== typed.word);
  useEffect(() => {
    if (changed !== null) setCount(changed);
  }, [changed]);
  const press = async () => {
    if (!isOff && (await doing.run(() => run(count, words.trim())))) onClose();
  };
  return (
    <Dialog
      title={title(count)}
      onClose={onClose}
      buttons={
        <>
          {milder && <Button onPress={milder.onPress}>{milder.label}</Button>}
          <span class="gap" />
          <Button onPress={onClose}>{out}</Button>
          <Button kind={isDanger ? "danger" : "dark"} isOff={isOff} onPress={() => void press()}>
            {act(count)}
          </Button>
        </>
      }
    >
      <ul class="consequences">
        {lines.map(({ icon, text }) => (
          <li key={icon}>
            <Icon name={icon} /> <span>{text}</span>
          </li>
        ))}
      </ul>
      {(typed ?? field) && (
        <Field
          id="dialog-words"
          label={typed?.label ?? field?.label ?? ""}
          {...(field?.hint && { hint: field.hint })}
          value={words}
          onInput={setWords}
          onEnter={() => void press()}
        />
      )}
      {changed === null ? (
        <FailureLine failure={doing.failure} />
      ) : (
        <p class="failure-line" role="alert">
          <Icon name="problem" /> <span>There are now {formatCount(changed)}. Press again if you mean these.</span>
        </p>
      )}
    </Dialog>
  );
}
