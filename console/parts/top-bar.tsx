import type { JSX } from "preact";
import { formatSeconds } from "../lib/times.ts";
import { useFreshness } from "../lib/use-answer.ts";
import { Button } from "./button.tsx";
import { Copy } from "./copy.tsx";
import { Density } from "./density.tsx";
import { Mark } from "./icon.tsx";
import { SearchBox } from "./search-box.tsx";
import { Note } from "./status.tsx";
import { useNow } from "./time.tsx";

/** Its search is left out where the page has one of its own: two look like two things. */
export function TopBar({ hasSearch }: { hasSearch: boolean }): JSX.Element {
  const { at, failure } = useFreshness();
  const zone = new Date(at ?? 0).toLocaleTimeString("en-GB", { timeZoneName: "short" }).split(" ").at(-1);
  return (
    <div class="top-bar">
      <a class="brand-small" href="#/overview" aria-label="Textgate, overview">
        <Mark />
      </a>
      {hasSearch && <SearchBox />}
      <Density />
      {at !== null && (
        <span class={`as-of ${failure?.isAway ? "old" : ""}`}>
          {failure?.isAway ? `Old: ${formatSeconds(at)}` : `As of ${formatSeconds(at)} ${zone}`}
        </span>
      )}
    </div>
  );
}

/** Above a page whose numbers are old, because the service does not answer. */
export function AwayNote(): JSX.Element | null {
  const { at, failure, nextLookAt, reload } = useFreshness();
  const now = useNow(1);
  if (!failure?.isAway || at === null) return null;
  const seconds = nextLookAt === null ? null : Math.max(0, Math.ceil((nextLookAt - now) / 1000));
  return (
    <Note
      first={`Textgate does not answer since ${formatSeconds(at)}.`}
      act={
        <Button isSmall onPress={reload}>
          Look now
        </Button>
      }
    >
      What you see is of that moment. Texts that were accepted are stored.
      {seconds !== null && ` The next look is in ${seconds} seconds.`}
      {failure.requestId && (
        <>
          {" "}
          {failure.status}, request <Copy value={failure.requestId} what="The request id" />
        </>
      )}
    </Note>
  );
}
