// What an operator sees around a message.
import type * as z from "zod";
import { MESSAGE_ID, TIME } from "../../http/examples.ts";
import { toTime } from "../../http/time.ts";
import type { MessageContext, Neighbor } from "../../store/messages/message-context.ts";
import type { storySchema } from "../answers/messages.ts";
import { MESSAGE } from "./message.ts";

const CONSENT = { consentedAt: TIME, evidence: "Loyalty card form, box ticked" };

export const STORY = {
  ...MESSAGE,
  endsAt: null,
  consent: {
    subscribed: true,
    since: TIME,
    source: "import",
    operator: "ada",
    proof: MESSAGE_ID,
    changeId: 7,
    ...CONSENT,
  },
  before: null,
  after: null,
} satisfies z.output<typeof storySchema>;

export function contextView({ consent, before, after }: MessageContext) {
  return {
    consent: consent && { ...consent, since: toTime(consent.since), consentedAt: toTime(consent.consentedAt) },
    before: neighborView(before),
    after: neighborView(after),
  };
}

const neighborView = (neighbor: Neighbor | null) =>
  neighbor && { ...neighbor, acceptedAt: toTime(neighbor.acceptedAt) };
