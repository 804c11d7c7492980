import type { JSX } from "preact";
import type { WebsiteNow } from "../answers.ts";
import { messagesHash } from "../lib/addresses.ts";
import { formatCount, formatShare } from "../lib/numbers.ts";
import { CLASSES, wordOf } from "../lib/outcomes.ts";
import { Section, Table, Two } from "../parts/section.tsx";

interface Props {
  counts: WebsiteNow["month"];
  of: string;
  /** The search that finds all of them; undefined: a part of them may be kept no more. */
  search?: string | undefined;
}

/** Each accepted text is in one row, so the rows add up. */
export function OutcomesSection({ counts, of, search }: Props): JSX.Element {
  return (
    <Section title="What became of them" of={`${formatCount(counts.accepted)} accepted ${of}`}>
      <Table
        label="What became of them"
        rows={CLASSES.filter(([name]) => counts[name] !== 0)}
        keyOf={([name]) => name}
        columns={[
          ["Outcome", ([, words, meaning]) => <Two first={words} second={meaning} />, "head"],
          [
            "Texts",
            ([name]) =>
              search === undefined ? (
                formatCount(counts[name])
              ) : (
                <a href={messagesHash(`${search} outcome:${wordOf(name)}`)}>{formatCount(counts[name])}</a>
              ),
            "number right",
          ],
          [
            "Share",
            ([name]) => (counts[name] === null ? "–" : formatShare(counts[name], counts.accepted)),
            "number named right",
          ],
        ]}
      />
    </Section>
  );
}
