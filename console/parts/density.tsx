import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";

const KEY = "dense";

/** More rows at once, in every list of this browser. */
export function Density(): JSX.Element {
  const [isDense, setDense] = useState(localStorage.getItem(KEY) === KEY);
  useEffect(() => {
    document.documentElement.classList.toggle(KEY, isDense);
    localStorage.setItem(KEY, isDense ? KEY : "");
  }, [isDense]);
  return (
    <button type="button" class="button text density" aria-pressed={isDense} onClick={() => setDense(!isDense)}>
      Dense rows
    </button>
  );
}
