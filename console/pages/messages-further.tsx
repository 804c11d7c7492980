import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { formatTime } from "../lib/times.ts";
import type { OlderOf } from "../lib/use-older.ts";
import { Button, FailureLine } from "../parts/button.tsx";
import { FromShell } from "../parts/empty.tsx";
import { useNow } from "../parts/time.tsx";

/** A page of so many rows has none: it goes on by itself, for some pages. */
const PAGES_AT_ONCE = 20;

interface Props {
  older: OlderOf<{ lookedBackTo: string | null }, unknown>;
  line: string;
  /** What the list has. */
  what: string;
}

export function LookFurther({ older, line, what }: Props): JSX.Element {
  const [left, setLeft] = useState(PAGES_AT_ONCE);
  const now = useNow(30);
  const { loading, load, last } = older;
  const isWaiting = left === 0 || loading.failure !== null;
  useEffect(() => {
    if (isWaiting || loading.isBusy) return;
    setLeft(left - 1);
    load();
  }, [last, isWaiting, loading.isBusy]);
  const back = last.lookedBackTo ? ` back to ${formatTime(last.lookedBackTo, now)}` : " that were looked at";
  return (
    <>
      <h2>
        None among the {what}
        {back}
      </h2>
      <p class="lead" role="status">
        {isWaiting ? "There are older ones." : "Looking further…"}
      </p>
      {isWaiting && <Button onPress={() => setLeft(PAGES_AT_ONCE)}>Look further</Button>}
      <FailureLine failure={loading.failure} />
      <FromShell line={line} />
    </>
  );
}
