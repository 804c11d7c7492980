// Whatever happens to texts, an operator's calls count them alike: the overview, the reports, the lists, the waiting texts and the state.
import { expect } from "vitest";
import { formatShare, sumOf } from "../../../console/lib/numbers.ts";
import { rateOf } from "../../../console/lib/rates.ts";
import { OUTCOME_CLASSES } from "../../../src/domain/messages/outcome-class.ts";
import { applyReceipts } from "../../../src/flows/messages/apply-receipts.ts";
import { countLedgers } from "../../../src/flows/operations/count-ledgers.ts";
import { receiveInbound } from "../../../src/flows/people/receive-inbound.ts";
import type { CampaignAnswers } from "../../../src/operator/answers/campaigns.ts";
import type { MessageAnswers } from "../../../src/operator/answers/messages.ts";
import type { OverviewAnswers } from "../../../src/operator/answers/overview.ts";
import type { WaitingAnswers } from "../../../src/operator/answers/waiting.ts";
import type { WebsiteAnswers } from "../../../src/operator/answers/websites.ts";
import type { ReportAnswers } from "../../../src/operator/reports.ts";
import type { ServiceStateAnswers } from "../../../src/operator/views/service-state.ts";
import { recordClick } from "../../../src/store/messages/links.ts";
import { Random } from "../../random.ts";
import { classOf } from "../../store/operations/counted-rows.ts";
import { type TestClient, World } from "../../world.ts";

const OURS = "+12125550000";
const WEBSITES = ["brand", "shop"] as const;
const PURPOSES = ["spring", "summer"];
/** The sandbox delivers most; it refuses, fails, retries, or never reports on numbers with these endings. The last is unknown. */
const ENDINGS = ["0100", "0101", "0102", "0001", "0002", "0003", "0004", "0005", "0006", "0008", "0199"];
const PHONES = ENDINGS.map((ending, index) => `+1${212 + index}555${ending}`);

type Found = MessageAnswers["FoundMessages"]["messages"][number];
type Report = ReportAnswers["Report"];

let world: World;
let clients: TestClient[];

async function begin(): Promise<void> {
  world = await World.create();
  for (const websiteId of WEBSITES) {
    await world.website(websiteId, { carrier: "sandbox", sender: OURS });
    await world.subscribers(websiteId, PHONES.slice(0, -1));
  }
  clients = await Promise.all(WEBSITES.map((websiteId) => world.client(websiteId)));
}

async function read<T>(path: string): Promise<T> {
  const answer = await world.operator("GET", path);
  expect([path, answer.status]).toEqual([path, 200]);
  return answer.json();
}

const overview = (query = "") => read<OverviewAnswers["Overview"]>(`/overview${query}`);
const reportOf = (websiteId: string, by: string) => read<Report>(`/websites/${websiteId}/report?by=${by}`);

/** All that the list has. */
async function list(path: string, query: string): Promise<Found[]> {
  const all: Found[] = [];
  for (let cursor = ""; ; ) {
    const page = await read<MessageAnswers["FoundMessages"]>(`${path}?${query}&cursor=${cursor}`);
    all.push(...page.messages);
    if (page.next === null) return all;
    cursor = page.next;
  }
}

const sum = <T>(rows: T[], count: (row: T) => number) => rows.reduce((total, row) => total + count(row), 0);

type Figures = Pick<Report["total"], (typeof FIGURES)[number]>;

/** The classes, in all answers alike, and their sums. */
const FIGURES = [
  ...(["accepted", "scheduled", "waiting", "notSubscribed", "endedBefore", "notTaken", "sent"] as const),
  ...(["noReceipt", "delivered", "undelivered"] as const),
];

const figuresOf = <Name extends string = never>(counts: Partial<Record<string, unknown>>, ...others: Name[]) =>
  Object.fromEntries([...FIGURES, ...others].map((name) => [name, counts[name] ?? 0])) as Figures &
    Record<Name, number>;

class Life {
  readonly #random: Random;
  #texts = 0;

  constructor(seed: number) {
    this.#random = new Random(seed);
  }

  async step(): Promise<string> {
    const steps = { send: 12, deliver: 4, pass: 4, receipt: 3, click: 4, optOut: 1, hold: 1, release: 1, cancel: 1 };
    const happens = this.#random.weighted(steps);
    await this[happens]();
    return happens;
  }

