// Tells somebody when a problem begins, once a day while it lasts, and when it ends. The sweep posts by itself: a queue may be
// the problem.
import type { Deps } from "../../deps.ts";
import { signatureHeaders } from "../../domain/callbacks/callback.ts";
import { DAY_MILLISECONDS } from "../../domain/day.ts";
import { describeProblem, type ProblemDetail, subjectOf } from "../../domain/operations/problems.ts";
import { postOnce } from "../../platform/callback-post.ts";
import { withinTime } from "../../platform/time-limit.ts";
import { USER_AGENT } from "../../platform/user-agent.ts";
import {
  deleteAway,
  endTold,
  readAway,
  readTold,
  storeAway,
  storeTold,
  type ToldProblem,
} from "../../store/operations/told-problems.ts";
import { unlessItFails } from "../unless-it-fails.ts";
import { readServiceState } from "./read-service-state.ts";

const HEARTBEAT_MILLISECONDS = 10_000;

/** In one sweep; the next tells the rest. */
const MOST_POSTS = 20;

/** Never throws. @param isRecorded whether the end of this sweep is stored: a heartbeat says that the service works */
export async function tellProblems(deps: Deps, isRecorded: boolean): Promise<void> {
  const { alertUrl, heartbeatUrl } = deps.config;
  if (alertUrl) await unlessItFails(deps, "alert.failed", {}, () => tell(deps, alertUrl));
  if (heartbeatUrl && isRecorded) await unlessItFails(deps, "heartbeat.failed", {}, () => beat(heartbeatUrl));
}

/** @throws Error that says nothing of the URL, which may hold a secret */
async function beat(url: string): Promise<void> {
  const signal = AbortSignal.timeout(HEARTBEAT_MILLISECONDS);
  const answer = await withinTime(
    HEARTBEAT_MILLISECONDS,
    fetch(url, { headers: { "user-agent": USER_AGENT }, signal }),
  );
  await answer.body?.cancel();
  if (!answer.ok) throw new Error(`answered ${answer.status}`);
}

type Kind = "began" | "lasts" | "ended";

interface Alert extends ToldProblem {
  kind: Kind;
}

/** Each is stored as told once its post has succeeded: one that failed is posted again by the next sweep. */
async function tell(deps: Deps, url: string): Promise<void> {
  const { details, database, failing } = await readServiceState(
    deps,
    deps.config.carriers.PUBLIC_ORIGIN ?? "http://localhost",
    null,
  );
  const [unreadable] = database.milliseconds === null ? details : [];
  if (unreadable) return tellAway(deps, url, unreadable);
  const away = await readAway(deps.kv);
  if (away && (await post(deps, url, { ...away, kind: "ended", detail: {} }))) await deleteAway(deps.kv);
  const alerts = findAlerts(details, await readTold(deps.db), deps.now());
  // A problem of a part that does not answer may last.
  const sure = failing.length > 0 ? alerts.filter(({ kind }) => kind !== "ended") : alerts;
  for (const alert of sure.slice(0, MOST_POSTS)) {
    if (!(await post(deps, url, alert))) return;
    if (alert.kind === "ended") await endTold(deps.db, alert, deps.now());
    else await storeTold(deps.db, alert);
  }
}

/** The database is away, or refuses every call: what is told of that is kept elsewhere. */
async function tellAway(deps: Deps, url: string, detail: ProblemDetail): Promise<void> {
  const now = deps.now();
  const told = await readAway(deps.kv);
  if (told && now - told.toldAt < DAY_MILLISECONDS) return;
  const of = { problem: detail.problem, subject: "", endedAt: null, detail };
  const next = { ...of, beganAt: told?.beganAt ?? now, toldAt: now };
  const alert = { ...next, kind: told ? ("lasts" as const) : ("began" as const) };
  if (await post(deps, url, alert)) await storeAway(deps.kv, next);
}

function findAlerts(details: ProblemDetail[], told: ToldProblem[], now: number): Alert[] {
  const keyOf = ({ problem, subject }: { problem: string; subject: string }) => `${problem} ${subject}`;
  const known = new Map(told.map((it) => [keyOf(it), it]));
  const present = new Map(details.map((detail) => [keyOf({ ...detail, subject: subjectOf(detail) }), detail]));
  const begun = [...present].flatMap(([key, detail]): Alert[] => {
    const before = known.get(key);
    if (before && now - before.toldAt < DAY_MILLISECONDS) return [];
    const { problem, since } = detail;
    const beganAt = before?.beganAt ?? (since === null ? now : Date.parse(since));
    const at = { beganAt, toldAt: now, endedAt: null };
    return [{ kind: before ? "lasts" : "began", problem, subject: subjectOf(detail), ...at, detail }];
  });
  const ended = told.filter((it) => !present.has(keyOf(it))).map((it): Alert => ({ ...it, kind: "ended", detail: {} }));
  return [...begun, ...ended];
}

/** @returns whether it was taken */
async function post(deps: Deps, url: string, alert: Alert): Promise<boolean> {
  const now = deps.now();
  const body = JSON.stringify(toBody(alert, now));
  const id = [alert.problem, alert.subject, alert.beganAt, alert.kind, ...(alert.kind === "lasts" ? [now] : [])].join(
    "_",
  );
  const { alertSecret } = deps.config;
  const headers = alertSecret ? signatureHeaders(id, body, [alertSecret], now) : { "webhook-id": id };
  const { httpStatus, outcome } = await postOnce(url, body, headers);
  const isTaken = httpStatus !== null && httpStatus < 300;
  deps.log(isTaken ? "info" : "error", "alert.posted", {
    problem: alert.problem,
    kind: alert.kind,
    outcome,
    httpStatus,
  });
  return isTaken;
}

/** `text` is what Slack and its like show. */
function toBody({ kind, problem, subject, beganAt, detail }: Alert, now: number) {
  const minutes = Math.round((now - beganAt) / 60_000);
  const about = describeProblem(detail) || subject;
  const words = { began: "Problem", lasts: `Problem for ${minutes} minutes`, ended: `Over after ${minutes} minutes` };
  return {
    type: `problem.${kind}`,
    timestamp: new Date(now).toISOString(),
    text: `Textgate: ${words[kind]}: ${problem}${about && ` (${about})`}`,
    data: { problem, subject, beganAt: new Date(beganAt).toISOString(), ...detail },
  };
}
