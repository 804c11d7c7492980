import { readCampaign } from "../flows/operations/read-campaign.ts";
import { inPath, ok, type Resource } from "../http/call.ts";
import { TIME } from "../http/examples.ts";
import { toTime } from "../http/time.ts";
import { campaignAnswers } from "./answers/campaigns.ts";
import { operatorCall } from "./operator-call.ts";
import { decode, requireWebsite, WEBSITE } from "./params.ts";
import { holdView } from "./views/hold.ts";

const COUNTS = {
  ...{ accepted: 40_000, scheduled: 0, waiting: 15_600, held: 0, notSubscribed: 80, endedBefore: 0, notTaken: 20 },
  ...{ sent: 24_300, noReceipt: 700, delivered: 23_300, undelivered: 300, clicked: 1200, optedOut: 35 },
};

const get = operatorCall({
  id: "getCampaign",
  method: "GET",
  path: "/operator/websites/:websiteId/campaigns/:sendPurpose",
  tag: "Websites",
  summary: "Look at a campaign: the messages of a purpose of a website",
  description:
    "What has become of the messages with this `sendPurpose` that were accepted in the last 30 days, how fast they go, when the last of them goes, and which holds cover them. The sweep counts once a minute, so the counts are at most two minutes old. A look reads at most 500 rows, however many messages there are, and two for each pending message of the website, 50,000 messages at most. For older messages see the report by purpose.",
  database: "named",
  parameters: [WEBSITE, inPath("sendPurpose", "The `sendPurpose` of the messages.", "spring-sale_01")],
  answers: [
    ok(campaignAnswers.Campaign, "As of now.", {
      ...{ websiteId: "brand", websiteName: "Brand", timeZone: "America/New_York", sendPurpose: "spring-sale_01" },
      ...{ asOf: TIME, ...COUNTS, holds: [], perMinute: 2430, endsAt: TIME },
      senderPace: { messagesPerMinute: 2400, messagesPerDay: 40_000 },
      minutes: [{ at: TIME, gone: 2430 }],
      days: [{ day: "2026-11-21", ...COUNTS }],
    }),
  ],
  errors: ["resource-unknown"],
  command: { name: "campaign" },
  run: async (request, deps) => {
    const website = await requireWebsite(request, deps);
    const sendPurpose = decode(request.params.sendPurpose ?? "");
    const { asOf, endsAt, holds, minutes, ...counts } = await readCampaign(deps, website, sendPurpose);
    return {
      ...{ websiteId: website.websiteId, websiteName: website.name, timeZone: website.timeZone ?? null, sendPurpose },
      ...counts,
      asOf: toTime(asOf),
      endsAt: toTime(endsAt),
      holds: holds.map(holdView),
      minutes: minutes.map(({ at, gone }) => ({ at: toTime(at), gone })),
    };
  },
});

export const campaigns: Resource = { calls: [get], schemas: campaignAnswers };
