import type {} from "vitest";

declare module "vitest" {
  interface TaskMeta {
    /** The places in ALLOWED_PLANS of those that the test needed. */
    plans?: number[];
    /** What the test did that Cloudflare would have refused, statements with an unlisted plan among it. */
    refusals?: string[];
  }
}

/** A step of a plan that reads more than its key says, and why that is right. */
export interface AllowedPlan {
  /** As SQLite writes it, with the table's own name and without COVERING. */
  step: string | RegExp;
  /** A part of the text of the one statement that may; without it, any may. */
  sql?: string;
  reason: string;
}

const A_MESSAGE = "The rows of one message are few.";
const AS_MANY_AS_GIVEN = "At most as many tombstones as the request has numbers.";
const ONE_ROW = "The table has one row.";
const THE_OPERATORS_LOOK = "The operator looks at it: thousands of rows at most, a few times a minute.";
const COUNTED = "In the order of the index, and stops after the rows that an answer counts or shows.";

export const ALLOWED_PLANS: AllowedPlan[] = [
  {
    step: "SCAN accounts",
    reason: "All of them: an isolate reads them once a minute, and a service has some hundred.",
  },
  {
    step: "SEARCH websites USING INDEX websites_by_sender (carrier=?)",
    sql: "w.carrier, w.website_id AS websiteId",
    reason: "The websites of an account, for the operator.",
  },
  {
    step: /^SEARCH refused_requests USING PRIMARY KEY \(client_id=\?( AND refused_at<\?)?\)$/,
    reason: "A hundred at most of one client.",
  },
  {
    step: "SEARCH events USING INDEX events_by_client (website_id=? AND client_id=?)",
    sql: "ORDER BY seq DESC LIMIT",
    reason: "The last thousand of one client, for its developers.",
  },
  { step: "SEARCH events USING INDEX events_by_message (message_id=?)", reason: A_MESSAGE },
  {
    step: "SEARCH clicks USING PRIMARY KEY (message_id=?)",
    reason: "One message has few rows: a person's first clicks have a row each, and the others share two.",
  },
  {
    step: "SEARCH messages USING INDEX messages_by_phone (website_id=? AND phone=?)",
    reason: "One website's messages to one person, mostly the latest alone.",
  },
  {
    step: "SEARCH operator_tokens USING INDEX operator_tokens_by_name (name=?)",
    reason: "Two tokens at most have a name, and one that has ended.",
  },
  {
    step: "SEARCH operator_tokens USING INDEX operator_tokens_by_name (name>?)",
    sql: "AS createdBy",
    reason: "All tokens: as many as there are operators.",
  },
  {
    step: "SEARCH subscriptions USING INDEX subscriptions_by_email (website_id=? AND email=?)",
    reason: "The numbers of one address: the latest alone is read.",
  },
  {
    step: "SEARCH messages USING INDEX messages_late (accepted_at>? AND accepted_at<?)",
    reason:
      "The late messages of the time that an operator asks for, by the index alone: their ids are not in the order of time.",
  },
  {
    step: "SEARCH duplicate_keys USING PRIMARY KEY (website_id=? AND phone=?)",
    reason: "What one website sent to one person within its window.",
  },
  {
    step: "SEARCH former_senders USING PRIMARY KEY (carrier=? AND sender=?)",
    reason: "The websites that have had one sender.",
  },
  {
    step: "SEARCH sender_homes USING PRIMARY KEY (carrier=? AND sender=?)",
    reason: "The websites that have, or have had, one sender.",
  },
  {
    step: /^(SCAN (websites|websites USING INDEX websites_by_sender|sender_paces)|SEARCH messages USING INDEX messages_pending_by_website \(website_id=\?\))$/,
    sql: "LEFT JOIN sender_paces p ON p.carrier = s.carrier",
    reason:
      "The operator looks at all senders: a row for each website, and at most 10,000 pending messages of each sender.",
  },
  {
    step: /^SEARCH (websites USING INDEX websites_by_sender|former_senders USING PRIMARY KEY) \(carrier=\?\)$/,
    sql: ") CROSS JOIN websites w USING (website_id) CROSS JOIN json_each(",
    reason: "A text to a sender that no website has or has had: every website of the carrier may be meant.",
  },
  {
    step: "SEARCH former_senders USING PRIMARY KEY (carrier=?)",
    sql: "CROSS JOIN former_senders f ON f.carrier = j.value",
    reason: "An operator asks which websites have an account, be it as that of their fallback.",
  },
  {
    step: /^SEARCH (websites USING INDEX websites_by_sender|former_senders USING PRIMARY KEY) \(carrier=\?\)$/,
    sql: "CROSS JOIN messages m INDEXED BY messages_retried",
    reason:
      "A carrier that was down works again, or is probed once a minute: any website that has it, be it as its fallback, may have messages for it.",
  },
  {
    step: /^SEARCH (websites USING INDEX websites_by_sender|(former_senders|sender_homes) USING PRIMARY KEY) \(carrier=\?/,
    sql: "UNION SELECT sender FROM sender_homes WHERE carrier =",
    reason: "A number in another form is read with the countries of all senders of the carrier: one for each website.",
  },
  {
    step: "SEARCH erased_people USING PRIMARY KEY (website_id=?)",
    sql: "SELECT e.mark FROM erased_people e WHERE e.website_id = ?",
    reason:
      "Whether the website has erased anybody: one row. Or its other tombstones: at most as many as the request has numbers.",
  },
  {
    step: "SEARCH erased_people USING PRIMARY KEY (website_id=?)",
    sql: "SELECT mark FROM erased_people WHERE website_id = ?1 LIMIT ?2",
    reason: AS_MANY_AS_GIVEN,
  },
  {
    step: "SEARCH erased_people USING PRIMARY KEY (website_id=?)",
    sql: "EXISTS (SELECT 1 FROM erased_people e WHERE e.website_id = w.website_id)",
    reason: "Whether the website has erased anybody: one row.",
  },
  {
    step: "SCAN websites",
    sql: "EXISTS (SELECT 1 FROM erased_people e WHERE e.website_id = w.website_id)",
    reason: THE_OPERATORS_LOOK,
  },
  {
    step: "SEARCH counts USING PRIMARY KEY (subject=? AND span=? AND kind=? AND at>?)",
    reason: "The last hour, or 31 days, of all websites or of one.",
  },
  { step: "SCAN websites USING INDEX websites_held", reason: "Those with holds, until there are enough." },
  {
    step: "SCAN websites",
    sql: "UNION ALL SELECT * FROM (SELECT website_id AS websiteId, 3 AS rank, 0 AS accepted FROM websites ORDER BY website_id LIMIT",
    reason: "The first, until there are enough.",
  },
  {
    step: "SEARCH messages USING INDEX messages_scheduled_by_website (website_id=?)",
    sql: "ORDER BY m.message_id LIMIT 1",
    reason: "The first of a website: one row.",
  },
  {
    step: "SEARCH messages USING INDEX messages_ended (<expr>>? AND <expr><?)",
    reason: "A purge takes the oldest, until there are enough: they are deleted.",
  },
  {
    step: "SEARCH messages USING INDEX messages_pending_by_website (website_id=?)",
    sql: "w.holds IS NOT NULL",
    reason: "Pending messages of websites with a hold of a purpose or a client: 50,000 at most.",
  },
  {
    step: /^SEARCH messages USING INDEX messages_(pending|scheduled)_by_website \(website_id=\?\)$/,
    sql: "AS isMeant",
    reason: "Pending messages of the website of a campaign: 50,000 at most.",
  },
  {
    step: /^SEARCH messages USING INDEX messages_(pending|scheduled)_by_website( \(website_id>\?\))?$/,
    sql: "WITH RECURSIVE",
    reason: "The next website of the index: one row for each that has messages.",
  },
  { step: "SCAN erasure_key", reason: ONE_ROW },
  { step: "SCAN counted_ledgers", reason: ONE_ROW },
  {
    step: /^SEARCH (messages|events|subscription_changes)$/,
    sql: "counted_ledgers",
    reason: "The last row alone.",
  },
  {
    step: "SEARCH subscription_changes",
    sql: "coalesce((SELECT max(change_id) FROM subscription_changes), 0)",
    reason: "The highest id alone: one row.",
  },
  { step: "SCAN websites", sql: "SELECT website_id FROM websites", reason: THE_OPERATORS_LOOK },
  { step: "SCAN homes USING INDEX homes_by_database", sql: "GROUP BY database", reason: THE_OPERATORS_LOOK },
  {
    step: "SEARCH homes USING INDEX homes_by_database",
    sql: "SELECT min(database) FROM homes",
    reason: "The first of the index: one row.",
  },
  {
    step: "SCAN websites USING INDEX websites_by_count",
    sql: "SELECT w.website_id FROM websites w",
    reason: THE_OPERATORS_LOOK,
  },
  {
    step: "SCAN websites USING INDEX websites_by_count",
    sql: "SELECT s.phone FROM websites w CROSS JOIN subscriptions s",
    reason: THE_OPERATORS_LOOK,
  },
  { step: "SCAN carrier_pauses", reason: "A row for each sender and carrier that fails." },
  { step: "SEARCH carrier_pauses USING PRIMARY KEY (carrier=?)", reason: "A row for each of its senders that fails." },
  {
    step: "SEARCH d1_migrations USING INDEX sqlite_autoindex_d1_migrations_1",
    sql: "SELECT max(name) AS name FROM d1_migrations",
    reason: "The last entry of the index.",
  },
  { step: "SCAN failing_endpoints", reason: "A row for each endpoint that fails: the operator looks at them." },
  { step: "SCAN websites", sql: "SELECT * FROM websites ORDER BY", reason: THE_OPERATORS_LOOK },
  {
    step: "SEARCH websites USING INDEX websites_by_sender",
    sql: "WITH RECURSIVE used (carrier) AS (SELECT min(carrier)",
    reason: "The first of the index: one row.",
  },
  {
    step: "SEARCH websites USING INDEX websites_by_sender (carrier>?)",
    sql: "SELECT min(w.carrier) FROM websites w WHERE w.carrier > used.carrier",
    reason: "The next of the index: one row for each carrier.",
  },
  {
    step: "SCAN clients USING INDEX clients_uncopied",
    reason: "The index has only the clients that are to be copied: those changed in the last minutes.",
  },
  {
    step: "SEARCH report_counts USING PRIMARY KEY (website_id=? AND quarter>? AND quarter<?)",
    reason: "The days that are asked for, all purposes and statuses of them.",
  },
  {
    step: "SCAN inbound_texts USING INDEX inbound_texts_maybe_opt_out",
    sql: "FROM (SELECT 1 FROM inbound_texts i WHERE i.maybe_opt_out = 1",
    reason: COUNTED,
  },
  {
    step: "SEARCH inbound_texts USING INDEX inbound_texts_of_sender (website_id=? AND sender=?)",
    reason: "One website's texts of one person.",
  },
  { step: "SEARCH messages USING INDEX messages_pending (due_at>?)", sql: "ORDER BY due_at LIMIT", reason: COUNTED },
  {
    step: "SEARCH messages USING INDEX messages_pending (due_at>?)",
    sql: "AS lookedAt",
    reason: "Pending messages that are due later: 50,000 at most.",
  },
  {
    step: "SEARCH subscriptions USING PRIMARY KEY (website_id=?)",
    sql: "AS numbers, count(*) FILTER (WHERE subscribed = 1)",
    reason: "One website's numbers, on the first page of its list: at most 100,000.",
  },
  { step: "SCAN messages USING INDEX messages_sending", sql: "ORDER BY updated_at LIMIT", reason: COUNTED },
  { step: "SEARCH events USING INDEX events_open (due_at>?)", sql: "ORDER BY due_at LIMIT", reason: COUNTED },
  { step: "SCAN dead_jobs USING INDEX dead_jobs_waiting", sql: "put_back_at IS NULL LIMIT 1000", reason: COUNTED },
  { step: "SCAN dead_jobs USING INDEX dead_jobs_waiting", sql: "ORDER BY died_at LIMIT ?1", reason: COUNTED },
  {
    step: "SCAN dead_jobs USING INDEX dead_jobs_by_time",
    sql: "FROM dead_jobs WHERE true ORDER BY died_at DESC",
    reason: COUNTED,
  },
];
