// Keeps which problems begin and end, and tells somebody when a problem begins, once a day while it lasts, and when it ends. The sweep
// posts by itself: a queue may be the problem.
import type { Deps } from "../../deps.ts";
import { signatureHeaders } from "../../domain/callbacks/callback.ts";
import { DAY_MILLISECONDS } from "../../domain/day.ts";
import { describeProblem, type ProblemDetail, subjectOf } from "../../domain/operations/problems.ts";
import { postOnce } from "../../platform/callback-post.ts";
import { withinTime } from "../../platform/time-limit.ts";
import { USER_AGENT } from "../../platform/user-agent.ts";
import { storeAlertRefusal } from "../../store/operations/last-sweep.ts";
import { COUNTED_ROWS } from "../../store/operations/service-state.ts";
import {
  deleteAway,
  readAway,
  readOpen,
  readUntoldEnds,
  storeAway,
  storeProblems,
  storeTold,
  type ToldProblem,
} from "../../store/operations/told-problems.ts";
import { unlessItFails } from "../unless-it-fails.ts";
import { FEW_ROWS, readServiceState } from "./read-service-state.ts";

const HEARTBEAT_MILLISECONDS = 10_000;

/** The most alerts of one sweep. The next sweep posts the others. */
export const MOST_POSTS = 20;

/** Never throws. @param isRecorded whether the end of this sweep is stored: a heartbeat says that the service works */
export async function tellProblems(deps: Deps, isRecorded: boolean): Promise<void> {
  const { alertUrl, heartbeatUrl } = deps.config;
  await unlessItFails(deps, "alert.failed", {}, () => keepAndTell(deps, alertUrl));
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

/** @param url undefined: no alert is posted, and only the history of the overview is stored */
async function keepAndTell(deps: Deps, url: string | undefined): Promise<void> {
  const origin = deps.config.carriers.PUBLIC_ORIGIN ?? "http://localhost";
  const { details, database, failing } = await readServiceState(deps, origin, null, url ? COUNTED_ROWS : FEW_ROWS);
  const [unreadable] = database.milliseconds === null ? details : [];
  if (unreadable) return url ? tellAway(deps, url, unreadable) : undefined;
  const { begun, lasting, ended } = compare(details, await readOpen(deps.db), deps.now());
  // A problem of a part that does not answer may last.
  const sure = failing.length > 0 ? [] : ended;
  if (begun.length + sure.length > 0) await storeProblems(deps.db, begun, sure, deps.now());
  if (url) await tell(deps, url, [...begun, ...lasting]);
}

const keyOf = ({ problem, subject }: { problem: string; subject: string }) => `${problem} ${subject}`;

/** @param open those of the sweep before. @returns `lasting`: as they are now */
function compare(details: ProblemDetail[], open: ToldProblem[], now: number) {
  const known = new Map(open.map((it) => [keyOf(it), it]));
  const present = new Map(
    details.map((detail): [string, ToldProblem] => {
      const { problem, since } = detail;
      const subject = subjectOf(detail);
      const before = known.get(keyOf({ problem, subject }));
      const { beganAt = since === null ? now : Date.parse(since), toldAt = 0 } = before ?? {};
      return [keyOf({ problem, subject }), { problem, subject, beganAt, toldAt, endedAt: null, detail }];
    }),
  );
  const all = [...present];
  return {
    begun: all.flatMap(([key, it]) => (known.has(key) ? [] : [it])),
    lasting: all.flatMap(([key, it]) => (known.has(key) ? [it] : [])),
    ended: open.filter((it) => !present.has(keyOf(it))),
  };
}

/** Each is stored as told once its post has succeeded: one that failed is posted again by the next sweep. */
async function tell(deps: Deps, url: string, open: ToldProblem[]): Promise<void> {
  const away = await readAway(deps.kv);
  if (away && (await post(deps, url, { ...away, kind: "ended", detail: {} })) === null) await deleteAway(deps.kv);
  const now = deps.now();
  const due = open.filter(({ toldAt }) => now - toldAt >= DAY_MILLISECONDS);
  const ends = await readUntoldEnds(deps.db, now - DAY_MILLISECONDS);
  const alerts: Alert[] = [
    ...due.map((it) => ({ ...it, kind: it.toldAt > 0 ? ("lasts" as const) : ("began" as const) })),
    ...ends.map((it) => ({ ...it, kind: "ended" as const, detail: {} })),
  ];
  let refusal: string | null = null;
  for (const alert of alerts.slice(0, MOST_POSTS)) {
    refusal = await post(deps, url, alert);
    if (refusal !== null) break;
    await storeTold(deps.db, alert, deps.now());
  }
  if (alerts.length > 0) await storeAlertRefusal(deps.db, refusal, deps.now());
}

/** The database is down, or refuses every call. The alerts about that are kept in another store. */
async function tellAway(deps: Deps, url: string, detail: ProblemDetail): Promise<void> {
  const now = deps.now();
  const told = await readAway(deps.kv);
  if (told && now - told.toldAt < DAY_MILLISECONDS) return;
  const of = { problem: detail.problem, subject: "", endedAt: null, detail };
  const next = { ...of, beganAt: told?.beganAt ?? now, toldAt: now };
  const alert = { ...next, kind: told ? ("lasts" as const) : ("began" as const) };
  if ((await post(deps, url, alert)) === null) await storeAway(deps.kv, next);
}

/** @returns null: it was taken; otherwise what became of it, in words */
async function post(deps: Deps, url: string, alert: Alert): Promise<string | null> {
  const now = deps.now();
  const body = JSON.stringify(toBody(alert, now, deps.config.carriers.PUBLIC_ORIGIN));
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
  if (isTaken) return null;
  return httpStatus === null ? outcome : `HTTP ${httpStatus}`;
}

/** `text` is what Slack and its like show. @param origin where the page of the operator is, if it is known */
function toBody({ kind, problem, subject, beganAt, detail }: Alert, now: number, origin: string | undefined) {
  const minutes = Math.round((now - beganAt) / 60_000);
  const about = describeProblem(detail) || subject;
  const words = { began: "Problem", lasts: `Problem for ${minutes} minutes`, ended: `Over after ${minutes} minutes` };
  const advice = origin && kind !== "ended" ? `. What to do: ${origin}/docs/operator#${problem}` : "";
  return {
    type: `problem.${kind}`,
    timestamp: new Date(now).toISOString(),
    text: `Textgate: ${words[kind]}: ${problem}${about && ` (${about})`}${advice}`,
    data: { problem, subject, beganAt: new Date(beganAt).toISOString(), ...detail },
  };
}