  async send(): Promise<void> {
    const later = this.#random.weighted({ now: 6, soon: 1, later: 1 });
    const minutes = later === "soon" ? this.#random.between(2, 6) : this.#random.between(60, 300);
    await world.send(this.#random.pick(clients), {
      ...(this.#random.chance(0.1) ? { email: "nobody@example.com" } : { phone: this.#random.pick(PHONES) }),
      sendPurpose: this.#random.pick(PURPOSES),
      ...(this.#random.chance(0.5) ? { clickUrl: "https://example.com/" } : {}),
      ...(later === "now" ? {} : { sendAt: new Date(world.now + minutes * 60_000).toISOString() }),
    });
    if (this.#random.chance(0.2)) world.jobs.length = 0;
  }

  async deliver(): Promise<void> {
    await world.runQueues();
  }

  /** Some minutes, or most of a day. */
  async pass(): Promise<void> {
    const isLong = this.#random.chance(0.2);
    const times = this.#random.between(1, 6);
    for (let time = 0; time < times; time++) {
      world.advance(isLong ? 3 * 3600 + 61 : 61);
      await world.sweep();
    }
  }

  async receipt(): Promise<void> {
    const messageId = await this.#pick("carrier IS NOT NULL");
    const status = this.#random.pick(["DELIVERED", "FAILED_TO_DELIVERY", "SENDING"] as const);
    const receipt = { messageId, status, reason: null, carrierMessageId: null, optedOut: this.#random.chance(0.3) };
    await applyReceipts(world.deps, [receipt, receipt]);
  }

  async click(): Promise<void> {
    const messageId = await this.#pick("click_url IS NOT NULL");
    const click = { messageId, clickedAt: world.now, isPerson: this.#random.chance(0.6), clickId: crypto.randomUUID() };
    await recordClick(world.deps.db, click);
  }

  async optOut(): Promise<void> {
    const about = { from: this.#random.pick(PHONES), to: [OURS], keyword: null, answeredByCarrier: false };
    for (const text of this.#random.pick([["STOP"], ["STOP", "START"]]))
      await receiveInbound(world.deps, "sandbox", { ...about, text, carrierMessageId: `in-${++this.#texts}` });
  }

  async hold(): Promise<void> {
    const filter = this.#random.pick([{}, { sendPurpose: "spring" }]);
    await world.operator("POST", `/websites/${this.#random.pick(WEBSITES)}/hold`, filter);
  }

  async release(): Promise<void> {
    for (const websiteId of WEBSITES) await world.operator("POST", `/websites/${websiteId}/release`, { all: true });
  }

  async cancel(): Promise<void> {
    const filter = { sendPurpose: this.#random.pick(PURPOSES) };
    await world.operator("POST", `/websites/${this.#random.pick(WEBSITES)}/cancel`, filter);
  }

  async erase(): Promise<void> {
    await world.operator("DELETE", `/websites/${this.#random.pick(WEBSITES)}/people/${this.#random.pick(PHONES)}`);
  }

  async #pick(condition: string): Promise<string> {
    const rows = await world.rows(`SELECT message_id FROM messages WHERE ${condition} ORDER BY rowid`);
    return rows.length === 0 ? "" : String(this.#random.pick(rows).message_id);
  }
}

const today = () => new Date(world.now).toISOString().slice(0, 10);

/** The overview, the pages of websites and the metrics count what the reports count; and each report counts the same, by whatever. */
async function expectReportsAgree(): Promise<void> {
  await countLedgers(world.deps, world.now);
  const [all, days] = [await overview(), await read<Report>("/report?by=day")];
  expect(all.asOf).toBe(new Date(world.now).toISOString());
  for (const day of all.days) {
    const row = days.rows.find((it) => it.day === day.day) ?? {};
    expect([day.day, figuresOf(day, "clicked", "optedOut")]).toEqual([day.day, figuresOf(row, "clicked", "optedOut")]);
  }
  for (const name of FIGURES)
    expect([name, sum(all.days, (day) => day[name] ?? Number.NaN)]).toEqual([name, days.total[name]]);
  for (const by of ["purpose", "website", "reason", "sender"]) {
    const { rows, total } = await read<Report>(`/report?by=${by}`);
    expect([by, total]).toEqual([by, days.total]);
    for (const name of [...FIGURES, "held"] as const)
      expect([by, name, sum(rows, (row) => row[name] ?? Number.NaN)]).toEqual([by, name, total[name]]);
  }
  for (const websiteId of WEBSITES) {
    const { rows, total } = await reportOf(websiteId, "day");
    const own = (await overview(`?website=${websiteId}`)).websites[0];
    expect(own).toMatchObject({
      today: figuresOf(rows.find(({ day }) => day === today()) ?? {}),
      month: figuresOf(total, "held"),
      optedOut30Days: total.optedOut,
    });
    expect(all.websites.find((it) => it.websiteId === websiteId)).toEqual(own);
    const { texts } = await read<WebsiteAnswers["WebsiteWithClients"]>(`/websites/${websiteId}`);
    expect(texts).toEqual({ asOf: all.asOf, ...own?.month });
  }
  for (const websiteId of WEBSITES) await expectCampaignsAgree(websiteId);
  expect(await readMetrics()).toEqual(omitSums(figuresOf(days.total)));
  // What the pages of the console say of the reports and of the overview.
  expect(
    formatShare(sumOf(all.days, "delivered"), sumOf(all.days, "delivered") + sumOf(all.days, "undelivered"), 1),
  ).toBe(rateOf("delivered", days.total, undefined).value);
}

/** The campaigns count what the report by purpose counts, in all and by day. */
async function expectCampaignsAgree(websiteId: string): Promise<void> {
  const { rows } = await reportOf(websiteId, "purpose");
  for (const sendPurpose of PURPOSES) {
    const campaign = await read<CampaignAnswers["Campaign"]>(`/websites/${websiteId}/campaigns/${sendPurpose}`);
    const row = rows.find((it) => it.sendPurpose === sendPurpose) ?? {};
    const names = ["held", "clicked", "optedOut"] as const;
    expect([sendPurpose, figuresOf(campaign, ...names)]).toEqual([sendPurpose, figuresOf(row, ...names)]);
    for (const name of [...FIGURES, ...names] as const)
      expect([name, sum(campaign.days, (day) => day[name] ?? Number.NaN)]).toEqual([name, campaign[name]]);
    const [gone] = await world.rows(
      `SELECT count(*) AS count FROM (SELECT min(e.occurred_at) AS at FROM messages m JOIN events e USING (message_id)
        WHERE m.website_id = ?1 AND m.send_purpose = ?2 AND e.event IN ('SENDING', 'DELIVERED', 'FAILED_TO_DELIVERY')
        GROUP BY m.message_id) WHERE at / 60000 > ?3`,
      ...[websiteId, sendPurpose, Math.floor(world.now / 60_000) - 60],
    );
    expect(sum(campaign.minutes, (it) => it.gone)).toBeGreaterThanOrEqual(Number(gone?.count));
  }
}

const omitSums = ({ accepted: _, sent: __, ...classes }: Figures) => classes;

async function readMetrics(): Promise<object> {
  const text = await (await world.operator("GET", "/metrics")).text();
  const found = [...text.matchAll(/^textgate_messages\{class="(\w+)"\} (\d+)$/gm)];
  return Object.fromEntries(found.map(([, name, count]) => [name, Number(count)]));
}

const isPending = ({ status }: Found) => status === "PENDING_TO_SEND";
const isTimed = ({ scheduledFor }: Found) => scheduledFor !== null && Date.parse(scheduledFor) > world.now;
const isHeld = ({ waits }: Found) => waits?.held !== undefined;

/** The lists have what the others count. */
async function expectListsAgree(): Promise<void> {
  const found = await list("/messages", "from=2026-01-01T00:00:00Z");
  const { total } = await read<Report>("/report?by=day");
  const texts = found.filter(({ clientId }) => clientId !== "");
  const of = (...statuses: string[]) => texts.filter(({ status }) => statuses.includes(status)).length;
  const { failed, reasons } = total;
  expect(failed).toEqual(Object.fromEntries(Object.keys(failed).map((status) => [status, of(status)])));
  expect(figuresOf(total, "held")).toEqual(countTexts(texts));
  const searched = { ...Object.fromEntries(OUTCOME_CLASSES.map((name) => [name, [name]])), notArrived: NOT_ARRIVED };
  for (const [outcome, classes] of Object.entries(searched)) {
    const own = texts.filter((it) => classes.includes(outcomeOf(it))).map(({ messageId }) => messageId);
    for (const query of [`outcome=${outcome}`, `outcome=${outcome}&website=brand`, `outcome=${outcome}&website=shop`]) {
      const listed = (await list("/messages", query)).map(({ messageId }) => messageId);
      const meant = own.filter((id) => !query.includes("website") || idsOf(texts, query).includes(id));
      expect([query, listed.toSorted()]).toEqual([query, meant.toSorted()]);
    }
  }
  for (const [reason, count] of Object.entries(reasons))
    expect([reason, texts.filter((it) => it.reason === reason).length]).toEqual([reason, count]);
  const { groups } = await read<WaitingAnswers["WaitingMessages"]>("/waiting");
  const waiting = (...why: string[]) =>
    sum(
      groups.flatMap(({ rows }) => rows.filter((row) => why.includes(row.why))),
      ({ count }) => count,
    );
  const ready = found.filter((it) => isPending(it) && !isTimed(it));
  expect(waiting("held")).toBe(ready.filter(isHeld).length);
  expect(waiting("carrier", "queue")).toBe(ready.filter((it) => !isHeld(it) && it.claimedAt === null).length);
  expect(waiting("scheduled", "sending-hours")).toBe(found.filter((it) => isPending(it) && isTimed(it)).length);
  const { messages } = await read<ServiceStateAnswers["ServiceState"]>("/health");
  const { held, withoutReceipt, claimed, stuck } = messages;
  expect([held.count, withoutReceipt.count]).toEqual([
    waiting("held"),
    found.filter((it) => it.status === "SENDING").length,
  ]);
  expect(Number(messages.waiting.count) + Number(messages.retrying.count)).toBe(waiting("carrier", "queue"));
  expect(Number(claimed.count) + Number(stuck.count)).toBe(ready.filter((it) => it.claimedAt !== null).length);
  const minute = Math.floor(world.now / 60_000) - 1;
  const isYoung = ({ acceptedAt }: Found) => Math.floor(Date.parse(acceptedAt) / 60_000) >= minute;
  const { needs, websites, minutes } = await overview();
  const late = texts.filter((it) => isPending(it) && !isTimed(it) && !isYoung(it) && !isHeld(it));
  expect(needs.overdue).toBe(late.length);
  expect(needs.held).toBe(total.held);
  expect(sum(websites, ({ overdue }) => overdue ?? Number.NaN)).toBe(late.length);
  const ofHour = texts.filter(({ acceptedAt }) => Math.floor(Date.parse(acceptedAt) / 60_000) > minute - 59);
  const hour = Object.fromEntries(
    [...FIGURES, "held" as const].map((name) => [name, sum(minutes, (it) => it[name] ?? Number.NaN)]),
  );
  expect(hour).toEqual(countTexts(ofHour));
}

/** The carrier did not take it, or did not deliver it. */
const NOT_ARRIVED: string[] = ["undelivered", "notTaken"];

const outcomeOf = (it: Found): string =>
  isTimed(it) && isPending(it) ? "scheduled" : (classOf(it.status, it.reason) ?? "waiting");

/** Those of the website that a query ends with. */
const idsOf = (texts: Found[], query: string) =>
  texts.filter(({ websiteId }) => query.endsWith(`=${websiteId}`)).map(({ messageId }) => messageId);

/** What the lists say. */
function countTexts(texts: Found[]) {
  const names = texts.map(outcomeOf);
  const of = (...some: string[]) => names.filter((name) => some.includes(name)).length;
  const classes = Object.fromEntries(FIGURES.map((name) => [name, of(name)]));
  return {
    ...(classes as Figures),
    ...{
      accepted: texts.length,
      sent: of("noReceipt", "delivered", "undelivered"),
    },
    held: texts.filter((it) => isPending(it) && !isTimed(it) && isHeld(it)).length,
  };
}

export interface Length {
  steps: number;
  /** The calls are compared after so many steps. */
  every: number;
  /** What is erased or purged is in no list any more, and is counted all the same. */
  erasures: number;
}

/** @returns the kinds of steps that happened */
export async function expectAgree(seed: number, { steps, every, erasures }: Length): Promise<Set<string>> {
  await begin();
  const life = new Life(seed);
  const happened = new Set<string>();
  for (let step = 1; step <= steps; step++) {
    happened.add(await life.step());
    if (step % every > 0) continue;
    await expectReportsAgree();
    await expectListsAgree();
  }
  for (let time = 0; time < erasures; time++) {
    await life.erase();
    await life.send();
    await life.pass();
    await expectReportsAgree();
  }
  return happened;
}
