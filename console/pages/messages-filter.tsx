import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { personIn } from "../lib/phones.ts";
import { parseSearch } from "../lib/search-words.ts";
import { Icon } from "../parts/icon.tsx";

interface Props {
  /** The filters that are understood. */
  chips: { name: string; value: string; drop: () => void }[];
  text: string;
  onSubmit: (typed: string) => void;
}

/** One field: words that are understood become chips, the rest stays text. Backspace in an empty field takes the last chip. */
export function FilterBar({ chips, text, onSubmit }: Props): JSX.Element {
  const [typed, setTyped] = useState(text);
  useEffect(() => setTyped(text), [text]);
  const { faults } = parseSearch(typed);
  const submit = () => {
    const { filters, unknown, wrong } = parseSearch(typed);
    onSubmit(typed);
    if (wrong.length > 0) return;
    // A word that is not understood stays, to be mended.
    if (unknown.length > 0 || Object.keys(filters).length > 0 || personIn(typed)) setTyped(unknown.join(" "));
  };
  return (
    <search>
      <form
        class="search filters"
        onSubmit={(event) => {
          event.preventDefault();
          submit();
        }}
      >
        <Icon name="search" />
        {chips.map(({ name, value, drop }) => (
          <span class="chip" key={name}>
            {name}: <strong>{value}</strong>
            <button type="button" class="icon-button" aria-label={`Without ${name}: ${value}`} onClick={drop}>
              <Icon name="close" size={12} />
            </button>
          </span>
        ))}
        <input
          id="search-messages"
          type="search"
          value={typed}
          placeholder={chips.length > 0 ? "" : "Number, id, e-mail, today, did not arrive, purpose: website:"}
          aria-label="Search"
          autocomplete="off"
          spellcheck={false}
          onInput={(event) => setTyped(event.currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key === "Backspace" && typed === "") chips.at(-1)?.drop();
          }}
        />
      </form>
      {faults.length > 0 && <p class="hint">{faults.join(" ")}</p>}
    </search>
  );
}
