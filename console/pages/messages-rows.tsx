import type { JSX } from "preact";
import type { FoundMessage } from "../answers.ts";
import { maskEmail } from "../lib/phones.ts";
import { detailOf, lookOf } from "../lib/status-words.ts";
import { isSameDay } from "../lib/times.ts";
import { MaskedText } from "../parts/masked.tsx";
import { type Picked, pickColumn, usePicked } from "../parts/picking.tsx";
import { Table } from "../parts/section.tsx";
import { Status } from "../parts/status.tsx";
import { Time } from "../parts/time.tsx";

const keyOf = ({ messageId }: FoundMessage) => messageId;

/** Those that wait can be picked, because they can be cancelled. */
export const usePickedTexts = (messages: FoundMessage[]): Picked<FoundMessage> =>
  usePicked(
    messages.filter(({ status }) => status === "PENDING_TO_SEND"),
    keyOf,
  );

interface Props {
  messages: FoundMessage[];
  now: number;
  picked: Picked<FoundMessage>;
}

/** Four columns: the second lines carry website, purpose and reason. */
export function MessageRows({ messages, now, picked }: Props): JSX.Element {
  return (
    <Table
      class="messages"
      label="Messages, newest first"
      rows={messages}
      keyOf={keyOf}
      columns={[
        ...(picked.keys.length > 0 ? pickColumn(picked, keyOf, ({ phone, email }) => phone ?? email ?? "nobody") : []),
        [
          "Accepted",
          ({ acceptedAt }) => <Time at={acceptedAt} as={isSameDay(acceptedAt, now) ? "seconds" : "time"} />,
          "at",
        ],
        [
          "To",
          ({ messageId, phone, email }) => (
            <a class="row-link" href={`#/messages/${messageId}`}>
              {phone ? <MaskedText phone={phone} /> : (email && maskEmail(email)) || "nobody"}
            </a>
          ),
          "to",
        ],
        [
          "Text",
          ({ text, websiteName, websiteId, sendPurpose }) => (
            <>
              <span class="one-line">{text}</span>
              <span class="second one-line">
                {websiteName ?? websiteId} · {sendPurpose}
              </span>
            </>
          ),
          "what",
        ],
        [
          "Status",
          (message) => (
            <>
              <Status look={lookOf(message, now)} title={message.reason ?? message.status} />
              <span class="second">{detailOf(message, now)}</span>
            </>
          ),
          "outcome",
        ],
      ]}
    />
  );
}
