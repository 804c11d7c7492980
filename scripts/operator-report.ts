interface Client {
  clientId: string;
  websiteId: string;
  callbackUrl: string | null;
  operations: string[];
  suspended: boolean;
}

interface Website {
  websiteId: string;
  name: string;
  carrier: string;
  sender: string | null;
  helpText: string | null;
  duplicateWindowHours: number | null;
  clients?: Client[];
}

interface Callback {
  eventId: string;
  attemptedAt: string | null;
  outcome: string | null;
  httpStatus: number | null;
  response: string | null;
  durationMilliseconds: number | null;
}

interface MessageReport {
  [field: string]: unknown;
  events: { eventId: string; eventType: string; status: string; occurredAt: string }[];
  callbacks: Callback[];
}

export type Cell = string | number | null | undefined;

export function showWebsites(answer: string): string {
  const { websites } = JSON.parse(answer) as { websites: Website[] };
  if (websites.length === 0) return "There is no website yet: put-website makes one.";
  const rows = websites.map((it) => [it.websiteId, it.name, it.carrier, it.sender]);
  return toTable([["WEBSITE", "NAME", "CARRIER", "SENDER"], ...rows]);
}

export function showWebsite(answer: string): string {
  const { clients = [], ...website } = JSON.parse(answer) as Website;
  const hours = website.duplicateWindowHours;
  const settings = toTable([
    ["website", website.websiteId],
    ["name", website.name],
    ["carrier", website.carrier],
    ["sender", website.sender],
    ["help text", website.helpText],
    ["duplicates", hours === null ? "not suppressed" : `suppressed for ${hours} h`],
  ]);
  return [settings, "", clients.length === 0 ? "No clients." : clients.map(describeClient).join("\n\n")].join("\n");
}

export function showChange(answer: string): string {
  return describeClient(JSON.parse(answer));
}

function describeClient({ clientId, callbackUrl, operations, suspended }: Client): string {
  return toTable([
    ["client", clientId + (suspended ? "  SUSPENDED" : "")],
    ["callbacks", callbackUrl],
    ["operations", operations.join(", ") || "none"],
  ]);
}

export function showSecrets(answer: string): string {
  const { clientId, clientSecret, callbackSecret } = JSON.parse(answer);
  return [
    toTable([
      ...(clientId ? [["X-Client-ID", clientId]] : []),
      ["X-Client-Secret", clientSecret],
      ["callback secret", callbackSecret],
    ]),
    "",
    "Keep them now: they are not shown again.",
  ].join("\n");
}

export function showImport(answer: string): string {
  const { imported, invalidPhoneNumbers, invalidEmails = [], optedOutNumbers = [] } = JSON.parse(answer);
  const list = (title: string, items: string[]) =>
    items.length === 0 ? [] : [`${title}: ${items.length}`, ...items.map((item) => `  ${printable(item)}`)];
  return [
    `Imported: ${imported}`,
    ...list("Not phone numbers, left out", invalidPhoneNumbers),
    ...list("Not e-mail addresses, their numbers imported without", invalidEmails),
    ...list("Opted out by the person, and not brought back", optedOutNumbers),
  ].join("\n");
}

export function showMessage(answer: string): string {
  const message = JSON.parse(answer) as MessageReport;
  const fields = ["status", "reason", "phone", "email", "text", "mediaUrl", "clickUrl", "callbackData", "sendPurpose"];
  const origin = ["websiteId", "clientId", "carrier", "carrierMessageId", "attempts"];
  const facts = ["messageId", ...fields, ...origin].map((field) => [field, message[field] as Cell]);
  const times = [[message.acceptedAt as string, "accepted", ""], ...timeline(message)];
  const retry = message.retryAt ? ["", `The carrier is asked again at ${message.retryAt}.`] : [];
  return [toTable(facts.filter(([, value]) => value !== null)), "", toTable(times), ...retry].join("\n");
}

function timeline({ events, callbacks }: MessageReport): Cell[][] {
  const byEvent = new Map(callbacks.map((callback) => [callback.eventId, callback]));
  return events.flatMap(({ eventId, eventType, status, occurredAt }) => {
    const callback = byEvent.get(eventId);
    const what = eventType === "message.status" ? status : eventType.replace("message.", "");
    const answer = callback?.response ? [["", "", `  ${callback.response.slice(0, 200)}`]] : [];
    return [[occurredAt, what, describeCallback(callback)], ...answer];
  });
}

function describeCallback(callback: Callback | undefined): string {
  if (!callback) return "no callback wanted";
  const { attemptedAt, outcome, httpStatus, durationMilliseconds } = callback;
  if (attemptedAt === null) return "callback waits to be posted";
  if (outcome === null) return "callback is being posted, or its outcome is unknown";
  const what = outcome === "answered" ? `answered ${httpStatus}` : outcome;
  return `callback ${what} after ${durationMilliseconds} ms`;
}

/** Aligned columns, two spaces between them. */
export function toTable(rows: Cell[][]): string {
  const cells = rows.map((row) => row.map((cell) => printable(cell === null ? "-" : String(cell ?? ""))));
  const widths = (cells[0] ?? []).map((_, column) => Math.max(...cells.map((row) => row[column]?.length ?? 0)));
  return cells
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}

/** Texts and answers come from strangers: what they hold of control characters is not for the terminal to obey. */
function printable(text: string): string {
  return text.replace(/\p{Cc}+/gu, " ");
}
