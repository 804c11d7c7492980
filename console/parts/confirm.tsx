import type { ComponentChildren, JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { formatCount } from "../lib/numbers.ts";
import { useAct } from "../lib/use-act.ts";
import { ActButton, Button, type ButtonProps, FailureLine } from "./button.tsx";
import { Dialog } from "./dialog.tsx";
import { Field } from "./field.tsx";
import { Icon, type IconName } from "./icon.tsx";

interface Line {
  icon: IconName;
  text: ComponentChildren;
}

interface Props {
  /** What the page showed; the service refuses the act if there are others by then. */
  count?: number;
  title: (count: number) => string;
  /** What ends and whether it can be undone, who will be told, and what it does not stop. */
  lines?: Line[] | ((count: number) => Line[]);
  /** What must be typed. Only for what cannot be undone and is of many. */
  typed?: { word: string; label: string };
  /** A field whose words go with it. */
  field?: { label: string; hint?: string };
  act: (count: number) => string;
  isDanger?: boolean;
  /** While something is missing in the fields. */
  isOff?: boolean;
  /** The way out, named by what stays. */
  out: string;
  milder?: { label: string; onPress: () => void } | undefined;
  run: (expected: number, words: string) => Promise<void>;
  onClose: () => void;
  /** Fields of its own. */
  children?: ComponentChildren;
}

/** A dialog that closes when what it asks about is done. */
export function Confirm(props: Props): JSX.Element {
  const { title, lines = [], typed, field, act, isDanger, out, milder, run, onClose, children } = props;
  const [count, setCount] = useState(props.count ?? 0);
  const [words, setWords] = useState("");
  const doing = useAct();
  const changed = doing.failure?.newCount ?? null;
  const consequences = typeof lines === "function" ? lines(count) : lines;
  const isOff = props.isOff || doing.isBusy || (typed !== undefined && words.trim() !== typed.word);
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
      onSubmit={() => void press()}
      buttons={
        <>
          {milder && <Button onPress={milder.onPress}>{milder.label}</Button>}
          <span class="gap" />
          <Button onPress={onClose}>{out}</Button>
          <Button kind={isDanger ? "danger" : "dark"} isOff={isOff}>
            {act(count)}
          </Button>
        </>
      }
    >
      {consequences.length > 0 && (
        <ul class="consequences">
          {consequences.map(({ icon, text }) => (
            <li key={icon}>
              <Icon name={icon} /> <span>{text}</span>
            </li>
          ))}
        </ul>
      )}
      {children}
      {(typed ?? field) && (
        <Field
          id="dialog-words"
          label={typed?.label ?? field?.label ?? ""}
          {...(field?.hint && { hint: field.hint })}
          value={words}
          onInput={setWords}
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

interface AskingProps extends Omit<ButtonProps, "onPress"> {
  dialog: (close: () => void) => ComponentChildren;
}

/** A button that opens a dialog before anything is changed. */
export function Asking({ dialog, ...button }: AskingProps): JSX.Element {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <ActButton {...button} onPress={() => setOpen(true)} />
      {isOpen && dialog(() => setOpen(false))}
    </>
  );
}
