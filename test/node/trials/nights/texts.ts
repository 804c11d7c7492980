import type { CountingReceiver } from "../../harness/counting-receiver.ts";
import { type MessageRow, readRecord } from "../crash/record.ts";
import { isUnknown } from "../crash/tally.ts";
import type { Place } from "./place.ts";
import type { Traffic } from "./traffic.ts";

/** Ends the service, and counts what became of each text that it had accepted. */
export async function countTexts(
  { service, gateway, watch }: Place,
  { messageIds }: Pick<Traffic, "messageIds">,
  { receiver }: { receiver: CountingReceiver },
): Promise<{ outcome: string; faults: string[] }> {
  await watch.stop();
  await service.kill();
  const record = readRecord(service.directory);
  const rows = new Map(record.messages.map((row) => [row.messageId, row]));
  const texts = messageIds.map((id) => ({ row: rows.get(id), taken: gateway.takenById.get(id) ?? 0 }));
  const count = (fits: (row: MessageRow | undefined, taken: number) => boolean) =>
    texts.filter(({ row, taken }) => fits(row, taken)).length;
  const websiteId = texts[0]?.row?.websiteId;
  const isThroughGateway = gateway.takenById.size > 0;
  const lost = count((row, taken) => row === undefined || (isSent(row) && isThroughGateway && taken === 0));
  const unknown = count(isUnknown);
  // Each text has a number of its own: one that a client has sent again, with its key, must not go under another id.
  const twice = [...gateway.takenByPhone.values()].filter((times) => times > 1).length;
  const sent = count((row) => row !== undefined && isSent(row));
  const calls = record.events.filter((event) => event.websiteId === websiteId && event.due);
  const failed = calls.filter(({ httpStatus }) => httpStatus === null || httpStatus >= 300).length;
  const againCalled = [...receiver.received.values()].filter((posts) => posts > 1).length;
  const faults = [
    ...(lost > 0 ? [`${lost} texts lost`] : []),
    ...(twice > 0 ? [`${twice} texts sent twice`] : []),
    ...(sent + unknown < texts.length ? [`${texts.length - sent - unknown} texts not sent`] : []),
    ...(againCalled > 0 ? [`${againCalled} callbacks posted twice`] : []),
  ];
  const about = [`${texts.length} texts`, `${lost} lost`, `${twice} twice`];
  if (unknown > 0) about.push(`${unknown} unknown`);
  if (failed > 0) about.push(`${failed} of ${calls.length} callbacks failed`);
  return { outcome: about.join(", "), faults };
}

/** Known to be sent: a text of unknown outcome is told apart. */
function isSent(row: MessageRow): boolean {
  return row.status === "DELIVERED" || (row.status === "SENDING" && !isUnknown(row));
}
