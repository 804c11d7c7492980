import type { JSX } from "preact";
import { useEffect } from "preact/hooks";
import type { Message, Neighbor } from "../answers.ts";
import { messagesHash, personHash } from "../lib/addresses.ts";
import { countOf } from "../lib/numbers.ts";
import { maskEmail } from "../lib/phones.ts";
import type { Route } from "../lib/router.ts";
import { isYoung, lookOf, lookOfStatus } from "../lib/status-words.ts";
import { copyOf, headingOf, leadOf } from "../lib/story.ts";
import { formatTime } from "../lib/times.ts";
import { useAct } from "../lib/use-act.ts";
import { useAnswer } from "../lib/use-answer.ts";
import { ActButton, Button, ButtonLink, FailureLine } from "../parts/button.tsx";
import { Asking } from "../parts/confirm.tsx";
import { Copy, copyText, shortId } from "../parts/copy.tsx";
import { Fact } from "../parts/fact.tsx";
import { Masked } from "../parts/masked.tsx";
import { NoAnswer, Page } from "../parts/page.tsx";
import { tryCarrier } from "../parts/problem-list.tsx";
import { useNow } from "../parts/time.tsx";
import { Bubble, Timeline } from "../parts/timeline.tsx";
import { stepsOf } from "./message-steps.tsx";
import { CancelTexts } from "./messages-picked.tsx";

export function MessagePage({ route }: { route: Route }): JSX.Element {
  const id = route.path[1] ?? "";
  const { data, failure, reload } = useAnswer<Message>(`/operator/messages/${encodeURIComponent(id)}`, 20);
  // Somebody looks at it while it goes, and while its client is told.
  useEffect(() => {
    if (!data || !isYoung(data, Date.now())) return;
    const timer = setTimeout(reload, 1000);
    return () => clearTimeout(timer);
  }, [data, reload]);
  if (!data) return <NoAnswer failure={failure} title="Message" onRetry={reload} />;
  return <Story message={data} reload={reload} />;
}

function Story({ message, reload }: { message: Message; reload: () => void }): JSX.Element {
  const now = useNow();
  const look = lookOf(message, now);
  return (
    <Page
      title={headingOf(message, now)}
      icon={{ name: look.shape, tone: look.tone }}
      crumbs={[
        { label: "Messages", href: "#/messages" },
        { label: <code>{shortId(message.messageId).slice(0, 8)}</code> },
      ]}
      lead={leadOf(message, now)}
      acts={<Acts message={message} now={now} reload={reload} />}
    >
      <div class="story-columns">
        <Timeline label="What happened, the oldest first" steps={stepsOf(message, now)} precision="tenths" now={now} />
        <aside aria-label="The text and its facts">
          <section class="card">
            <Bubble text={message.text} />
            {message.mediaUrl && <p class="small dim">With a picture: {message.mediaUrl}</p>}
            <p class="small dim">
              {countOf([...message.text].length, "character")}
              {message.segments !== null && `, ${countOf(message.segments, "segment")}, ${message.encoding}`}
            </p>
          </section>
          <Facts message={message} />
          <Neighbors message={message} now={now} />
        </aside>
      </div>
    </Page>
  );
}

function Acts({ message, now, reload }: { message: Message; now: number; reload: () => void }): JSX.Element {
  const trying = useAct();
  const waits = message.status === "PENDING_TO_SEND" && lookOf(message, now).shape !== "sending";
  const { carrier } = message;
  return (
    <>
      {waits && carrier && (
        <ActButton kind="dark" isOff={trying.isBusy} onPress={() => void trying.run(() => tryCarrier(carrier))}>
          Try {carrier} now
        </ActButton>
      )}
      {waits && <ButtonLink href={`#/waiting?website=${message.websiteId}`}>See what waits</ButtonLink>}
      {waits && (
        <Asking
          kind="edge"
          dialog={(onClose) => <CancelTexts ids={[message.messageId]} onDone={reload} onClose={onClose} />}
        >
          Cancel this text…
        </Asking>
      )}
      {message.personId && <ButtonLink href={personHash(message.personId)}>See the person</ButtonLink>}
      <span data-key="copy-story">
        <Button onPress={() => void copyText(copyOf(message, now), "The story")}>Copy the story</Button>
      </span>
      <FailureLine failure={trying.failure} />
    </>
  );
}

function Facts({ message }: { message: Message }): JSX.Element {
  const {
    phone,
    email,
    personId,
    websiteId,
    websiteName,
    sendPurpose,
    clientId,
    clientName,
    carrier,
    reasonDetail,
    messageId,
  } = message;
  return (
    <section class="card">
      <dl class="facts">
        <Fact name="To">
          {phone ? (
            <Masked phone={phone} personId={personId} />
          ) : email ? (
            maskEmail(email)
          ) : (
            "nobody: no number for the address"
          )}
        </Fact>
        <Fact name="Website">
          <a href={`#/websites/${websiteId}`}>{websiteName ?? websiteId}</a>
        </Fact>
        <Fact name="Purpose">
          <a href={messagesHash(`purpose:"${sendPurpose}"`)}>{sendPurpose}</a>, {message.kind ?? "a reply"}
        </Fact>
        <Fact name="Client">
          <a href={`#/websites/${websiteId}?at=clients`}>{clientName ?? shortId(clientId)}</a>
        </Fact>
        {carrier && <Fact name="Carrier">{carrier}</Fact>}
        {reasonDetail && (
          <Fact name="Its words">
            <code>{reasonDetail}</code>
          </Fact>
        )}
        <Fact name="Id">
          <Copy value={messageId} what="The message id" />
        </Fact>
      </dl>
    </section>
  );
}

/** The texts around it to the same person: `[` and `]`. */
function Neighbors({ message, now }: { message: Message; now: number }): JSX.Element | null {
  const line = (neighbor: Neighbor | null | undefined, key: string, none: string) =>
    neighbor ? (
      <>
        <a href={`#/messages/${neighbor.messageId}`} data-key={key}>
          {formatTime(neighbor.acceptedAt, now)}
        </a>
        , {neighbor.sendPurpose}, {lookOfStatus(neighbor.status).word.toLowerCase()}
      </>
    ) : (
      none
    );
  return (
    <section class="card">
      <dl class="facts">
        <Fact name="Before">{line(message.before, "before", "No earlier text to this person")}</Fact>
        <Fact name="After">{line(message.after, "after", "No later text to this person")}</Fact>
      </dl>
    </section>
  );
}
