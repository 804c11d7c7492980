import { WEBSITE_ID } from "../domain/clients/website.ts";
import { PACED } from "../domain/messages/sender-pace.ts";
import { maskNumbers } from "../domain/operations/mask.ts";
import { toE164 } from "../domain/people/phone.ts";
import { askEach } from "../flows/databases/ask-each.ts";
import { readWaiting } from "../flows/messages/read-waiting.ts";
import { inQuery, ok, type Resource } from "../http/call.ts";
import { CLIENT_ID, TIME } from "../http/examples.ts";
import { toTime } from "../http/time.ts";
import type { ScheduledGroup, WaitingGroup } from "../store/messages/waiting.ts";
import { type WaitingAnswers, waitingAnswers } from "./answers/waiting.ts";
import { operatorCall } from "./operator-call.ts";
import { readWebsiteId } from "./params.ts";
import { heldHoursView } from "./views/held-hours.ts";
import { holdView } from "./views/hold.ts";

type Waiting = WaitingAnswers["WaitingMessages"];
type Row = Waiting["groups"][number]["rows"][number];

const EXAMPLE = {
  asOf: TIME,
  isCut: false,
  groups: [
    {
      ...{ websiteId: "brand", name: "Brand", timeZone: "America/New_York", isCut: false },
      rows: [
        {
          ...{
            sendPurpose: "spring-sale_01",
            clientId: CLIENT_ID,
            clientName: "The newsletter platform",
            kind: null,
            count: 871,
          },
          ...{ why: "carrier", carrier: "kannel", cause: "HTTP 403", nextTryAt: TIME, held: null, opensAt: null },
          hours: null,
          ...{ oldestAt: TIME, endsAt: TIME },
        },
      ],
    },
  ],
} satisfies Waiting;

const get = operatorCall({
  id: "getWaiting",
  method: "GET",
  path: "/operator/waiting",
  tag: "Messages",
  summary: "Count pending messages by website, purpose and client",
  description:
    "Pending messages that no run has claimed, with those that wait for their time: how many, since when, and why. They are counted, all of them, unless `isCut` says otherwise. `POST /operator/websites/{websiteId}/cancel` with `dryRun` counts them however many there are.",
  parameters: [inQuery("website", "Only of this website.", { pattern: WEBSITE_ID.source })],
  answers: [ok(waitingAnswers.WaitingMessages, "As of now.", EXAMPLE)],
  errors: ["resource-unknown"],
  command: {
    name: "waiting",
    next: ({ groups }) => {
      const cut = groups.filter(({ isCut }) => isCut).map(({ websiteId }) => websiteId);
      return cut.length > 0
        ? `${cut.join(", ")}: more wait than were looked at, so each count is at least so high. \`cancel ${cut[0]} --dry-run\` counts all.`
        : null;
    },
  },
  run: async (request, deps) => {
    const websiteId = await readWebsiteId(request, deps);
    const { answers, missing } = await askEach(deps, (own) => readWaiting(own, websiteId));
    const waiting = answers.flatMap((answer) => answer.waiting).sort((a, b) => a.oldestAt - b.oldestAt);
    const scheduled = answers.flatMap((answer) => answer.scheduled).sort((a, b) => a.opensAt - b.opensAt);
    const cut = new Set(answers.flatMap((answer) => [...answer.cut]));
    const groups = [...Map.groupBy([...waiting, ...scheduled], (group) => group.websiteId)].map(([id, rows]) => ({
      websiteId: id,
      name: rows[0]?.websiteName ?? id,
      timeZone: rows[0]?.websiteZone ?? null,
      isCut: cut.has(id),
      rows: rows.map((row) => ("opensAt" in row ? toScheduledRow(row) : toRow(row))),
    }));
    return { asOf: toTime(deps.now()), isCut: cut.size > 0, groups, ...missing };
  },
});

function toScheduledRow({ opensAt, oldestAt, held, ...others }: ScheduledGroup): Row {
  const { websiteId: _, websiteName: __, websiteZone: ___, ...group } = others;
  const times = { kind: null, opensAt: toTime(opensAt), oldestAt: toTime(oldestAt), endsAt: null };
  const hours = held && heldHoursView({ ...held, phone: toE164(held.phone) });
  const why = held ? "sending-hours" : "scheduled";
  return { ...group, ...times, why, hours: hours ?? null, cause: null, nextTryAt: null, held: null };
}

function toRow({ hold, websiteId: _, websiteName: __, websiteZone: ___, ...group }: WaitingGroup): Row {
  const { oldestAt, endsAt, cause } = group;
  return {
    ...group,
    why: hold ? "held" : cause === null ? "queue" : cause === PACED ? "pace" : "carrier",
    cause: hold || cause === null ? null : maskNumbers(cause),
    nextTryAt: hold ? null : toTime(group.nextTryAt),
    held: hold && holdView(hold),
    opensAt: null,
    hours: null,
    oldestAt: toTime(oldestAt),
    endsAt: toTime(endsAt),
  };
}

export const waiting: Resource = { calls: [get], schemas: waitingAnswers };
