// What a person does with a text, for websites of the sandbox: their own tests see replies and clicks.

import { SANDBOX } from "../../carriers/sandbox.ts";
import type { Deps } from "../../deps.ts";
import type { Job, Rehearsal } from "../../domain/messages/job.ts";
import { readText } from "../../domain/people/keyword.ts";
import { toDigits } from "../../domain/people/phone.ts";
import { findWebsite } from "../../store/clients/websites.ts";
import { readMessage } from "../../store/messages/read-message.ts";
import { receiveFor } from "../people/receive-inbound.ts";
import { countClick } from "./count-click.ts";
import { queueJobs } from "./queue-jobs.ts";

const AFTER_SECONDS = 1;

const TEXTS = { stop: "STOP", text: "Thank you!" };

/** Never throws. A job that is lost is not made up for. */
export async function queueRehearsal(deps: Deps, rehearsal: Rehearsal): Promise<void> {
  const job: Job = { kind: "receipts", carrier: SANDBOX, receipts: [], rehearsals: [rehearsal] };
  await queueJobs(deps, [job], AFTER_SECONDS);
}

/**
 * Takes the way of a real text or click, from where the carrier's webhook or the link is read. The text is for the website whose
 * message it answers: another team's website may have texted the number since, or have the same sender. Nothing happens where the website
 * has left the sandbox since, and nobody answers the reply to a keyword, which has no client. Safe to run again.
 */
export async function rehearse(deps: Deps, { messageId, act }: Rehearsal): Promise<void> {
  const message = await readMessage(deps.db, messageId);
  if (!message || message.phone === null || message.clientId === "" || message.carrier !== SANDBOX) return;
  const website = await findWebsite(deps.db, message.websiteId);
  if (website?.carrier !== SANDBOX) return;
  if (act !== "click") {
    const to = website.sender === null ? [] : [website.sender];
    const reply = { carrierMessageId: `reply-${messageId}`, from: message.phone, to, text: TEXTS[act] };
    const own = { websites: [website], told: [website], sharers: [website], phones: [toDigits(message.phone)] };
    const read = readText(reply.text, website.optOutWords ?? []);
    await receiveFor(deps, SANDBOX, { ...reply, keyword: null, answeredByCarrier: false }, { ...own, ...read });
  } else if (message.clickUrl !== null) {
    await countClick(deps, { messageId, clickId: messageId, clickedAt: deps.now(), isPerson: true });
  }
}
