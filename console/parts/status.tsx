import type { ComponentChildren, JSX } from "preact";
import type { Look } from "../lib/status-words.ts";
import { Icon } from "./icon.tsx";

/** A status: its shape and its word, always both. `soft`: on a ground of its color, beside a heading only. */
export function Status({ look, soft, title }: { look: Look; soft?: boolean; title?: string | undefined }): JSX.Element {
  return (
    <span class={`status ${look.tone} ${soft ? "soft" : ""}`} title={title}>
      <Icon name={look.shape} />
      <span>{look.word}</span>
    </span>
  );
}

/** One sentence that a page must begin with; at most one a page. The first part is bold. */
export function Note({
  first,
  children,
  act,
}: {
  first: ComponentChildren;
  children?: ComponentChildren;
  act?: ComponentChildren;
}): JSX.Element {
  return (
    <div class="note" role="alert">
      <Icon name="problem" />
      <p>
        <strong>{first}</strong> {children}
      </p>
      {act && <div>{act}</div>}
    </div>
  );
}
