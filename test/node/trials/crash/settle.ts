import { setTimeout as wait } from "node:timers/promises";
import type { ServiceState } from "../../../../src/domain/operations/problems.ts";
import type { CountingReceiver } from "../../harness/counting-receiver.ts";
import { type CountingCarrier, RECEIPT } from "../../harness/fake-kannel.ts";
import type { Service } from "../../harness/killable-service.ts";
import { operate } from "../../harness/service.ts";
import { readRecord, type ServiceRecord } from "./record.ts";

const SILENCE_MILLISECONDS = 3000;
const LOOK_AGAIN_MILLISECONDS = 250;
/** A message without a job waits for a minute and a half, and again after each kill that loses the new one. */
const LONGEST_SEARCH_MILLISECONDS = 420_000;

/** Waits until nothing waits any more, ends the service and reads its record. */
export async function settle(
  { service, websiteIds }: { service: Service; websiteIds: string[] },
  carrier: CountingCarrier,
  receiver: CountingReceiver,
  longestMilliseconds = LONGEST_SEARCH_MILLISECONDS,
): Promise<{ record: ServiceRecord; reports: Report[] }> {
  await untilSilent(service, carrier, receiver, longestMilliseconds);
  const reports = await Promise.all(websiteIds.map((websiteId) => readReport(service, websiteId)));
  await service.kill();
  return { record: readRecord(service.directory), reports };
}

async function untilSilent(
  service: Service,
  carrier: CountingCarrier,
  receiver: CountingReceiver,
  longestMilliseconds = LONGEST_SEARCH_MILLISECONDS,
): Promise<void> {
  const started = performance.now();
  // A text that was claimed a moment ago waits no more, and is on its way to the carrier.
  let waited = started;
  const quietFor = () => performance.now() - Math.max(waited, carrier.lastSeen, receiver.lastSeen);
  while (quietFor() < SILENCE_MILLISECONDS || carrier.reporting > 0) {
    if (performance.now() - started > longestMilliseconds) return;
    await wait(LOOK_AGAIN_MILLISECONDS);
    if (await isWaiting(service)) waited = performance.now();
  }
}

async function isWaiting({ url }: Service): Promise<boolean> {
  const { messages, callbacks }: ServiceState = await operate(url, "GET", "/health");
  return [messages.waiting, messages.retrying, callbacks.due].some(({ count }) => count !== 0);
}

function readReport(service: Service, websiteId: string): Promise<Report> {
  const today = new Date().toISOString().slice(0, 10);
  const yesterday = new Date(Date.now() - 86_400_000).toISOString().slice(0, 10);
  return operate(service.url, "GET", `/websites/${websiteId}/report?from=${yesterday}&to=${today}`);
}

export interface Report {
  total: { accepted: number; sent: number; delivered: number; failed: Record<string, number> };
}

/** The reports over HTTP say, all together, what the record and the carrier say. */
export function reportFaults(reports: Report[], { messages }: ServiceRecord, carrier: CountingCarrier): string[] {
  const sum = (of: (total: Report["total"]) => number | undefined) =>
    reports.reduce((all, { total }) => all + (of(total) ?? 0), 0);
  const of = (...statuses: string[]) => messages.filter(({ status }) => statuses.includes(status)).length;
  const delivered = [...carrier.confirmed.values()].filter((type) => type === RECEIPT.delivered).length;
  const failed = [...carrier.confirmed.values()].filter((type) => type === RECEIPT.failed).length;
  const expected: [string, number, number][] = [
    ["accepted", sum(({ accepted }) => accepted), messages.length],
    ["sent", sum(({ sent }) => sent), of("SENDING", "DELIVERED", "FAILED_TO_DELIVERY")],
    ["delivered", sum((total) => total.delivered), delivered],
    ["FAILED_TO_DELIVERY", sum((total) => total.failed.FAILED_TO_DELIVERY), failed],
  ];
  return expected
    .filter(([, reported, counted]) => reported !== counted)
    .map(([name, reported, counted]) => `the report says ${name} ${reported}, counted ${counted}`);
}
