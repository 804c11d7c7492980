import { cpSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { CountingReceiver } from "../../harness/counting-receiver.ts";
import type { CountingCarrier } from "../../harness/fake-kannel.ts";
import type { Service } from "../../harness/killable-service.ts";
import type { MoveLoad } from "./moves-load.ts";
import { TABLES } from "./record.ts";

type Row = Record<string, unknown>;

/**
 * A click is stored after its answer: a kill may cut off those that were answered so shortly before. While its website moves, it waits in
 * a queue for half a minute and longer; a queue of Miniflare dies with the process, and none of Cloudflare does.
 */
const CLICK_MILLISECONDS = 120_000;

/** Reads the files of all databases as the killed service has left them: a copy. */
function withRecord<T>(directory: string, read: (databases: DatabaseSync[]) => T): T {
  const copy = mkdtempSync(join(tmpdir(), "textgate-record-"));
  try {
    cpSync(join(directory, TABLES), copy, { recursive: true });
    const files = readdirSync(copy).filter((name) => name.endsWith(".sqlite") && !name.startsWith("metadata"));
    const databases = files.map((file) => new DatabaseSync(join(copy, file)));
    const result = read(databases);
    for (const db of databases) db.close();
    return result;
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}

const selectAll = (databases: DatabaseSync[], sql: string): Row[] =>
  databases.flatMap((db) => db.prepare(sql).all() as Row[]);

/** Holds the record against what was seen from outside. @param killedAt as performance.now() counts */
export function tallyMoves(
  { directory }: Service,
  load: MoveLoad,
  killedAt: number[],
  carrier: CountingCarrier,
  receiver: CountingReceiver,
) {
  return withRecord(directory, (databases) => {
    const all = (sql: string) => selectAll(databases, sql);
    const isHere = (table: string) =>
      `NOT EXISTS (SELECT 1 FROM moving v WHERE v.website_id = ${table}.website_id AND v.state >= 2)`;
    const messages = all(
      `SELECT message_id, website_id, status, reason_code, claimed_at FROM messages m WHERE ${isHere("m")}`,
    );
    const ledger = all(
      `SELECT s.website_id, s.subscribed, (SELECT l.subscribed FROM subscription_changes l WHERE l.website_id = s.website_id
         AND l.phone = s.phone ORDER BY l.change_id DESC LIMIT 1) AS replayed FROM subscriptions s WHERE ${isHere("s")}`,
    );
    const clicks = all(
      `SELECT c.message_id, sum(c.count) AS count FROM clicks c JOIN messages m ON m.message_id = c.message_id
       WHERE c.is_person = 1 AND ${isHere("m")} GROUP BY c.message_id`,
    );
    const callbacks = all(
      `SELECT e.message_id || '_' || e.event AS id, e.attempted_at, e.outcome FROM events e
       JOIN messages m ON m.message_id = e.message_id WHERE (e.due_at IS NOT NULL OR e.outcome IS NOT NULL) AND ${isHere("m")}`,
    );
    const faults = [...messageFaults(load, messages, carrier), ...clickFaults(load, clicks, killedAt)];
    const twice = [...receiver.received.values()].filter((count) => count > 1).length;
    if (twice > 0) faults.push(`${twice} callbacks were posted twice`);
    const waiting = callbacks.filter(({ attempted_at }) => attempted_at === null).length;
    if (waiting > 0) faults.push(`${waiting} callbacks were never posted`);
    const told = callbacks.filter(({ id, outcome }) => outcome === "answered" && !receiver.received.has(String(id)));
    if (told.length > 0) faults.push(`${told.length} callbacks count as answered that never came`);
    const differing = ledger.filter(({ subscribed, replayed }) => subscribed !== replayed).length;
    if (differing > 0) faults.push(`${differing} subscriptions are not what their ledger says`);
    const websites = all(`SELECT w.website_id FROM websites w WHERE ${isHere("w")}`).map((row) => row.website_id);
    if (new Set(websites).size !== websites.length) faults.push("a website is in two databases");
    const status = (name: string) => messages.filter((row) => row.status === name).length;
    const accepted = [...load.accepted.values()];
    return {
      faults,
      figures: {
        ...{ accepted: accepted.length, "of them in bulk": accepted.filter(({ isBulk }) => isBulk).length },
        ...{ delivered: status("DELIVERED"), "not subscribed": status("NOT_SUBSCRIBED") },
        "unknown outcomes": messages.filter(isUnknown).length,
        ...{ texts: carrier.takenById.size, callbacks: receiver.received.size, subscriptions: ledger.length },
        "callbacks cut off": callbacks.filter(({ outcome }) => outcome === null).length,
        clicks: load.clicks.length,
        "clicks counted": clicks.reduce((sum, { count }) => sum + Number(count), 0),
      },
    };
  });
}

/** What a kill has cut off was sent once or not at all, and is never sent again. */
const isUnknown = (row: Row | undefined) =>
  row?.claimed_at !== null && (row?.status === "PENDING_TO_SEND" || row?.reason_code !== null);

function messageFaults({ accepted }: MoveLoad, messages: Row[], carrier: CountingCarrier): string[] {
  const stored = Map.groupBy(messages, ({ message_id }) => String(message_id));
  return [...accepted].flatMap(([messageId, { websiteId, isStopped, isBulk }]) => {
    const rows = stored.get(messageId) ?? [];
    const texts = carrier.takenById.get(messageId) ?? 0;
    const [row] = rows;
    const isRight =
      rows.length === 1 &&
      row?.website_id === websiteId &&
      (isStopped
        ? texts === 0 && row.status === "NOT_SUBSCRIBED"
        : texts <= 1 && (texts === 1 ? true : isUnknown(row)) && (row.status === "DELIVERED" || isUnknown(row)));
    const what = `${rows.length} rows, ${row?.status}, ${row?.reason_code}, ${texts} texts`;
    const kind = `${isBulk ? " in bulk" : ""}${isStopped ? " after STOP" : ""}`;
    return isRight ? [] : [`${websiteId} ${messageId}${kind}: ${what}`];
  });
}

/** Each click counts once; it may count or not where it was not answered, or where the kill has cut off what follows the answer. */
function clickFaults(load: MoveLoad, counted: Row[], killedAt: number[]): string[] {
  const counts = new Map(counted.map(({ message_id, count }) => [String(message_id), Number(count)]));
  const isCutOff = (at: number | null) =>
    at === null || killedAt.some((kill) => at <= kill && at > kill - CLICK_MILLISECONDS);
  const faults = [...Map.groupBy(load.clicks, ({ messageId }) => messageId)].flatMap(([messageId, clicks]) => {
    const count = counts.get(messageId) ?? 0;
    const least = clicks.filter(({ at }) => !isCutOff(at)).length;
    return count >= least && count <= clicks.length ? [] : [`${messageId}: ${count} of ${clicks.length} clicks count`];
  });
  const strays = [...counts.keys()].filter((id) => !load.clicks.some(({ messageId }) => messageId === id)).length;
  return strays > 0 ? [...faults, `${strays} messages have clicks that nobody made`] : faults;
}

/** After the old rows were deleted: each website is in one database, with all of its rows. */
export function clearFaults(directory: string): string[] {
  return withRecord(directory, (databases) => {
    const inDatabases = (table: string) =>
      databases.map((db) => db.prepare(`SELECT website_id, count(*) AS count FROM ${table} GROUP BY 1`).all() as Row[]);
    const twice = ["websites", "messages", "subscriptions", "subscription_changes", "clients"].flatMap((table) => {
      const ids = inDatabases(table).flatMap((rows) => rows.map(({ website_id }) => website_id));
      return new Set(ids).size === ids.length ? [] : [`${table}: rows of a website are in two databases`];
    });
    const left = selectAll(databases, "SELECT home FROM moving WHERE state IN (1, 2)").length;
    const texts = selectAll(databases, "SELECT id FROM waiting_texts").length;
    return [
      ...twice,
      ...(left > 0 ? [`${left} websites are still on the move`] : []),
      ...(texts > 0 ? [`${texts} texts of people still wait`] : []),
    ];
  });
}
