// Rows that belong to no person and no message.
import { randomHex, seal, sha256Hex } from "../../../src/platform/secrets.ts";
import { HOUR, MINUTE, NOW, type OldRow, type OldRows, SERVICE_KEY, uuid } from "./old-states.ts";

/** @param websiteId a website of the generation, with these clients */
export async function makeServiceRows(generation: number, websiteId: string, clientIds: string[]): Promise<OldRows> {
  return {
    erasure_key: generation === 0 ? [await makeErasureKey()] : [],
    dead_jobs: Array.from({ length: 12 }, (_, index) => makeDeadJob(generation, index)),
    outcome_counts: ["accepted", "refused", "unknown", "later"].map((outcome) => makeOutcome(generation, outcome)),
    receipt_counts: ["", "UNDELIVERED"].map((reason) => makeReceiptCount(generation, reason)),
    carrier_pauses: [makePause(generation)],
    failing_endpoints: clientIds.map(makeFailingEndpoint),
    told_problems: [makeToldProblem(generation)],
    operator_tokens: [await makeOperatorToken(generation)],
    audit_log: [makeAudit(generation + 1, websiteId)],
    imports: [makeImport(generation, websiteId)],
    last_sweep: generation === 0 ? [LAST_SWEEP] : [],
  };
}

async function makeErasureKey(): Promise<OldRow> {
  return { only: 1, key_id: randomHex(16), sealed: await seal(randomHex(32), SERVICE_KEY) };
}

function makeDeadJob(generation: number, index: number): OldRow {
  const messageIds = [uuid(generation, index * 3)];
  const body = index === 11 ? { kind: "of a version to come" } : { kind: "deliver", messageIds };
  return {
    id: `dead-${generation}-${index}`,
    queue: "textgate-messages",
    body: JSON.stringify(body),
    died_at: NOW - HOUR + index,
    error: index % 2 === 0 ? "Error: no such table" : null,
    put_back_at: index % 3 === 0 ? NOW - MINUTE : null,
  };
}

function makeOutcome(generation: number, outcome: string): OldRow {
  const kind = generation === 0 ? "submission" : "callback";
  const times = { first_at: NOW - MINUTE, last_at: NOW - MINUTE };
  return { minute: NOW / MINUTE - 1, kind, carrier: kind === "callback" ? "" : "sandbox", outcome, count: 7, ...times };
}

function makeReceiptCount(generation: number, reason: string): OldRow {
  const times = { first_at: NOW - MINUTE, last_at: NOW - MINUTE, received_at: NOW };
  const of = { carrier: `carrier-${generation}`, sender: "+12125550000", reason, code: reason && "30003" };
  return { minute: NOW / MINUTE - 1, ...of, count: 7, ...times };
}

function makePause(generation: number): OldRow {
  const times = { since: NOW - HOUR, opened_at: NOW - MINUTE, open_until: NOW + MINUTE, released_at: null };
  return { carrier: `carrier-${generation}`, cause: "connection refused", ...times };
}

function makeFailingEndpoint(clientId: string): OldRow {
  const counted = { since: NOW - HOUR, failed_at: NOW - MINUTE, failures: 4 };
  return { client_id: clientId, host: "brand.example.com", cause: "answered 500", ...counted };
}

function makeToldProblem(generation: number): OldRow {
  return { problem: "carrier-paused", subject: `carrier-${generation}`, began_at: NOW - HOUR, told_at: NOW - HOUR };
}

async function makeOperatorToken(generation: number): Promise<OldRow> {
  const token_hash = await sha256Hex(`op_${generation}`);
  return { token_hash, name: "ada", created_at: NOW - HOUR, created_by: "OPERATOR_TOKEN", ends_at: null };
}

function makeAudit(id: number, websiteId: string): OldRow {
  const what = { operator: "ada", action: "put-website", website_id: websiteId, client_id: null };
  const change = { subject: null, before: null, after: '{"name":"brand"}', outcome: "done" };
  return { id, request_id: `request-${id}`, stored_at: NOW - HOUR, ...what, ...change };
}

function makeImport(generation: number, websiteId: string): OldRow {
  const ids = { import_id: `import-${generation}`, website_id: websiteId, after_id: 0, last_id: 9, outcome: "done" };
  return { ...ids, stored_at: NOW - HOUR, added: 9, changed: 0, undone_to: null, restored: 0, changed_since: 0 };
}

const LAST_SWEEP: OldRow = {
  only: 1,
  ended_at: NOW - MINUTE,
  failed_jobs: "[]",
  counts_kept_at: NOW - MINUTE,
  counts_since: NOW - HOUR,
  events_kept_at: NOW - MINUTE,
  events_since: NOW - HOUR,
  callbacks_kept_at: NOW - MINUTE,
  callbacks_since: NOW - HOUR,
  callbacks_seen: 0,
  callbacks_seen_today: 0,
  messages_kept_at: NOW - MINUTE,
  pending_kept_at: NOW - MINUTE,
};
