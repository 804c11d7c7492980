import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { searchFor } from "../lib/search.ts";
import { useAct } from "../lib/use-act.ts";
import { go } from "../lib/use-route.ts";
import { FailureLine } from "./button.tsx";
import { Icon } from "./icon.tsx";

/** The search of the top bar: a number leads to the person, an id to the message, all else to the list. */
export function SearchBox({ placeholder = "Number, message id or e-mail" }: { placeholder?: string }): JSX.Element {
  const [text, setText] = useState("");
  const asking = useAct();
  const submit = (event: Event) => {
    event.preventDefault();
    void asking.run(async () => {
      const hash = await searchFor(text);
      setText("");
      go(hash);
    });
  };
  return (
    <search class="search-place">
      <form class="search" onSubmit={submit}>
        <Icon name="search" />
        <input
          id="search"
          type="search"
          value={text}
          placeholder={placeholder}
          aria-label="Search"
          autocomplete="off"
          spellcheck={false}
          onInput={(event) => setText(event.currentTarget.value)}
        />
        <kbd>/</kbd>
      </form>
      {asking.failure && (
        <div class="search-answer">
          {asking.failure.status === 404 ? (
            <p>Nobody has this number or address here.</p>
          ) : (
            <FailureLine failure={asking.failure} />
          )}
        </div>
      )}
    </search>
  );
}
