import type { JSX } from "preact";
import type { InboundPage } from "../answers.ts";
import { ask } from "../lib/ask.ts";
import { attempt } from "../lib/attempt.ts";
import { countOf, formatCount } from "../lib/numbers.ts";
import { pathOf, type Route, toHash } from "../lib/router.ts";
import { commandOf } from "../lib/shell-command.ts";
import { type Look, OPTED_OUT, SUBSCRIBED } from "../lib/status-words.ts";
import { useAnswer } from "../lib/use-answer.ts";
import { useOlder } from "../lib/use-older.ts";
import { ActButton } from "../parts/button.tsx";
import { FromShell } from "../parts/empty.tsx";
import { PersonLink } from "../parts/masked.tsx";
import { NoAnswer, Page } from "../parts/page.tsx";
import { ListEnd, Table, Tabs, Two } from "../parts/section.tsx";
import { Status } from "../parts/status.tsx";
import { Time } from "../parts/time.tsx";
import { tellDone } from "../parts/toast.tsx";

type Text = InboundPage["texts"][number];

/** What people have written, the newest first; what may be an opt-out, and nobody has decided, apart. */
export function Conversations({ route }: { route: Route }): JSX.Element {
  const { show, website } = route.query;
  const isDeciding = show === "decide";
  const path = pathOf("/operator/inbound", { website, toDecide: isDeciding ? "true" : null });
  const { data, failure, reload } = useAnswer<InboundPage>(path, 30);
  if (!data) return <NoAnswer failure={failure} title="Conversations" onRetry={reload} />;
  const toDecide = data.toDecide ?? 0;
  const title =
    toDecide > 0
      ? `${countOf(toDecide, "text")} may ${toDecide === 1 ? "be an opt-out" : "be opt-outs"}`
      : "Conversations";
  return (
    <Page
      title={title}
      lead={
        toDecide > 0
          ? "The service does not guess: these people are still subscribed. Read each, and decide."
          : "STOP, START and HELP are answered by themselves."
      }
    >
      <Tabs
        label="Which texts"
        tabs={[
          { label: "All", href: toHash(["conversations"], { website }), isCurrent: !isDeciding },
          {
            label: "To decide",
            count: formatCount(toDecide),
            href: toHash(["conversations"], { show: "decide", website }),
            isCurrent: isDeciding,
          },
        ]}
      />
      <List key={path} first={data} path={path} reload={reload} />
      <FromShell line={commandOf("texts", [], { website, "to-decide": isDeciding || null })} />
    </Page>
  );
}

function List({ first, path, reload }: { first: InboundPage; path: string; reload: () => void }): JSX.Element {
  const older = useOlder(first, path, (page) => page.texts, "before");
  const texts = [...first.texts, ...older.rows];
  if (texts.length === 0) return <p>Nobody has written yet.</p>;
  return (
    <>
      <Table
        label="What people wrote, the newest first"
        rows={texts}
        keyOf={({ carrier, carrierMessageId }) => `${carrier} ${carrierMessageId}`}
        columns={[
          ["Received", ({ receivedAt }) => <Time at={receivedAt} />, "small"],
          ["From", fromOf, "right"],
          ["They wrote", wordsOf, "wide"],
          ["What it did", (text) => <Effect text={text} reload={reload} />, "wide"],
        ]}
      />
      <ListEnd older={older}>Newest first.</ListEnd>
    </>
  );
}

const fromOf = ({ from, personId, websiteName }: Text) => (
  <Two first={<PersonLink phone={from} personId={personId} />} second={websiteName ?? "no website"} />
);

const wordsOf = ({ text, inReplyTo }: Text) => (
  <>
    {text || "a picture without words"}
    {inReplyTo && (
      <span class="second">
        after <a href={`#/messages/${inReplyTo.messageId}`}>{inReplyTo.sendPurpose}</a>
      </span>
    )}
  </>
);

const KEYWORDS = {
  stop: OPTED_OUT,
  start: SUBSCRIBED,
  help: { word: "Answered with help", shape: "sending", tone: "plain" },
} as const;

const WITHOUT_EFFECT: Record<NonNullable<Text["withoutEffect"]>, string> = {
  "no-website": "no website has this sender",
  "no-phone-number": "from no phone number",
  "later-opt-out": "an opt-out is later",
  "unknown-person": "the website does not know them",
};

/** One press decides; it is audited, and can be undone. */
function Effect({ text, reload }: { text: Text; reload: () => void }): JSX.Element {
  const { keyword, maybeOptOut, decided, withoutEffect } = text;
  if (decided) {
    const look: Look = decided.optOut ? OPTED_OUT : { word: "No opt-out", shape: "delivered", tone: "plain" };
    return <Two first={<Status look={look} />} second={`decided by ${decided.operator}`} />;
  }
  if (maybeOptOut) {
    return (
      <div class="decide">
        <ActButton isSmall onPress={() => void decide(text, true, reload)} of={text.text}>
          Opt them out
        </ActButton>
        <ActButton isSmall onPress={() => void decide(text, false, reload)} of={text.text}>
          No opt-out
        </ActButton>
      </div>
    );
  }
  const look = KEYWORDS[keyword as keyof typeof KEYWORDS];
  if (withoutEffect !== null) {
    const status = (
      <Status look={{ word: `${keyword?.toUpperCase()} without effect`, shape: "problem", tone: "bad" }} />
    );
    return <Two first={status} second={WITHOUT_EFFECT[withoutEffect]} />;
  }
  return look ? <Status look={look} /> : <span class="dim">Given to the clients that listen</span>;
}

async function decide(text: Text, optOut: boolean, reload: () => void): Promise<void> {
  const { websiteId, carrier, carrierMessageId } = text;
  const call = (decision: boolean | null) =>
    attempt(async () => {
      const body = { websiteId, carrier, carrierMessageId, optOut: decision };
      await ask("/operator/inbound/decide", { method: "POST", body });
      reload();
    }, "Nothing is decided");
  const words = optOut ? "This person gets no more texts of this website." : "This person stays subscribed.";
  if (await call(optOut)) tellDone(words, () => void call(null));
}
