import type { JSX } from "preact";
import type { FoundMessage } from "../answers.ts";
import { maskEmail } from "../lib/phones.ts";
import { detailOf, lookOf } from "../lib/status-words.ts";
import { isSameDay } from "../lib/times.ts";
import { MaskedText } from "../parts/masked.tsx";
import { Head, Rows } from "../parts/section.tsx";
import { Status } from "../parts/status.tsx";
import { Time } from "../parts/time.tsx";

/** Four columns: the second lines carry website, purpose and reason. */
export function MessageRows({ messages, now }: { messages: FoundMessage[]; now: number }): JSX.Element {
  return (
    <Rows class="phone messages" label="Messages, newest first">
      <Head columns={["Accepted", "To", "Text", "Status"]} />
      <tbody>
        {messages.map((message) => (
          <tr key={message.messageId}>
            <td class="at">
              <Time at={message.acceptedAt} as={isSameDay(message.acceptedAt, now) ? "seconds" : "time"} />
            </td>
            <td class="to">
              <a class="row-link" href={`#/messages/${message.messageId}`}>
                {message.phone ? (
                  <MaskedText phone={message.phone} />
                ) : (
                  (message.email && maskEmail(message.email)) || "nobody"
                )}
              </a>
            </td>
            <td class="what">
              <span class="one-line">{message.text}</span>
              <span class="second one-line">
                {message.websiteName ?? message.websiteId} · {message.sendPurpose}
              </span>
            </td>
            <td class="outcome">
              <Status look={lookOf(message, now)} title={message.reason ?? message.status} />
              <span class="second">{detailOf(message, now)}</span>
            </td>
          </tr>
        ))}
      </tbody>
    </Rows>
  );
}
