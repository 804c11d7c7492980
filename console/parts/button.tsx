import type { ComponentChildren, JSX } from "preact";
import type { Failure } from "../lib/ask.ts";
import { signedIn } from "../lib/session.ts";
import { Copy } from "./copy.tsx";
import { Icon } from "./icon.tsx";

export interface ButtonProps {
  children: ComponentChildren;
  /** Absent: it sends its form. */
  onPress?: () => void;
  /** `dark`: one a page. `edge`: begins what destroys. `danger`: does it, in the last dialog only. `text`: a word. */
  kind?: "plain" | "dark" | "edge" | "danger" | "text";
  isSmall?: boolean;
  isOff?: boolean;
  /** What it is of, for whoever does not see where it stands. */
  of?: string;
}

export function Button({ children, onPress, kind = "plain", isSmall, isOff, of }: ButtonProps): JSX.Element {
  return (
    <button
      type={onPress ? "button" : "submit"}
      class={`button ${kind} ${isSmall ? "small" : ""}`}
      disabled={isOff}
      aria-label={of && `${children}: ${of}`}
      onClick={onPress}
    >
      {children}
    </button>
  );
}

/** A button that changes something: a viewer has none, and it is off while the service is away. */
export function ActButton(props: ButtonProps): JSX.Element | null {
  const { session, isAway } = signedIn();
  if (session.role !== "operator") return null;
  return <Button {...props} isOff={isAway || (props.isOff ?? false)} />;
}

/** What looks like a button and leads to another page. */
export function ButtonLink({
  href,
  children,
  kind = "plain",
}: {
  href: string;
  children: ComponentChildren;
  kind?: string;
}) {
  return (
    <a class={`button ${kind}`} href={href}>
      {children}
    </a>
  );
}

/**
 * A failure, beside the button whose it is, with the id by which the log knows it. One detail is in the message. Those of the lines of a
 * file are a table: see ImportFaults.
 */
export function FailureLine({ failure }: { failure: Failure | null }): JSX.Element | null {
  if (failure === null) return null;
  const all = failure.answer?.details ?? [];
  const isListed = all.length > 1 && all.every(({ line }) => line === undefined);
  const details = isListed ? all.map(({ field, message }) => [field, message].filter(Boolean).join(": ")) : [];
  return (
    <p class="failure-line" role="alert">
      <Icon name="failed" /> <span>{[failure.message, ...details].filter(Boolean).join(" ")}</span>{" "}
      {failure.requestId && (
        <>
          Request <Copy value={failure.requestId} what="The request id" />
        </>
      )}
    </p>
  );
}
