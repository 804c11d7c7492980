import { carrierRules } from "../carriers/index.ts";
import type { Deps } from "../deps.ts";
import { failField } from "../domain/failure.ts";
import { paceFields } from "../domain/messages/sender-pace.ts";
import { readCarriers } from "../flows/clients/carrier-accounts.ts";
import { putPace, readSenders } from "../flows/clients/senders.ts";
import { type ApiRequest, authorOf } from "../http/api-request.ts";
import { BODY_LIMITS, readFields } from "../http/body.ts";
import { inPath, ok, type Resource } from "../http/call.ts";
import { toTime } from "../http/time.ts";
import type { SenderName, SenderState } from "../store/clients/sender-paces.ts";
import { type SenderAnswers, senderAnswers } from "./answers/senders.ts";
import { operatorCall, settingsBody } from "./operator-call.ts";
import { decode, requireFound } from "./params.ts";

const A_SENDER = {
  ...{ carrier: "twilio", sender: "+12065550100", websites: ["brand", "outlet"] },
  ...{ messagesPerMinute: 75, messagesPerDay: 2000, waiting: 12, pausedUntil: null, why: null },
} satisfies SenderAnswers["Sender"];

const senderView = ({ pausedUntil, ...state }: SenderState): SenderAnswers["Sender"] => ({
  ...state,
  pausedUntil: toTime(pausedUntil),
});

const list = operatorCall({
  id: "listSenders",
  method: "GET",
  path: "/operator/senders",
  tag: "Websites",
  summary: "List the senders, with their pace and their pauses",
  description: "Each sender that a website has, or that has a pace.",
  answers: [ok(senderAnswers.SenderList, "Every sender.", { senders: [A_SENDER] })],
  command: { name: "senders" },
  run: async (_request, deps) => {
    const { senders, missing } = await readSenders(deps);
    return { senders: senders.map(senderView), ...missing };
  },
});

const put = operatorCall({
  id: "putSender",
  method: "PUT",
  path: "/operator/senders/:carrier/:sender",
  tag: "Websites",
  summary: "Set the pace of a sender",
  description:
    "The pace holds over all websites of the sender, in every minute and in any 24 hours. A text that waits for it says so in its story, with the time at which it is expected to go. Replies to keywords, transactional texts and texts that have waited go before the others. Fields that are left out stay as they are; null removes a limit.",
  parameters: [
    inPath("carrier", "A carrier that is set up.", "twilio"),
    inPath(
      "sender",
      "A number, a short code, or another sender of the carrier, as its websites have it.",
      "+12065550100",
    ),
  ],
  body: settingsBody(paceFields, {
    lowVolume: { messagesPerMinute: 75, messagesPerDay: 2000 },
    longCode: { messagesPerMinute: 60 },
  }),
  answers: [ok(senderAnswers.Sender, "The sender as it is now.", A_SENDER)],
  errors: ["resource-unknown"],
  command: { name: "set-sender" },
  run: async (request, deps) => {
    const name = await readSenderName(request, deps);
    await putPace(deps, authorOf(request), name, await readFields(request, paceFields, BODY_LIMITS.settings));
    const { senders } = await readSenders(deps, name);
    return senderView(senders[0] ?? { ...name, ...UNUSED });
  },
});

/** A sender that no website has, and that has no pace any more. */
const UNUSED = {
  ...{ websites: [], messagesPerMinute: null, messagesPerDay: null },
  ...{ waiting: 0, pausedUntil: null, why: null },
};

/** @throws RequestFailure resource-unknown, fields-wrong */
async function readSenderName({ params }: ApiRequest, deps: Deps): Promise<SenderName> {
  const name = { carrier: decode(params.carrier ?? ""), sender: decode(params.sender ?? "") };
  for (const { field, message } of carrierRules(await readCarriers(deps)).faults(name.carrier, name.sender)) {
    requireFound(field !== "carrier", "carrier, or it is not set up");
    failField("sender", message);
  }
  return name;
}

export const senders: Resource = { calls: [list, put], schemas: { SenderPace: paceFields, ...senderAnswers } };
