import { type Cell, toTable } from "./operator-report.ts";

interface Text {
  from: string;
  to: string;
  text: string;
  keyword: string | null;
  receivedAt: string;
  /** null: of no website. Of a list of one website's texts there is none. */
  websiteId?: string | null;
}

interface Person {
  phone: string;
  subscribed: boolean;
  email: string | null;
  optedOutByPerson: boolean;
  changes: { from: boolean | null; to: boolean; at: string; source: string; proof: string }[];
  texts: Text[];
}

export function showPerson(answer: string): string {
  const person = JSON.parse(answer) as Person;
  const state = person.subscribed ? "subscribed" : "not subscribed";
  const facts = toTable([
    ["phone", person.phone],
    ["email", person.email],
    ["state", person.optedOutByPerson ? "opted out by the person: only START brings them back" : state],
  ]);
  const changes = person.changes.map(({ at, from, to, source, proof }) => [at, describe(from, to), source, proof]);
  const texts = person.texts.length === 0 ? "No texts." : toTable(person.texts.map(toRow));
  return [facts, "", changes.length === 0 ? "No changes." : toTable(changes), "", texts].join("\n");
}

function describe(from: boolean | null, to: boolean): string {
  const name = (state: boolean | null) => (state === null ? "unknown" : state ? "subscribed" : "unsubscribed");
  return `${name(from)} -> ${name(to)}`;
}

export function showInbound(answer: string): string {
  const { texts } = JSON.parse(answer) as { texts: Text[] };
  if (texts.length === 0) return "No texts.";
  if (texts[0]?.websiteId === undefined) return toTable([["RECEIVED", "FROM", "KEYWORD", "TEXT"], ...texts.map(toRow)]);
  const rows = texts.map((text): Cell[] => [text.websiteId ?? "none", text.to, ...toRow(text)]);
  return toTable([["WEBSITE", "TO", "RECEIVED", "FROM", "KEYWORD", "TEXT"], ...rows]);
}

function toRow({ receivedAt, from, keyword, text }: Text): Cell[] {
  return [receivedAt, from, keyword, text];
}

export function showEmailRemoval(answer: string): string {
  const { phone } = JSON.parse(answer) as { phone: string };
  return `${phone} has no e-mail address.`;
}

export function showErasure(answer: string): string {
  const { phone, erasedMessages } = JSON.parse(answer) as { phone: string; erasedMessages: number };
  return `Erased ${phone}, with ${erasedMessages} ${erasedMessages === 1 ? "message" : "messages"}.`;
}

interface Counts {
  accepted: number;
  sent: number;
  delivered: number;
  failed: Record<string, number>;
  clicked: number;
  optedOut: number;
  segments: number;
}

export function showReport(answer: string): string {
  const report = JSON.parse(answer) as {
    from: string;
    to: string;
    by: string;
    rows: (Counts & { day?: string; sendPurpose?: string })[];
    total: Counts;
  };
  const head = [report.by.toUpperCase(), "ACCEPTED", "SENT", "DELIVERED", "FAILED", "CLICKED", "OPTED OUT", "SEGMENTS"];
  const rows = report.rows.map((row) => toCounts(row.day ?? row.sendPurpose ?? "", row));
  const reasons = Object.entries(report.total.failed).filter(([, count]) => count > 0);
  return [
    `${report.from} to ${report.to} (UTC)`,
    "",
    toTable([head, ...rows, toCounts("total", report.total)]),
    ...(reasons.length === 0
      ? []
      : ["", `Failed: ${reasons.map(([reason, count]) => `${reason} ${count}`).join(", ")}`]),
  ].join("\n");
}

function toCounts(name: string, counts: Counts): Cell[] {
  const failed = Object.values(counts.failed).reduce((sum, count) => sum + count, 0);
  return [
    name,
    counts.accepted,
    counts.sent,
    counts.delivered,
    failed,
    counts.clicked,
    counts.optedOut,
    counts.segments,
  ];
}
