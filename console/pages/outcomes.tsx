import type { JSX } from "preact";
import type { Report } from "../answers.ts";
import { messagesHash } from "../lib/addresses.ts";
import { formatCount, formatShare } from "../lib/numbers.ts";
import { Section, Table, Two } from "../parts/section.tsx";

type Class =
  | "scheduled"
  | "waiting"
  | "notSubscribed"
  | "endedBefore"
  | "notTaken"
  | "noReceipt"
  | "delivered"
  | "undelivered";

type Outcomes = Record<"accepted", number> & Record<Class | "held", number | null>;

const CLASSES: [name: Class, words: string, meaning: string][] = [
  ["scheduled", "Scheduled", "for a later time, or for sending hours"],
  ["waiting", "Waiting", "for their turn, for the carrier, or held"],
  ["notSubscribed", "Not subscribed", "opted out, never subscribed, or no number"],
  ["endedBefore", "Ended before", "cancelled, too late, over the cap, or outside hours"],
  ["notTaken", "Not taken", "the carrier refused them, or could not be reached"],
  ["noReceipt", "No receipt", "the carrier has them, and has not said more"],
  ["delivered", "Delivered", "they arrived"],
  ["undelivered", "Undelivered", "the carrier had them, and they did not arrive"],
];

interface Props {
  counts: Outcomes | Report["total"];
  of: string;
  /** The search that finds all of them; undefined: a part of them may be kept no more. */
  search?: string;
}

/** Its word in a search: `no-receipt`. */
const wordOf = (name: Class) => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

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
