import type { JSX } from "preact";
import type { Sender, SenderList } from "../answers.ts";
import { formatCount } from "../lib/numbers.ts";
import { formatTime } from "../lib/times.ts";
import { useAnswer } from "../lib/use-answer.ts";
import { FromShell } from "../parts/empty.tsx";
import { Section, Table, Two } from "../parts/section.tsx";
import { useNow } from "../parts/time.tsx";

/** Each sender with its pace, and with the texts that wait for it. */
export function Senders(): JSX.Element | null {
  const now = useNow();
  const { data } = useAnswer<SenderList>("/operator/senders", 60);
  if (!data || data.senders.length === 0) return null;
  const limit = (segments: number | null) => (segments === null ? "any" : formatCount(segments));
  return (
    <Section title="Senders" of="Segments of all their websites">
      <Table<Sender>
        label="Senders"
        rows={data.senders}
        keyOf={({ carrier, sender }) => `${carrier} ${sender}`}
        columns={[
          ["Sender", ({ carrier, sender }) => <Two first={sender} second={carrier} />, "wide"],
          ["Websites", ({ websites }) => websites.join(", ") || "none", "named"],
          ["A minute", ({ messagesPerMinute }) => limit(messagesPerMinute), "number named"],
          ["In 24 hours", ({ messagesPerDay }) => limit(messagesPerDay), "number named"],
          ["Waiting", ({ waiting }) => formatCount(waiting), "number named right"],
          [
            "Paused",
            ({ pausedUntil, why }) =>
              pausedUntil ? <Two first={`until ${formatTime(pausedUntil, now)}`} second={why ?? ""} /> : "no",
            "named",
          ],
        ]}
      />
      <FromShell line="senders" />
    </Section>
  );
}
