import { cancelSchema, holdSchema } from "../../domain/messages/hold.ts";
import { holdAnswers } from "../../http/operator/holds.ts";
import { type ApiOperation, ok } from "../operation.ts";
import { type Resource, settingsBody, WEBSITE_PARAMETER } from "./resource.ts";

export function describeHolds(): Resource {
  const common = {
    ...{ method: "post", tag: "Websites", access: "operator" },
    parameters: [WEBSITE_PARAMETER],
    errors: ["resource-unknown"],
  } satisfies Partial<ApiOperation>;
  const operations: ApiOperation[] = [
    {
      ...common,
      id: "holdMessages",
      path: "/operator/websites/{websiteId}/hold",
      summary: "Hold the waiting messages of a website",
      description:
        "Of the whole website, of one `sendPurpose`, of one client, or of both. What waits is not submitted until it is released; what a run has claimed goes, ten messages or so. New messages are accepted, and held. Replies to keywords are not held. A hold does not stop the clock: after `SUBMIT_WITHIN_HOURS` a held message is FAILED_TO_SEND.",
      body: settingsBody(holdSchema, { campaign: { sendPurpose: "spring-sale_01" }, website: {} }),
      answers: [ok(holdAnswers.HeldMessages, "The hold is stored.", { held: 1500 })],
    },
    {
      ...common,
      id: "releaseMessages",
      path: "/operator/websites/{websiteId}/release",
      summary: "Release what is held",
      description:
        "Ends the hold with the same fields; without any, all holds of the website. What another hold still covers stays held. Several hundred thousand messages take a minute: then the answer has `more`, and the call is to be repeated.",
      body: settingsBody(holdSchema, { campaign: { sendPurpose: "spring-sale_01" }, all: {} }),
      answers: [ok(holdAnswers.ReleasedMessages, "What was held is due.", { released: 1500 })],
    },
    {
      ...common,
      id: "cancelWaitingMessages",
      path: "/operator/websites/{websiteId}/cancel",
      summary: "Cancel the waiting messages of a website",
      description:
        "What waits or is held becomes FAILED_TO_SEND, with its callbacks. `dryRun` counts it, and changes nothing. What a run has claimed goes, and new messages are accepted: hold first. All waiting messages of the website are looked at, however many other websites have. Several hundred thousand take a minute: then the answer has `more`, and the call is to be repeated.",
      body: settingsBody(cancelSchema, { count: { sendPurpose: "spring-sale_01", dryRun: true } }),
      answers: [ok(holdAnswers.CancelledMessages, "They are cancelled, or counted.", { cancelled: 1500 })],
    },
  ];
  return { operations, schemas: { HoldRequest: holdSchema, CancelRequest: cancelSchema, ...holdAnswers } };
}
