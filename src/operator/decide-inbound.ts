import * as z from "zod";
import { failField } from "../domain/failure.ts";
import { jsonObject } from "../domain/fields.ts";
import { isE164, toDigits } from "../domain/people/phone.ts";
import { inDatabaseOf } from "../flows/databases/places.ts";
import { decide as decideEverywhere } from "../flows/people/decide-text.ts";
import { authorOf } from "../http/api-request.ts";
import { BODY_LIMITS, readFields } from "../http/body.ts";
import { ok, type Resource } from "../http/call.ts";
import { findWebsite } from "../store/clients/websites.ts";
import { findText } from "../store/people/decide-inbound.ts";
import { readPerson } from "../store/people/person.ts";
import { operatorCall, settingsBody } from "./operator-call.ts";
import { requireFound } from "./params.ts";

const id = z.string("is required, and must be a string").min(1, "is required").max(200, "is too long");

const decisionSchema = jsonObject({
  websiteId: id,
  carrier: id.describe("As the list of texts has it, and so is `carrierMessageId`."),
  carrierMessageId: id,
  optOut: z
    .boolean("must be true, false or null")
    .nullable()
    .describe("true: the person wants no more texts. false: the text meant something else. null: takes it back."),
});

const answers = { DecidedText: z.object({ optedOut: z.boolean().describe("Whether the person is opted out now.") }) };

const decide = operatorCall({
  id: "decideInbound",
  method: "POST",
  path: "/operator/inbound/decide",
  tag: "People",
  summary: "Decide whether a text was an opt-out",
  description:
    "The text has `maybeOptOut`, and leaves the list. `true` does what STOP does, except for the reply: only START, or `null`, brings the person back. If several websites have the sender that was texted, a decision is for each of them that knows the person, as a STOP is. `null` takes a decision back: the person is what they were, unless something has set the number since, and the text is in the list again. To change a decision, take it back first.",
  body: settingsBody(decisionSchema, {
    optOut: {
      ...{ websiteId: "brand", carrier: "twilio", carrierMessageId: "SM00000000000000000000000000000001" },
      optOut: true,
    },
  }),
  answers: [ok(answers.DecidedText, "It is decided, or taken back.", { optedOut: true })],
  errors: ["resource-unknown"],
  command: {
    name: "decide",
    arguments: ["websiteId", "carrier", "carrierMessageId"],
    options: {
      "opt-out": { field: "optOut", sets: true, summary: "The person wants no more texts." },
      "no-opt-out": { field: "optOut", sets: false, summary: "The text meant something else." },
      "take-back": { field: "optOut", sets: null, summary: "Take the decision back: the text is in the list again." },
    },
    next: ({ optedOut }) =>
      optedOut ? "The person gets no more texts of this website." : "The person is not opted out.",
  },
  run: async (request, deps) => {
    const { optOut, ...key } = await readFields(request, decisionSchema, BODY_LIMITS.settings);
    const own = await inDatabaseOf(deps, { websiteId: key.websiteId });
    const website = requireFound(await findWebsite(own.db, key.websiteId), "website");
    const row = requireFound(await findText(own.db, key), "text");
    if (!isE164(row.sender)) failField("carrierMessageId", "must be of a text whose sender is a phone number");
    const present = row.decided_opt_out === null ? null : row.decided_opt_out === 1;
    if (present === null && row.maybe_opt_out === 0) failField("carrierMessageId", "must be of a text to decide");
    if (present !== null && optOut !== null && present !== optOut)
      failField("optOut", "is decided already: take it back first, with null");
    if (present !== optOut) await decideEverywhere(own, authorOf(request), website, row, optOut);
    const person = await readPerson(own.db, key.websiteId, toDigits(row.sender));
    const optedOut = person !== undefined && !person.subscribed && person.optedOutByPerson;
    request.logged = { websiteId: key.websiteId, optOut, optedOut };
    return { optedOut };
  },
});

export const decideInbound: Resource = { calls: [decide], schemas: { DecisionRequest: decisionSchema, ...answers } };
