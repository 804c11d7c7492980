import type { InboundText, Person, PersonAtWebsite, PersonMessage, SubscriptionChange } from "../answers.ts";
import { evidenceOf, sourceWords } from "../lib/audit-words.ts";
import { capitalized } from "../lib/numbers.ts";
import { lookOfStatus, whyOf } from "../lib/status-words.ts";
import { Bubble, type Step } from "../parts/timeline.tsx";

export type Kind = "consent" | "out" | "in";
export type PersonStep = Step & { kind: Kind };

/** Consent, texts to them and from them, over all websites, the newest first. */
export function stepsOfPerson({ websites, messages }: Person): PersonStep[] {
  const names = new Map(websites.map((site) => [site.websiteId, nameOfSite(site)]));
  const steps = [
    ...websites.flatMap((site) => site.changes.map((change) => changeStep(site, change))),
    ...websites.flatMap((site) =>
      site.texts.filter((text) => !isKeywordOf(site, text)).map((text) => inboundStep(site, text)),
    ),
    ...messages.map((message) => messageStep(message, names.get(message.websiteId) ?? message.websiteId)),
    ...messages.flatMap((message) => clickStep(message, names.get(message.websiteId) ?? message.websiteId)),
  ];
  return steps.sort((one, other) => new Date(other.at).getTime() - new Date(one.at).getTime());
}

export const nameOfSite = ({ websiteName, websiteId }: PersonAtWebsite) => websiteName ?? websiteId ?? "no website";

const NEAR = 5000;
const textOf = (site: PersonAtWebsite, change: SubscriptionChange) =>
  change.source === "keyword"
    ? site.texts.find((text) => text.keyword && Math.abs(Date.parse(text.receivedAt) - Date.parse(change.at)) < NEAR)
    : undefined;

/** Whether a step of consent shows the text already. */
const isKeywordOf = (site: PersonAtWebsite, text: InboundText) =>
  site.changes.some((change) => textOf(site, change) === text);

function changeStep(site: PersonAtWebsite, change: SubscriptionChange): PersonStep {
  const name = nameOfSite(site);
  const { from, to, at, source, proof, addressChanged } = change;
  const evidence = evidenceOf(change, Date.now());
  const text = textOf(site, change);
  const isByPerson = source === "keyword" || source === "carrier";
  const what =
    from === to && addressChanged
      ? `Another address at ${name}`
      : to
        ? `Subscribed to ${name}`
        : isByPerson
          ? `Opted out of ${name}`
          : `Unsubscribed from ${name}`;
  return {
    kind: "consent",
    key: `change ${site.websiteId} ${at}`,
    at,
    icon: to ? "shield" : "none",
    tone: to ? "ok" : isByPerson ? "bad" : "plain",
    what,
    rest: sourceWords(source),
    explanation:
      !to && isByPerson ? "Only this person can undo it, by texting START." : text ? undefined : evidence || proof,
    content: text && <Bubble text={text.text} isTheirs />,
  };
}

function inboundStep(
  site: PersonAtWebsite,
  { text, receivedAt, keyword, maybeOptOut, carrierMessageId }: InboundText,
): PersonStep {
  return {
    kind: "in",
    key: `in ${carrierMessageId}`,
    at: receivedAt,
    icon: "conversations",
    what: maybeOptOut
      ? "They wrote, and may want to opt out"
      : keyword
        ? `They wrote ${keyword.toUpperCase()}`
        : "They wrote",
    rest: nameOfSite(site),
    tone: maybeOptOut ? "wait" : "plain",
    content: <Bubble text={text} isTheirs />,
  };
}

function messageStep(
  { messageId, acceptedAt, status, reason, reasonDetail, sendPurpose, text }: PersonMessage,
  name: string,
): PersonStep {
  const look = lookOfStatus(status);
  const why = reason && whyOf(reason, reasonDetail)[0];
  return {
    kind: "out",
    key: messageId,
    at: acceptedAt,
    icon: look.shape,
    tone: look.tone,
    what: (
      <a href={`#/messages/${messageId}`}>
        {sendPurpose}, {look.word.toLowerCase()}
      </a>
    ),
    rest: name,
    explanation: why ? `${capitalized(why)}.` : undefined,
    content: <Bubble text={text} />,
  };
}

function clickStep({ messageId, clickedAt, sendPurpose }: PersonMessage, name: string): PersonStep[] {
  if (!clickedAt) return [];
  return [
    {
      kind: "out",
      key: `click ${messageId}`,
      at: clickedAt,
      icon: "click",
      tone: "ok",
      what: "Clicked",
      rest: `${name}, ${sendPurpose}`,
    },
  ];
}
