// The callbacks of events: due, and claimed by a run.
import type { CallbackEvent } from "../../domain/callback.ts";
import { CALLBACK_EVENT, type CallbackEventRow, toCallbackEvent } from "./callback-event.ts";
import { type CallbackRecord, recordStatements } from "./callback-records.ts";
import { runNamed } from "./database.ts";
import { EVENTS, GIVEN, KEPT_OF, MESSAGE_EVENTS, type Stored, updateEvents } from "./event-places.ts";
import { type DueEvent, toEventId, toKeys } from "./events.ts";
import type { ClientRow, EventRow, WebsiteRow } from "./rows.ts";

/** A callback that only this run may post. */
export type ClaimedCallback = CallbackEvent & {
  eventId: DueEvent;
  /** Or the id of the notice. */
  messageId: string;
  websiteId: string;
  /** The carrier of the website. */
  carrier: string;
  clientId: string;
  /** null: the client has removed it. */
  callbackUrl: string | null;
  /** Encrypted; the second is the one being replaced, while it still works. */
  callbackSecrets: string[];
};

/** An unclaimed callback. */
export interface DueCallback {
  eventId: DueEvent;
  messageId: string;
  /** null: the client has removed it. */
  callbackUrl: string | null;
}

/** SQL condition: a run may claim the callback. ?3: its claim. */
const isClaimable = (of: Stored) =>
  `${of("callback_due")} > 0 AND (${of("attempted_at")} IS NULL OR ${of("claim")} = ?3)`;

const CLAIMED = { attempted_at: "?2", claim: "?3" };

/** In order of occurrence. */
const ORDER = "e.occurred_at, e.event = 'SENDING' DESC";

/**
 * Claims the due callbacks of `first`, and finds those of `others` that are unclaimed. A claimed callback is never claimed again by
 * another run, even if its post fails.
 * @param claim names this group; the same name claims the same events again
 */
export async function claimFirst(
  db: D1Database,
  { first, others, claim, now }: { first: DueEvent[]; others: DueEvent[] } & Omit<ToClaim, "eventIds">,
): Promise<{ claimed: ClaimedCallback[]; due: DueCallback[] }> {
  const { found, due } = await runNamed(db, {
    ...claimStatements(db, { eventIds: first, claim, now }, ORDER),
    due: db
      .prepare(
        `SELECT e.message_id, e.event, c.callback_url
         FROM ${EVENTS(GIVEN("?1"))} LEFT JOIN clients c ON c.client_id = e.client_id
         WHERE e.callback_due > 0 AND e.attempted_at IS NULL ORDER BY ${ORDER}`,
      )
      .bind(toKeys(others)),
  });
  return {
    claimed: toClaimedCallbacks(found),
    due: (due as DueRow[]).map((row) => ({
      eventId: toEventId(row),
      messageId: row.message_id,
      callbackUrl: row.callback_url,
    })),
  };
}

type DueRow = Pick<EventRow, "message_id" | "event"> & Pick<ClientRow, "callback_url">;

export interface ToClaim {
  eventIds: DueEvent[];
  claim: string;
  now: number;
}

/** Stores what came back, and then claims further callbacks, in their order. */
export async function recordAndClaimCallbacks(
  db: D1Database,
  records: CallbackRecord[],
  given: ToClaim,
): Promise<ClaimedCallback[]> {
  const { found } = await runNamed(db, {
    records: recordStatements(db, records),
    ...claimStatements(db, given, "e.key"),
  });
  return toClaimedCallbacks(found);
}

function claimStatements(db: D1Database, { eventIds, claim, now }: ToClaim, order: string) {
  const values: [string, number, string] = [toKeys(eventIds), now, claim];
  return {
    claim: updateEvents(db, { of: { events: eventIds }, where: isClaimable, set: CLAIMED, values }),
    found: selectClaimed(db, EVENTS(GIVEN("?1")), values, order),
  };
}

/** The callbacks of these messages that were claimed with their events. */
export function selectClaimedOf(db: D1Database, messageIds: string[], claim: string, now: number): D1PreparedStatement {
  const keys = KEPT_OF("SELECT value FROM json_each(?1)", (of) => `${of("claim")} = ?3`);
  return selectClaimed(db, MESSAGE_EVENTS(`(${keys})`), [JSON.stringify(messageIds), now, claim], ORDER);
}

/** @param events SQL: `e`, of a list that is the first of the values */
function selectClaimed(
  db: D1Database,
  events: string,
  values: [list: string, now: number, claim: string],
  order: string,
): D1PreparedStatement {
  return db
    .prepare(
      `SELECT ${CALLBACK_EVENT}, c.client_id, c.website_id, c.callback_url, c.callback_secret,
         iif(c.old_until > ?2, c.old_callback_secret, NULL) AS old_callback_secret,
         (SELECT w.carrier FROM websites w WHERE w.website_id = c.website_id) AS carrier
       FROM ${events} JOIN clients c ON c.client_id = e.client_id
       WHERE e.claim = ?3 AND e.outcome IS NULL ORDER BY ${order}`,
    )
    .bind(...values);
}

type ClaimedRow = CallbackEventRow &
  Pick<ClientRow, "client_id" | "website_id" | "callback_url" | "callback_secret" | "old_callback_secret"> &
  Pick<WebsiteRow, "carrier">;

/** @param rows of selectClaimedOf */
export const toClaimedCallbacks = (rows: unknown[]) =>
  (rows as ClaimedRow[]).map(
    (row): ClaimedCallback => ({
      ...toCallbackEvent(row),
      messageId: row.message_id,
      websiteId: row.website_id,
      carrier: row.carrier,
      clientId: row.client_id,
      callbackUrl: row.callback_url,
      callbackSecrets: [row.callback_secret, row.old_callback_secret].filter((secret) => secret !== null),
    }),
  );
