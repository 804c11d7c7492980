/** The types of rows.ts are written by hand. Nothing else holds them to the migrations. */
import { env } from "cloudflare:workers";
import { beforeEach, expect, it } from "vitest";
import refusedRequests from "../../src/store/clients/refused-requests.ts?raw";
import operations from "../../src/store/operations/rows.ts?raw";
import people from "../../src/store/people/rows.ts?raw";
import rows from "../../src/store/rows.ts?raw";
import { World } from "../world.ts";

const source = [rows, operations, people, refusedRequests].join("\n");

/** The table of each type. */
const TABLES: Record<string, string> = {
  WebsiteRow: "websites",
  ClientRow: "clients",
  RefusedRequestRow: "refused_requests",
  MessageRow: "messages",
  EventRow: "events",
  SubscriptionRow: "subscriptions",
  SubscriptionChangeRow: "subscription_changes",
  ImportRow: "imports",
  InboundTextRow: "inbound_texts",
  DeadJobRow: "dead_jobs",
  LinkRow: "links",
  IdempotencyKeyRow: "idempotency_keys",
  SuppressedMessageRow: "suppressed_messages",
  CarrierPauseRow: "carrier_pauses",
  SenderPaceRow: "sender_paces",
  FailingEndpointRow: "failing_endpoints",
  AccountRow: "accounts",
  AuditRow: "audit_log",
  LastSweepRow: "last_sweep",
};

/** How a column of each type is stored. The last ones are narrower than their columns. */
const STORED: Record<string, string> = {
  string: "TEXT",
  number: "INTEGER",
  Bit: "INTEGER",
  1: "INTEGER",
  MessageStatus: "TEXT",
  By: "INTEGER",
  Paused: "TEXT",
  MessageKind: "TEXT",
  'Segments["encoding"]': "TEXT",
  AttemptOutcome: "TEXT",
  ChangeSource: "TEXT",
  Keyword: "TEXT",
  WithoutEffect: "TEXT",
};

/** By type, the columns as `message_id TEXT` and `phone INTEGER | null`. */
const types = new Map(
  [...source.matchAll(/^export interface (\w+)([^{]*)\{\n([^}]*)^\}/gm)].map(([, name = "", heritage, body = ""]) => [
    name,
    heritage?.trim() === "" ? [...body.matchAll(/^ {2}(\w+)(\??): (.+);$/gm)].map(toColumn).sort() : [],
  ]),
);

function toColumn([, name, optional, type = ""]: RegExpExecArray): string {
  const [wide = "", ...rest] = type.split(" | ");
  return [`${name}${optional} ${STORED[wide] ?? `unknown: ${wide}`}`, ...rest].join(" | ");
}

beforeEach(async () => {
  await World.create();
});

it("each type has a table", () => {
  const declared = [...source.matchAll(/^export (?:interface|type) (\w+Row)\b/gm)].map(([, name]) => name);
  expect([...declared].sort()).toEqual(Object.keys(TABLES).sort());
});

it.each(Object.entries(TABLES))("%s has the columns of its table, and no other", async (name, table) => {
  const { results } = await env.DB.prepare(`PRAGMA table_info(${table})`).all<{
    name: string;
    type: string;
    notnull: 0 | 1;
  }>();
  const columns = results.map((column) => `${column.name} ${column.type}${column.notnull ? "" : " | null"}`);
  expect(columns).not.toEqual([]);
  expect(types.get(name)).toEqual(columns.sort());
});
