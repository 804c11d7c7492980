import { WEBSITE_ID } from "../domain/clients/website.ts";
import { type Hold, holdSchema, releaseSchema } from "../domain/messages/hold.ts";
import { askEach } from "../flows/databases/ask-each.ts";
import { countHeld, holdMessages, releaseMessages } from "../flows/messages/hold-messages.ts";
import { authorOf } from "../http/api-request.ts";
import { inQuery, ok, type Resource } from "../http/call.ts";
import { TIME } from "../http/examples.ts";
import type { WaitingCount } from "../store/messages/find-waiting.ts";
import { listHolds } from "../store/messages/holds.ts";
import { holdAnswers } from "./answers/holds.ts";
import { countOf, operatorCall, settingsBody } from "./operator-call.ts";
import { readWebsiteId, WEBSITE } from "./params.ts";
import { forTheSame, OF_WEBSITE, REPEAT, readScope, SCOPE_OPTIONS, sayWaiting } from "./scope.ts";
import { holdView } from "./views/hold.ts";

const HOLD_ID = "0197c2ab-71d4-4e0b-8a01-0000000000a1";

const HOLD = {
  ...{ holdId: HOLD_ID, sendPurpose: "spring-sale_01", clientId: null },
  ...{ since: TIME, by: "ada", reason: "wrong link" },
};

const sayCount = ({ count, atLeast }: WaitingCount) => ({ count, ...(atLeast ? { atLeast } : {}) });

const hold = operatorCall({
  ...OF_WEBSITE,
  id: "holdMessages",
  path: "/operator/websites/:websiteId/hold",
  summary: "Hold the waiting messages of a website",
  description:
    "Holds the whole website, one `sendPurpose`, one client, or one of both. Waiting messages are not submitted until the hold is released. Messages that a run has claimed still go: about 10, at most 20. New messages are accepted, and held. A scheduled message that is covered is held, and counted, once its time comes. Replies to keywords are not held. A hold does not stop the clock: after `SUBMIT_WITHIN_HOURS` a held message is FAILED_TO_SEND. Who held it and the `reason` are shown with the website and its messages. The messages are counted after the hold has taken effect, for a second at most.",
  parameters: [WEBSITE],
  body: settingsBody(holdSchema, { campaign: { sendPurpose: "spring-sale_01", reason: "wrong link" }, website: {} }),
  answers: [ok(holdAnswers.HeldMessages, "The hold is stored.", { holdId: HOLD_ID, held: 1500 })],
  errors: ["resource-unknown"],
  command: {
    name: "hold",
    options: SCOPE_OPTIONS,
    next: ({ holdId, held, atLeast, alreadyHeld }, { websiteId }) =>
      [
        ...(alreadyHeld ? ["The hold was there before. `holds` shows who made it, and why."] : []),
        `${atLeast ? "At least " : ""}${sayWaiting(held)} held. \`release ${websiteId} --hold ${holdId}\` sends them.`,
      ].join("\n"),
  },
  run: async (request, deps) => {
    const { websiteId, given } = await readScope(request, deps, holdSchema);
    const { holdId, isNew, held } = await holdMessages(deps, authorOf(request), websiteId, given);
    const { count, ...counted } = sayCount(held);
    const answer = { holdId, held: count, ...counted, ...(isNew ? {} : { alreadyHeld: true as const }) };
    request.logged = { websiteId, ...answer };
    return answer;
  },
});

const list = operatorCall({
  id: "listHolds",
  method: "GET",
  path: "/operator/holds",
  tag: "Websites",
  summary: "List the holds",
  description:
    "Every hold of all websites, or of one, with how many waiting messages it covers. A hold without a waiting message holds the messages that come later.",
  parameters: [inQuery("website", "Only of this website.", { pattern: WEBSITE_ID.source })],
  answers: [ok(holdAnswers.HoldList, "As of now.", { holds: [{ ...HOLD, websiteId: "brand", texts: 1500 }] })],
  errors: ["resource-unknown"],
  command: {
    name: "holds",
    next: ({ holds }) => (holds.length > 0 ? "`release <websiteId> --hold <holdId>` ends one." : null),
  },
  run: async (request, deps) => {
    const websiteId = await readWebsiteId(request, deps);
    const { answers, missing } = await askEach(deps, async (own) => {
      const holds = [];
      for (const website of await listHolds(own.db, websiteId)) {
        const counts = await countHeld(own, website.websiteId, website.holds);
        holds.push(...website.holds.map((it, index) => toRow(website.websiteId, it, counts[index])));
      }
      return holds;
    });
    return { holds: answers.flat(), ...missing };
  },
});

function toRow(websiteId: string, it: Hold, counted: WaitingCount = { count: 0, atLeast: true }) {
  const { holdId, ...stored } = holdView(it);
  const { count, ...atLeast } = sayCount(counted);
  return { holdId, websiteId, ...stored, texts: count, ...atLeast };
}

const release = operatorCall({
  ...OF_WEBSITE,
  id: "releaseMessages",
  path: "/operator/websites/:websiteId/release",
  summary: "Release the held messages of a website",
  description:
    "Ends the hold with this `holdId`, the one of this `sendPurpose` and `clientId`, or, with `all`, every hold of the website. Without any field, it ends the hold of the whole website, and no other. If it would end none, the answer is 40401, and its `details` list the holds of the website. Messages that another hold still covers stay held. Several hundred thousand messages take a minute: then the answer has `more`, and the call is to be repeated.",
  parameters: [WEBSITE],
  body: settingsBody(releaseSchema, {
    hold: { holdId: HOLD_ID },
    campaign: { sendPurpose: "spring-sale_01" },
    website: {},
    all: { all: true },
  }),
  answers: [
    ok(holdAnswers.ReleasedMessages, "The held messages are due.", { released: 1500, ended: [HOLD], remaining: [] }),
  ],
  errors: ["resource-unknown"],
  command: {
    name: "release",
    options: {
      hold: { field: "holdId", summary: "The hold with this id. `holds` lists them." },
      ...SCOPE_OPTIONS,
      all: { field: "all", summary: "Every hold of the website." },
    },
    next: ({ released, more, remaining }, given) =>
      [
        more
          ? REPEAT
          : `${sayWaiting(released)} due now, and sent within a minute. ${forTheSame("hold", given)} stops what has not gone.`,
        ...(remaining.length > 0
          ? [`${countOf(remaining.length, "other hold")} of the website last${remaining.length === 1 ? "s" : ""}.`]
          : []),
      ].join("\n"),
  },
  run: async (request, deps) => {
    const { websiteId, given } = await readScope(request, deps, releaseSchema);
    const { count, more, ended, remaining } = await releaseMessages(deps, authorOf(request), websiteId, given);
    request.logged = { websiteId, released: count, ended: ended.length };
    const lists = { ended: ended.map(holdView), remaining: remaining.map(holdView) };
    return { released: count, ...lists, ...(more ? { more } : {}) };
  },
});

export const holds: Resource = {
  calls: [list, hold, release],
  schemas: { HoldRequest: holdSchema, ReleaseRequest: releaseSchema, ...holdAnswers },
};
