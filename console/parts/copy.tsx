import type { JSX } from "preact";
import { Icon } from "./icon.tsx";
import { tell } from "./toast.tsx";

export async function copyText(value: string, what: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(value);
    tell({ text: `${what} is copied.` });
  } catch {
    tell({ text: "The browser does not let this page copy." });
  }
}

/** The middle of a long id is left out; the whole is copied. */
export const shortId = (id: string): string => (id.length <= 14 ? id : `${id.slice(0, 8)}…${id.slice(-4)}`);

/** An id, and a button that copies it. */
export function Copy({ value, what, isWhole }: { value: string; what: string; isWhole?: boolean }): JSX.Element {
  return (
    <span class="copy">
      <code title={value}>{isWhole ? value : shortId(value)}</code>
      <button type="button" class="icon-button" aria-label={`Copy ${what}`} onClick={() => void copyText(value, what)}>
        <Icon name="copy" size={14} />
      </button>
    </span>
  );
}

export const OPERATOR = "npm run operator -- ";

/** A command of the CLI, with its button. */
export function CommandLine({ line: command }: { line: string }): JSX.Element {
  const line = OPERATOR + command;
  return (
    <div class="command">
      <code>{line}</code>
      <button
        type="button"
        class="icon-button"
        aria-label={`Copy ${line}`}
        onClick={() => void copyText(line, "The command")}
      >
        <Icon name="copy" size={14} />
      </button>
    </div>
  );
}
