import { setTimeout as wait } from "node:timers/promises";
import { operate } from "../../journeys/service.ts";
import { type CountingCarrier, RECEIPT } from "./carrier.ts";
import type { CountingReceiver } from "./receiver.ts";
import { readRecord, type ServiceRecord } from "./record.ts";
import type { Service } from "./service.ts";

const SILENCE_MILLISECONDS = 3000;
const LONGEST_SILENCE_SEARCH_MILLISECONDS = 60_000;
const MOST_LOOKS = 4;

/** Waits until nothing moves any more, ends the service and reads its record; while rows wait in it, starts it again. */
export async function settle(
  { service, websiteId }: { service: Service; websiteId: string },
  carrier: CountingCarrier,
  receiver: CountingReceiver,
): Promise<{ record: ServiceRecord; report: Report }> {
  for (let look = 1; ; look++) {
    await untilSilent(carrier, receiver);
    const today = new Date().toISOString().slice(0, 10);
    const yesterday = new Date(Date.now() - 86_400_000).toISOString().slice(0, 10);
    const report: Report = await operate(
      service.url,
      "GET",
      `/websites/${websiteId}/report?from=${yesterday}&to=${today}`,
    );
    await service.kill();
    const record = readRecord(service.directory);
    const waits =
      record.messages.some(({ status, claimed }) => status === "PENDING_TO_SEND" && !claimed) ||
      record.events.some(({ due, attempted }) => due && !attempted);
    if (!waits || look === MOST_LOOKS) return { record, report };
    await service.start();
  }
}

async function untilSilent(carrier: CountingCarrier, receiver: CountingReceiver): Promise<void> {
  const started = performance.now();
  const quietFor = () => performance.now() - Math.max(started, carrier.lastSeen, receiver.lastSeen);
  while (quietFor() < SILENCE_MILLISECONDS || carrier.reporting > 0) {
    if (performance.now() - started > LONGEST_SILENCE_SEARCH_MILLISECONDS) return;
    await wait(50);
  }
}

export interface Report {
  total: { accepted: number; sent: number; delivered: number; failed: Record<string, number> };
}

/** The report over HTTP says what the record and the carrier say. */
export function reportFaults({ total }: Report, { messages }: ServiceRecord, carrier: CountingCarrier): string[] {
  const of = (...statuses: string[]) => messages.filter(({ status }) => statuses.includes(status)).length;
  const delivered = [...carrier.confirmed.values()].filter((type) => type === RECEIPT.delivered).length;
  const failed = [...carrier.confirmed.values()].filter((type) => type === RECEIPT.failed).length;
  const expected: [string, number, number][] = [
    ["accepted", total.accepted, messages.length],
    ["sent", total.sent, of("SENDING", "DELIVERED", "FAILED_TO_DELIVERY")],
    ["delivered", total.delivered, delivered],
    ["FAILED_TO_DELIVERY", total.failed.FAILED_TO_DELIVERY ?? 0, failed],
  ];
  return expected
    .filter(([, reported, counted]) => reported !== counted)
    .map(([name, reported, counted]) => `the report says ${name} ${reported}, counted ${counted}`);
}
