import type { ComponentChildren, JSX } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";

interface Props {
  title: string;
  children: ComponentChildren;
  /** From the left: the milder way, the way out, the act. */
  buttons: ComponentChildren;
  onClose: () => void;
  /** What Enter in a field does, and a button that has nothing of its own. */
  onSubmit?: () => void;
  /** False: neither Esc nor a press outside closes it. */
  isLight?: boolean;
}

/** A dialog over the page: a sheet from below on a phone. It gives the focus back to where it was. */
export function Dialog({ title, children, buttons, onClose, onSubmit, isLight = true }: Props): JSX.Element {
  const ref = useRef<HTMLDialogElement>(null);
  useLayoutEffect(() => {
    const before = document.activeElement;
    const dialog = ref.current;
    dialog?.showModal();
    dialog?.querySelector<HTMLElement>("input, select")?.focus();
    return () => {
      dialog?.close();
      if (before instanceof HTMLElement && before.isConnected) before.focus();
    };
  }, []);
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Esc is the key, and arrives as cancel.
    <dialog
      ref={ref}
      class="dialog"
      aria-labelledby="dialog-title"
      onCancel={(event) => {
        event.preventDefault();
        if (isLight) onClose();
      }}
      onClick={(event) => {
        if (isLight && event.target === ref.current) onClose();
      }}
    >
      <form
        class="dialog-content"
        onSubmit={(event) => {
          event.preventDefault();
          onSubmit?.();
        }}
      >
        <h2 id="dialog-title">{title}</h2>
        {children}
        <div class="dialog-buttons">{buttons}</div>
      </form>
    </dialog>
  );
}
