import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";

export interface Toast {
  text: string;
  link?: { label: string; href: string };
  undo?: () => void;
}

const SECONDS = 8;

let show: (toast: Toast | null) => void = () => {};

/** Says what has happened. A failure is none: it stays beside its button. */
export const tell = (toast: Toast): void => show(toast);

/** Says what has been changed, with the way to its entry in the audit log. */
export const tellDone = (text: string, undo?: () => void): void =>
  tell({ text, link: { label: "Audit entry", href: "#/audit" }, ...(undo && { undo }) });

/** Its place. It goes after eight seconds, but not while it is under the pointer or the focus is in it. */
export function ToastPlace(): JSX.Element {
  const [toast, setToast] = useState<Toast | null>(null);
  const [isKept, setKept] = useState(false);
  const turn = useRef(0);
  show = (next) => {
    turn.current += 1;
    setToast(next);
  };
  useEffect(() => {
    if (toast === null || isKept) return;
    const timer = setTimeout(() => setToast(null), SECONDS * 1000);
    return () => clearTimeout(timer);
  }, [toast, isKept]);
  const keep = { onMouseEnter: () => setKept(true), onMouseLeave: () => setKept(false) };
  const keepFocused = { onFocusIn: () => setKept(true), onFocusOut: () => setKept(false) };
  return (
    <div class="toast-place" role="status">
      {toast && (
        <div class="toast" key={turn.current} {...keep} {...keepFocused}>
          <span>{toast.text}</span>
          {toast.link && <a href={toast.link.href}>{toast.link.label}</a>}
          {toast.undo && (
            <button
              type="button"
              onClick={() => {
                toast.undo?.();
                setToast(null);
              }}
            >
              Undo
            </button>
          )}
        </div>
      )}
    </div>
  );
}
