import { cpSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { CountingReceiver } from "../../harness/counting-receiver.ts";
import type { CountingCarrier } from "../../harness/fake-kannel.ts";
import { TABLES } from "./record.ts";

/** A message that the client was told is accepted. `isStopped`: its person had sent STOP, and that was acknowledged. */
export interface Accepted {
  websiteId: string;
  phone: string;
  isStopped: boolean;
}

type Row = Record<string, unknown>;

/** Holds the files of all databases, as the killed service has left them, against what was seen from outside. */
export function tallyMoves(
  directory: string,
  accepted: Map<string, Accepted>,
  carrier: CountingCarrier,
  receiver: CountingReceiver,
) {
  const copy = mkdtempSync(join(tmpdir(), "textgate-record-"));
  try {
    cpSync(join(directory, TABLES), copy, { recursive: true });
    const files = readdirSync(copy).filter((name) => name.endsWith(".sqlite") && !name.startsWith("metadata"));
    const databases = files.map((file) => new DatabaseSync(join(copy, file)));
    const all = (sql: string): Row[] => databases.flatMap((db) => db.prepare(sql).all() as Row[]);
    const isHere = (table: string) =>
      `NOT EXISTS (SELECT 1 FROM moving v WHERE v.website_id = ${table}.website_id AND v.state >= 2)`;
    const messages = all(
      `SELECT message_id, website_id, status, reason_code, claimed_at FROM messages m WHERE ${isHere("m")}`,
    );
    const ledger = all(
      `SELECT s.website_id, s.subscribed, (SELECT l.subscribed FROM subscription_changes l WHERE l.website_id = s.website_id
         AND l.phone = s.phone ORDER BY l.change_id DESC LIMIT 1) AS replayed FROM subscriptions s WHERE ${isHere("s")}`,
    );
    const faults = messageFaults(accepted, messages, carrier);
    const twice = [...receiver.received.values()].filter((count) => count > 1).length;
    if (twice > 0) faults.push(`${twice} callbacks were posted twice`);
    const differing = ledger.filter(({ subscribed, replayed }) => subscribed !== replayed).length;
    if (differing > 0) faults.push(`${differing} subscriptions are not what their ledger says`);
    const websites = all(`SELECT w.website_id FROM websites w WHERE ${isHere("w")}`).map((row) =>
      String(row.website_id),
    );
    if (new Set(websites).size !== websites.length) faults.push("a website is in two databases");
    for (const db of databases) db.close();
    const status = (name: string) => messages.filter((row) => row.status === name).length;
    return {
      faults,
      figures: {
        ...{ accepted: accepted.size, delivered: status("DELIVERED"), "not subscribed": status("NOT_SUBSCRIBED") },
        ...{ texts: carrier.takenById.size, callbacks: receiver.received.size, subscriptions: ledger.length },
      },
    };
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}

function messageFaults(accepted: Map<string, Accepted>, messages: Row[], carrier: CountingCarrier): string[] {
  const stored = Map.groupBy(messages, ({ message_id }) => String(message_id));
  return [...accepted].flatMap(([messageId, { websiteId, isStopped }]) => {
    const rows = stored.get(messageId) ?? [];
    const texts = carrier.takenById.get(messageId) ?? 0;
    const [row] = rows;
    // What a kill has cut off was sent once or not at all, and is never sent again.
    const isUnknown = row?.claimed_at !== null && (row?.status === "PENDING_TO_SEND" || row?.reason_code !== null);
    const isRight =
      rows.length === 1 &&
      row?.website_id === websiteId &&
      (isStopped
        ? texts === 0 && row.status === "NOT_SUBSCRIBED"
        : texts <= 1 && (texts === 1 ? true : isUnknown) && (row.status === "DELIVERED" || isUnknown));
    const what = `${rows.length} rows, ${row?.status}, ${row?.reason_code}, ${texts} texts`;
    return isRight ? [] : [`${websiteId} ${messageId}${isStopped ? " after STOP" : ""}: ${what}`];
  });
}
