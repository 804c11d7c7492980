import type { InboundText, Person, PersonAtWebsite, PersonMessage, SubscriptionChange } from "../answers.ts";
import { evidenceOf, sourceWords } from "../lib/audit-words.ts";
import { capitalized } from "../lib/numbers.ts";
import { textOf } from "../lib/opt-out-proof.ts";
import { lookOfStatus, whyOf } from "../lib/status-words.ts";
import { Bubble, type Step } from "../parts/timeline.tsx";

export type Kind = "consent" | "out" | "in";
/** A word that a person wrote to opt out is a change of consent, and a text from them. */
export type PersonStep = Step & { kinds: Kind[] };

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

/** Whoever has opted them out. What an undo takes back may have been new. */
export const isOptedOut = ({ subscribed, changes }: PersonAtWebsite): boolean =>
  !subscribed && (changes.at(-1)?.source ?? "undo") !== "undo";

export const nameOfSite = ({ websiteName, websiteId }: PersonAtWebsite) => websiteName ?? websiteId ?? "no website";

/** Whether a step of consent shows the text already. */
const isKeywordOf = (site: PersonAtWebsite, text: InboundText) =>
  site.changes.some((change) => textOf(site, change) === text);

function changeStep(site: PersonAtWebsite, change: SubscriptionChange): PersonStep {
  const name = nameOfSite(site);
  const { from, to, at, source, operator, proof, addressChanged } = change;
  const evidence = evidenceOf(change, Date.now());
  const isKept = site.texts.some((it) => it.text === proof);
  // The ledger has the words of a text that is not kept any more. One that somebody has decided is a step of its own.
  const words = textOf(site, change)?.text ?? (source === "keyword" && !isKept ? proof : null);
  const isByPerson = source === "keyword" || source === "carrier";
  const what =
    from === to && addressChanged
      ? `Another address at ${name}`
      : to
        ? `Subscribed to ${name}`
        : `${source === "undo" ? "No longer subscribed to" : "Opted out of"} ${name}`;
  return {
    kinds: words === null ? ["consent"] : ["consent", "in"],
    key: `change ${site.websiteId} ${at}`,
    at,
    icon: to ? "shield" : "none",
    tone: to ? "ok" : isByPerson ? "bad" : "plain",
    what,
    rest: sourceWords(source, operator),
    explanation:
      !to && isByPerson
        ? "Only this person can undo it, by texting START."
        : words === null
          ? evidence || proof
          : undefined,
    content: words !== null && <Bubble text={words} isTheirs />,
  };
}

function inboundStep(
  site: PersonAtWebsite,
  { text, receivedAt, keyword, maybeOptOut, carrierMessageId }: InboundText,
): PersonStep {
  return {
    kinds: ["in"],
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
    kinds: ["out"],
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
      kinds: ["out"],
      key: `click ${messageId}`,
      at: clickedAt,
      icon: "click",
      tone: "ok",
      what: "Clicked",
      rest: `${name}, ${sendPurpose}`,
    },
  ];
}
