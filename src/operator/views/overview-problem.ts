// A problem as the overview shows it: with the names of what it concerns, and how much.
import type * as z from "zod";
import type { ProblemDetail } from "../../domain/operations/problems.ts";
import type { Overview } from "../../flows/operations/read-overview.ts";
import { FEW_ROWS } from "../../flows/operations/read-service-state.ts";
import { toTime } from "../../http/time.ts";
import type { nowProblemSchema, pastProblemSchema } from "../answers/problems.ts";

type Read = Pick<Overview, "state" | "websites" | "isCut" | "overdue" | "names">;

export function nowProblemView(detail: ProblemDetail, read: Read): z.output<typeof nowProblemSchema> {
  const { problem, websiteId, clientId, carrier } = detail;
  const named = read.names.websites.get(websiteId ?? "");
  const held = named ? [named] : carrier === null || problem === "sender-paused" ? [] : waitingFor(carrier, read);
  return {
    ...detail,
    websiteNames: held.map(({ name }) => name),
    clientName: read.names.clients.get(clientId ?? "") ?? null,
    timeZone: held[0]?.timeZone ?? null,
    affected: affectedBy(detail, read),
  };
}

export function pastProblemView(
  { problem, beganAt, endedAt, detail }: Overview["past"][number],
  names: Overview["names"],
): z.output<typeof pastProblemSchema> {
  const { carrier = null, websiteId = null, clientId = null, host = null, database = null, cause = null } = detail;
  return {
    problem,
    carrier,
    websiteId,
    websiteName: names.websites.get(websiteId ?? "")?.name ?? null,
    clientId,
    clientName: names.clients.get(clientId ?? "") ?? null,
    host,
    database,
    cause,
    began: toTime(beganAt),
    ended: toTime(endedAt),
  };
}

const waitingFor = (carrier: string, { websites }: Read) =>
  websites.filter((website) => website.carrier === carrier && website.overdue !== 0);

const sumOrNull = (counts: (number | null)[]) =>
  counts.reduce((sum, count) => (sum === null || count === null ? null : sum + count), 0);

function affectedBy({ problem, carrier, websiteId, clientId }: ProblemDetail, read: Read): number | null {
  const { state, isCut, overdue } = read;
  // As many as are read may be fewer than there are.
  const known = (count: number | null) => (count === null || count >= FEW_ROWS ? null : count);
  switch (problem) {
    case "carrier-credentials":
    case "carrier-paused":
    case "carrier-not-set-up":
      return isCut || carrier === null ? null : sumOrNull(waitingFor(carrier, read).map((it) => it.overdue));
    case "sender-paused":
      return read.websites.find((website) => website.websiteId === websiteId)?.overdue ?? null;
    case "messages-late":
      return overdue;
    case "endpoint-failing":
      return state.callbacks.failingEndpoints.find((it) => it.clientId === clientId)?.failures ?? null;
    case "dead-jobs":
      return known(state.deadJobs.count);
    case "keywords-without-effect":
      return known(state.keywordsWithoutEffect.count);
    case "maybe-opt-outs":
      return known(state.maybeOptOuts.count);
    case "inbound-unreadable":
      return state.unreadableTexts.find((it) => it.carrier === carrier)?.count ?? null;
    default:
      return null;
  }
}
