-- The schema. Times are milliseconds since 1970 (UTC). Phone numbers are E.164 without the plus sign, as integers.

CREATE TABLE websites (
  website_id TEXT NOT NULL PRIMARY KEY,
  name TEXT NOT NULL,
  carrier TEXT NOT NULL,
  sender TEXT,
  -- JSON: the optional settings, by the names that PUT /operator/websites/{websiteId} has for them. Absent or null: not set.
  settings TEXT NOT NULL DEFAULT '{}',
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  -- Messages that were accepted before this time are counted in report_counts, and are final.
  counted_until INTEGER NOT NULL DEFAULT 0,
  -- What an operator holds of a website: a JSON array of {"holdId", "sendPurpose", "clientId", "since", "by", "reason"}; NULL: nothing.
  holds TEXT,
  home INTEGER NOT NULL,               -- its ids carry it: see homes
  database TEXT NOT NULL               -- the binding of the database that it is in
) STRICT, WITHOUT ROWID;

CREATE INDEX websites_by_sender ON websites (carrier, sender);
CREATE INDEX websites_held ON websites (website_id) WHERE holds IS NOT NULL;
CREATE INDEX websites_by_count ON websites (counted_until);

-- The pace of senders: see src/domain/messages/sender-pace.ts. Each database has all of them.
CREATE TABLE sender_paces (
  carrier TEXT NOT NULL,
  sender TEXT NOT NULL,
  messages_per_minute INTEGER,
  messages_per_day INTEGER,
  PRIMARY KEY (carrier, sender)
) STRICT, WITHOUT ROWID;

-- The record of each client. KV holds a copy for the check of credentials, at most a minute or so old.
CREATE TABLE clients (
  client_id TEXT NOT NULL PRIMARY KEY,
  website_id TEXT NOT NULL REFERENCES websites (website_id),
  callback_url TEXT,
  operations TEXT NOT NULL,            -- JSON array
  suspended INTEGER NOT NULL,
  secret_hash TEXT NOT NULL,           -- SHA-256, hex
  callback_secret TEXT NOT NULL,       -- encrypted
  old_secret_hash TEXT,                -- the pair being replaced, until old_until
  old_callback_secret TEXT,
  old_until INTEGER,
  created_at INTEGER NOT NULL,
  changed_at INTEGER NOT NULL,         -- of anything that the copy in KV holds, its website's settings included
  copied_at INTEGER,                   -- when KV last got it
  rotated_at INTEGER,                  -- when the secrets were last rotated: a second rotation soon after replaces the first
  -- JSON array of what is posted to the client; NULL: message.status and message.clicked.
  events TEXT,
  name TEXT,
  -- When a request was last taken, and last refused and why. To some minutes: see src/domain/clients/client-uses.ts.
  used_at INTEGER,
  refused_at INTEGER,
  refusal TEXT,
  -- An operator tells one secret from the other by its last four characters, and by when it was last used, as used_at.
  secret_end TEXT NOT NULL,
  secret_used_at INTEGER,
  old_secret_end TEXT,
  old_secret_since INTEGER,
  old_secret_used_at INTEGER,
  test_event_at INTEGER                -- when the client last asked for a test event: see src/flows/callbacks/post-test-event.ts
) STRICT, WITHOUT ROWID;

CREATE INDEX clients_by_website ON clients (website_id);

-- Clients of which KV may not hold the latest state: see findUncopied.
CREATE INDEX clients_uncopied ON clients (changed_at) WHERE copied_at IS NULL OR copied_at < changed_at + 120000;
CREATE INDEX clients_with_events ON clients (website_id) WHERE events IS NOT NULL;

-- Requests of clients that were refused lately, for the clients' own eyes: see src/domain/clients/refused-request.ts.
CREATE TABLE refused_requests (
  client_id TEXT NOT NULL,
  refused_at INTEGER NOT NULL,
  request_id TEXT NOT NULL,
  method TEXT NOT NULL,
  path TEXT NOT NULL,                  -- as the API writes it: /text/message/send
  code INTEGER NOT NULL,
  message TEXT NOT NULL,               -- as it was answered; people are masked
  details TEXT NOT NULL,               -- JSON array of the first few; people are masked
  PRIMARY KEY (client_id, refused_at, request_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX refused_requests_by_time ON refused_requests (refused_at);

-- The current state of each number; subscription_changes says how it came about.
CREATE TABLE subscriptions (
  website_id TEXT NOT NULL,
  phone INTEGER NOT NULL,
  subscribed INTEGER NOT NULL,
  email TEXT,                          -- lower case
  change_id INTEGER NOT NULL,          -- the row of the ledger that it has its state of: the latest that no undo has taken back
  opted_out_by_person INTEGER NOT NULL DEFAULT 0, -- 1: by keyword or at the carrier; only the person can undo it
  opt_out_confirmed_at INTEGER,        -- when the confirmation of a STOP was last sent
  -- A START that is older than an opt-out does not count: see src/domain/people/last-word.ts. A 0 is never.
  opted_out_at INTEGER NOT NULL DEFAULT 0, -- when the latest opt-out was stored, except by a text with its carrier's time
  stop_carrier TEXT,                   -- of the opt-outs by a text with its carrier's time: the carrier,
  stop_sent_at INTEGER NOT NULL DEFAULT 0, -- the latest of these times,
  stop_stored_at INTEGER NOT NULL DEFAULT 0, -- and when the latest was stored
  PRIMARY KEY (website_id, phone)
) STRICT, WITHOUT ROWID;

CREATE INDEX subscriptions_by_email ON subscriptions (website_id, email, change_id)
  WHERE email IS NOT NULL AND subscribed = 1;

-- Never altered, only added to. Later rows have higher ids.
CREATE TABLE subscription_changes (
  change_id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
  website_id TEXT NOT NULL,
  phone INTEGER NOT NULL,
  was_subscribed INTEGER,              -- NULL: never seen before
  subscribed INTEGER NOT NULL,
  changed_at INTEGER NOT NULL,         -- when the row was stored
  source TEXT NOT NULL,                -- import, api, keyword, carrier, undo, operator
  proof TEXT NOT NULL,                 -- the id of a request or of an import, or the text of the message
  -- NULL: the address did not change. Otherwise, in a row of an import, the address before it; '' for none, and in any other row.
  was_email TEXT,
  before_id INTEGER,                   -- in a row of an import, the row of which the number had its state before the import; NULL: it was new
  -- What the website tells as proof that the person agreed; NULL: nothing.
  consented_at INTEGER,
  evidence TEXT
) STRICT;

CREATE INDEX subscription_changes_by_phone ON subscription_changes (website_id, phone);
CREATE INDEX subscription_changes_by_time ON subscription_changes (website_id, changed_at);

-- Each number of an import, by the import's last row of it. An undo takes it back if the number still has its state of this row.
CREATE VIEW imported_numbers AS SELECT
  change_id,
  website_id,
  phone,
  proof AS import_id,
  before_id,
  -- 1: the import has changed the number. A row may only add a proof, or say again that the number is opted out.
  EXISTS (SELECT 1 FROM subscription_changes m
    WHERE m.website_id = subscription_changes.website_id AND m.phone = subscription_changes.phone
      AND m.source = 'import' AND m.proof = subscription_changes.proof
      AND (m.was_subscribed IS NOT m.subscribed OR m.was_email IS NOT NULL)) AS is_changed,
  -- The address before the import, '' for none; NULL: the import did not change it.
  (SELECT m.was_email FROM subscription_changes m
    WHERE m.website_id = subscription_changes.website_id AND m.phone = subscription_changes.phone
      AND m.source = 'import' AND m.proof = subscription_changes.proof
      AND m.before_id = subscription_changes.before_id AND m.was_email IS NOT NULL
    ORDER BY m.change_id LIMIT 1) AS email_before
FROM subscription_changes
WHERE source = 'import' AND NOT EXISTS (SELECT 1 FROM subscription_changes m
  WHERE m.website_id = subscription_changes.website_id AND m.phone = subscription_changes.phone
    AND m.source = 'import' AND m.proof = subscription_changes.proof AND m.change_id > subscription_changes.change_id);

CREATE TABLE messages (
  message_id TEXT NOT NULL PRIMARY KEY,
  website_id TEXT NOT NULL,
  client_id TEXT NOT NULL,
  phone INTEGER,                       -- NULL when no number was found for the e-mail address
  email TEXT,
  text TEXT NOT NULL,
  media_url TEXT,
  click_url TEXT,
  callback_data TEXT NOT NULL,
  send_purpose TEXT NOT NULL,
  status TEXT NOT NULL,
  reason TEXT,                         -- in words, for the operator
  accepted_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  -- When the job that submits it is due: a pending message has it, and no other. The sweep queues the job again some time later. A
  -- claim leaves it as it is. NULL of a pending message: its send_at is more than some minutes ahead, and it has no job yet. The sweep gives it one.
  due_at INTEGER,
  claimed_at INTEGER,                  -- when a submission was begun; NULL while nobody may have submitted it
  interrupted_at INTEGER,              -- when a sweep first found that the run of this claim was cut off; the next claim removes it
  claim TEXT,                          -- which run of the consumer began it
  attempts INTEGER NOT NULL DEFAULT 0, -- submissions begun
  -- The carrier and the sender of the latest claim.
  carrier TEXT,
  sender TEXT,
  by_fallback INTEGER NOT NULL DEFAULT 0, -- by which of the two of its website it goes or went: see src/domain/messages/by-fallback.ts
  carrier_message_id TEXT,
  encoding TEXT,                       -- GSM-7, UCS-2
  segments INTEGER,
  is_reply INTEGER NOT NULL DEFAULT 0, -- 1: confirms an opt-out, so it is sent after the opt-out; 2: any other reply to a keyword
  opted_out INTEGER NOT NULL DEFAULT 0, -- 1: the person answered by opting out, as the carrier reported; 3: by a text; 2: the carrier reported an opt-out that was known
  reason_code TEXT,                    -- why it has this status: see src/domain/messages/reason.ts; of a pending one: SENDER_LIMIT, if it waits for its sender; why it was refused, if it goes by another next
  -- A JSON array: each submission, but for one that was accepted at once. The first and the latest of very many.
  submissions TEXT,
  -- Names of fields of the send request that no send request has, as a JSON array. Hardly any message has some.
  ignored_fields TEXT,
  send_at INTEGER,                     -- no run claims it before; NULL: it may go at once
  expires_at INTEGER,                  -- no run claims it from then on; NULL: SUBMIT_WITHIN_HOURS after it may first go
  kind TEXT,                           -- transactional, marketing; NULL: a reply to a keyword
  time_zone TEXT,                      -- of the person, as the client says: an IANA name
  region TEXT,                         -- of the person, as the client says: an ISO 3166-2 code
  opens_at INTEGER,                    -- sending hours hold it until send_at: when they open, before the spread; NULL: they do not
  country TEXT,                        -- of the number: an ISO 3166-1 code; NULL: none is known
  is_restored INTEGER NOT NULL DEFAULT 0, -- 1: a restore has found it under way, so its status has no callback: one may have been posted
  CHECK (iif(status = 'PENDING_TO_SEND', due_at IS NOT NULL OR send_at IS NOT NULL, due_at IS NULL))
) STRICT;

CREATE INDEX messages_by_phone ON messages (website_id, phone, accepted_at);
CREATE INDEX messages_by_time ON messages (website_id, accepted_at);

-- Messages that were accepted more than an hour after they got their ids: what the daily limit has held back of a bulk request. The others are found by time with their ids, which begin with it: see src/store/messages/newest-messages.ts.
CREATE INDEX messages_late ON messages (accepted_at, message_id)
  WHERE message_id < printf('%08x-%04x', (accepted_at - 3600000) >> 16, (accepted_at - 3600000) & 65535);

-- Messages to e-mail addresses without a number.
CREATE INDEX messages_unmatched ON messages (website_id, email) WHERE phone IS NULL;

-- What the sweep looks for: pending messages by the time at which their job is due, and messages that wait for a final receipt.
CREATE INDEX messages_pending ON messages (due_at) WHERE due_at IS NOT NULL;
CREATE INDEX messages_sending ON messages (updated_at) WHERE status = 'SENDING';

-- The pending messages of one website, however many others have, and however many of its own have no job yet.
CREATE INDEX messages_pending_by_website ON messages (website_id, message_id) WHERE due_at IS NOT NULL;

-- Pending messages that have no job yet: by their time, for the sweep, and by website.
CREATE INDEX messages_scheduled ON messages (send_at) WHERE status = 'PENDING_TO_SEND' AND due_at IS NULL;
CREATE INDEX messages_scheduled_by_website ON messages (website_id, message_id) WHERE status = 'PENDING_TO_SEND' AND due_at IS NULL;

-- What a purge deletes: messages that have ended, by the later of their acceptance and their own time.
CREATE INDEX messages_ended ON messages (max(accepted_at, coalesce(send_at, 0))) WHERE status NOT IN ('PENDING_TO_SEND', 'SENDING');

-- Pending messages that could not be submitted at first. Most messages can, and have no entry here.
CREATE INDEX messages_retried ON messages (website_id, due_at) WHERE due_at IS NOT NULL AND reason IS NOT NULL;

-- What clients hear of: each change of a message's status, each of a person's first clicks, and notices of texts and subscriptions.
-- One row each, with its callback. The sequence number is the order in which D1 stored them, and the cursor of GET /text/events.
CREATE TABLE events (
  seq INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
  website_id TEXT NOT NULL,
  client_id TEXT NOT NULL,             -- '' for a reply to a keyword: no client hears of it
  message_id TEXT NOT NULL,            -- of a notice: its own id
  event TEXT NOT NULL,                 -- the status; CLICK_ and the id of a click; the type of a notice
  occurred_at INTEGER NOT NULL,
  reason_code TEXT,                    -- of the message, when the event was stored
  body TEXT,                           -- of a notice: JSON, the body of the callback without eventId and eventType
  phone INTEGER,                       -- of a notice: whom it is about; NULL when the sender is no phone number
  -- When the job that posts the callback is due: a callback without an outcome has it. The sweep queues the job again some time later.
  -- NULL: the client wants no callback, or it has its outcome.
  due_at INTEGER,
  attempted_at INTEGER,                -- claimed: the one POST is under way, or was
  claim TEXT,                          -- which run of the consumer claimed it, or gave it back unposted
  outcome TEXT,                        -- answered, timed-out, unreachable, not-posted
  http_status INTEGER,
  response TEXT,                       -- the beginning of what came back, or the error
  duration_ms INTEGER,
  CHECK (due_at IS NULL OR outcome IS NULL)
) STRICT;

CREATE UNIQUE INDEX events_by_message ON events (message_id, event);
CREATE INDEX events_by_client ON events (website_id, client_id, seq);
CREATE INDEX events_open ON events (due_at) WHERE due_at IS NOT NULL;
CREATE INDEX notices_by_phone ON events (website_id, phone) WHERE body IS NOT NULL;
CREATE INDEX notices_by_time ON events (occurred_at) WHERE body IS NOT NULL;

-- Texts that people sent. A carrier may deliver one twice: its id is stored once per website.
CREATE TABLE inbound_texts (
  website_id TEXT NOT NULL,            -- '' when no website has the number
  carrier TEXT NOT NULL,
  carrier_message_id TEXT NOT NULL,
  sender TEXT NOT NULL,                -- as the carrier gave it
  recipient TEXT NOT NULL,
  text TEXT NOT NULL,
  keyword TEXT,                        -- stop, start, help; NULL for any other text
  received_at INTEGER NOT NULL,
  applied INTEGER NOT NULL DEFAULT 0,  -- 1: the text was acted upon; 3: so it was, and this website replied
  without_effect TEXT,                 -- why its keyword had no effect: see src/domain/people/last-word.ts; NULL: it had, or there is none
  -- 1: the text contains an opt-out word, and is none. A person decides what is meant.
  maybe_opt_out INTEGER NOT NULL DEFAULT 0,
  -- What an operator has decided of such a text: then maybe_opt_out is 0. NULL: nothing.
  decided_opt_out INTEGER,
  decided_by TEXT,
  decided_at INTEGER,
  PRIMARY KEY (website_id, carrier, carrier_message_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX inbound_texts_by_time ON inbound_texts (website_id, received_at);

CREATE INDEX inbound_texts_without_effect ON inbound_texts (received_at) WHERE without_effect IS NOT NULL;
CREATE INDEX inbound_texts_of_sender ON inbound_texts (website_id, sender, received_at);
CREATE INDEX inbound_texts_by_age ON inbound_texts (received_at);
CREATE INDEX inbound_texts_maybe_opt_out ON inbound_texts (received_at) WHERE maybe_opt_out = 1;

-- Numbers whose latest texts ended with a permanent fault of the number. A delivery, a text from the person, a subscribe and an import remove the
-- row. Where failures have reached the unreachableAfter of the website, the number is unreachable.
CREATE TABLE number_faults (
  website_id TEXT NOT NULL,
  phone INTEGER NOT NULL,
  failures INTEGER NOT NULL,           -- texts in a row
  code TEXT NOT NULL,                  -- the carrier's, of the latest
  failed_at INTEGER NOT NULL,          -- the latest
  told_at INTEGER,                     -- when clients were told that the number is unreachable; NULL: not yet
  PRIMARY KEY (website_id, phone)
) STRICT, WITHOUT ROWID;

-- Accounts at carriers beside those of the environment, in the first database. Their secrets are encrypted with the service key.
CREATE TABLE accounts (
  name TEXT NOT NULL PRIMARY KEY,      -- a website has it as its carrier
  carrier TEXT NOT NULL,
  settings TEXT NOT NULL,              -- JSON: those that are no secrets
  sealed TEXT NOT NULL,                -- JSON of the secrets, encrypted
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Where a tracking link leads. The text of its message has the link in place of the URL.
CREATE TABLE links (
  code TEXT NOT NULL PRIMARY KEY,
  message_id TEXT NOT NULL,
  url TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX links_by_message ON links (message_id);

CREATE TABLE clicks (
  message_id TEXT NOT NULL,
  click_id TEXT NOT NULL,
  clicked_at INTEGER NOT NULL,
  is_person INTEGER NOT NULL,          -- 0: a robot, a preview, a prefetch
  count INTEGER NOT NULL DEFAULT 1,    -- how many clicks the row stands for: a person's first few on a message have a row each, others share one
  last_click_id TEXT,                  -- of such a shared row, the click that was counted last: counting it again changes nothing
  PRIMARY KEY (message_id, click_id)
) STRICT, WITHOUT ROWID;

-- Tombstones of erased numbers: they stay opted out.
CREATE TABLE erased_people (
  website_id TEXT NOT NULL,
  mark TEXT NOT NULL,                  -- HMAC-SHA-256 of the number, hex
  erased_at INTEGER NOT NULL,
  last_stop_at INTEGER,                -- when the person last opted out; NULL: the person had not
  PRIMARY KEY (website_id, mark)
) STRICT, WITHOUT ROWID;

-- Jobs that failed for good, or that nobody can read. Bodies hold ids and outcomes; numbers in a carrier's words are masked.
CREATE TABLE dead_jobs (
  id TEXT NOT NULL PRIMARY KEY,        -- the queue's own id of the job
  queue TEXT NOT NULL,
  body TEXT NOT NULL,                  -- JSON
  died_at INTEGER NOT NULL,
  error TEXT,                          -- of the last try; NULL: not known, the job comes from the dead-letter queue
  put_back_at INTEGER                  -- when an operator last queued it again
) STRICT, WITHOUT ROWID;

CREATE INDEX dead_jobs_by_time ON dead_jobs (died_at);
CREATE INDEX dead_jobs_waiting ON dead_jobs (died_at) WHERE put_back_at IS NULL;

-- When the last sweep ended: an operator sees that crons do not run.
CREATE TABLE last_sweep (
  only INTEGER NOT NULL PRIMARY KEY CHECK (only = 1),
  ended_at INTEGER NOT NULL,
  failed_jobs TEXT NOT NULL,           -- JSON array of names
  first_ended_at INTEGER NOT NULL,     -- when the first sweep ended: isolates of before the deploy that bound this database may not know it
  alerts_refused_since INTEGER,        -- when ALERT_URL first did not take a post; NULL: it took the latest one
  alerts_refusal TEXT                  -- what became of the latest post, such as HTTP 400
) STRICT;

-- What a repeated request must find again: a table for each idea.

-- By client and Idempotency-Key.
CREATE TABLE idempotency_keys (
  client_id TEXT NOT NULL,
  operation TEXT NOT NULL,             -- send, bulk
  idempotency_key TEXT NOT NULL,
  body_hash TEXT NOT NULL,             -- SHA-256, hex; '' for bulk, whose parts have theirs
  message_id TEXT NOT NULL,            -- for bulk the id of the first message: the others count on from it
  expires_at INTEGER NOT NULL,
  begun_at INTEGER,                    -- for bulk when it first came: its times are compared to this
  PRIMARY KEY (client_id, operation, idempotency_key)
) STRICT, WITHOUT ROWID;

CREATE INDEX idempotency_keys_by_expiry ON idempotency_keys (expires_at);

-- The parts of a bulk request with an Idempotency-Key, each stored in one transaction.
CREATE TABLE bulk_parts (
  first_id TEXT NOT NULL,              -- names the request: idempotency_keys.message_id
  part INTEGER NOT NULL,               -- from 0; the last one ends the request, and has no message
  body_hash TEXT NOT NULL,
  attempt TEXT NOT NULL,               -- which attempt stored it
  expires_at INTEGER NOT NULL,
  PRIMARY KEY (first_id, part)
) STRICT, WITHOUT ROWID;

CREATE INDEX bulk_parts_by_expiry ON bulk_parts (expires_at);

-- By number and content, where a website suppresses duplicates.
CREATE TABLE duplicate_keys (
  website_id TEXT NOT NULL,
  phone INTEGER NOT NULL,              -- the shorter form, where a country writes a number in two ways
  content_hash TEXT NOT NULL,          -- SHA-256 of text, purpose and the request's sendAt, hex
  message_id TEXT NOT NULL,
  expires_at INTEGER NOT NULL,
  was_repeated INTEGER NOT NULL DEFAULT 0, -- 1: a duplicate was answered with this message, so it is not taken back
  PRIMARY KEY (website_id, phone, content_hash)
) STRICT, WITHOUT ROWID;

CREATE INDEX duplicate_keys_by_expiry ON duplicate_keys (expires_at);
CREATE INDEX duplicate_keys_repeated ON duplicate_keys (message_id) WHERE was_repeated = 1;

-- Suppressed messages of bulk requests with an Idempotency-Key: a repetition gets the same answer.
CREATE TABLE suppressed_messages (
  message_id TEXT NOT NULL PRIMARY KEY,
  first_id TEXT NOT NULL,              -- the message that it repeats
  expires_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX suppressed_messages_by_expiry ON suppressed_messages (expires_at);

-- Messages whose sender was told that they are not stored, and messages to people who were erased since, and texts from them. A transaction
-- that commits late stores none of them.
CREATE TABLE cancelled_messages (
  message_id TEXT NOT NULL PRIMARY KEY, -- of a text: see nameOfText in src/store/people/erasure.ts
  cancelled_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX cancelled_messages_by_time ON cancelled_messages (cancelled_at);

-- The tries of calls of D1 that a later try has ended: see src/store/fence.ts. Kept for an hour.
CREATE TABLE ended_tries (
  call TEXT NOT NULL PRIMARY KEY,
  latest INTEGER NOT NULL,             -- the number of the latest try that is over
  ended_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX ended_tries_by_time ON ended_tries (ended_at);

-- Always empty: what is put into it fails its transaction.
CREATE TABLE late_tries (
  only INTEGER NOT NULL CONSTRAINT try_is_over CHECK (only IS NULL)
) STRICT;

-- The key of the tombstones. It is made once and never replaced: see src/store/people/erasure-key.ts.
CREATE TABLE erasure_key (
  only INTEGER NOT NULL PRIMARY KEY CHECK (only = 1),
  key_id TEXT NOT NULL,                -- names the copy in KV
  sealed TEXT NOT NULL                 -- encrypted with the service key
) STRICT;

-- The senders that a website has had, and its fallback: people reply to what came from them.
CREATE TABLE former_senders (
  carrier TEXT NOT NULL,
  sender TEXT NOT NULL,
  website_id TEXT NOT NULL,
  PRIMARY KEY (carrier, sender, website_id)
) STRICT, WITHOUT ROWID;

-- What grows with the number of websites and messages is read by what concerns it.

-- What each message but a reply to a keyword adds to the counts of the quarter of an hour in which it was accepted.
CREATE VIEW message_counts AS SELECT
  message_id,
  website_id,
  client_id,
  is_reply,
  send_at,
  accepted_at,
  accepted_at / 900000 AS quarter,
  send_purpose,
  coalesce(country, '') AS country,
  status,
  coalesce(reason_code, '') AS reason,
  1 AS messages,
  iif(status IN ('SENDING', 'DELIVERED', 'FAILED_TO_DELIVERY'), coalesce(segments, 0), 0) AS segments,
  -- Only a message with a link has clicks.
  iif(click_url IS NULL, 0, EXISTS (
    SELECT 1 FROM clicks WHERE clicks.message_id = messages.message_id AND is_person = 1)) AS clicked,
  iif(click_url IS NULL, 0, (SELECT coalesce(sum(count), 0)
    FROM clicks WHERE clicks.message_id = messages.message_id AND is_person = 1)) AS clicks,
  iif(click_url IS NULL, 0, (SELECT coalesce(sum(count), 0)
    FROM clicks WHERE clicks.message_id = messages.message_id AND is_person = 0)) AS robot_clicks,
  opted_out IN (1, 3) AS opted_out
FROM messages WHERE is_reply = 0;

-- The counts of messages that were accepted before websites.counted_until, and of messages that are deleted. A report adds the
-- stored messages from counted_until on: so each message counts once.
CREATE TABLE report_counts (
  website_id TEXT NOT NULL,
  quarter INTEGER NOT NULL,            -- of an hour, since 1970: in every time zone, a day begins with one
  send_purpose TEXT NOT NULL,
  country TEXT NOT NULL,               -- '': none is known
  status TEXT NOT NULL,
  reason TEXT NOT NULL,
  messages INTEGER NOT NULL,
  segments INTEGER NOT NULL,           -- of messages that a carrier accepted
  clicked INTEGER NOT NULL,            -- messages with a person's click
  clicks INTEGER NOT NULL,             -- clicks of people
  robot_clicks INTEGER NOT NULL,
  opted_out INTEGER NOT NULL,
  PRIMARY KEY (website_id, quarter, send_purpose, country, status, reason)
) STRICT, WITHOUT ROWID;

-- What an operator must see and stop. Nothing here is written for what works.

-- The circuit breakers: a row for each sender of a carrier, and for each carrier, that has failed since it last took or refused a message.
CREATE TABLE carrier_pauses (
  carrier TEXT NOT NULL,
  sender TEXT NOT NULL,                -- '': our account and the carrier, and so all senders
  about TEXT NOT NULL,                 -- what the cause is about: sender, account or carrier
  failures INTEGER NOT NULL,           -- in a row
  failed_at INTEGER NOT NULL,          -- the latest failure
  cause TEXT NOT NULL,                 -- of the first failure since it last worked
  openings INTEGER NOT NULL DEFAULT 0, -- since it last worked in time
  since INTEGER,                       -- the first opening since it last worked; NULL: it has not opened
  opened_at INTEGER,                   -- the latest opening
  open_until INTEGER NOT NULL DEFAULT 0, -- no message of it is claimed before
  PRIMARY KEY (carrier, sender)
) STRICT, WITHOUT ROWID;

-- Endpoints whose latest callback failed.
CREATE TABLE failing_endpoints (
  client_id TEXT NOT NULL PRIMARY KEY,
  host TEXT NOT NULL,
  since INTEGER NOT NULL,              -- the first failure since a success
  failed_at INTEGER NOT NULL,          -- the latest failure
  failures INTEGER NOT NULL,           -- since a success
  cause TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- Problems that the sweep has found, while they last and 30 days longer.
CREATE TABLE told_problems (
  problem TEXT NOT NULL,
  subject TEXT NOT NULL,               -- what it concerns: a carrier, or a client; '' for the service
  began_at INTEGER NOT NULL,
  told_at INTEGER NOT NULL,            -- when somebody was last told of it, or of its end; 0: never
  ended_at INTEGER,                    -- NULL: it lasts
  detail TEXT NOT NULL,                -- JSON: what it concerned when it began, and the cause in words
  PRIMARY KEY (problem, subject, began_at)
) STRICT, WITHOUT ROWID;

CREATE INDEX told_problems_by_end ON told_problems (ended_at);

-- Who may call /operator beside the secret OPERATOR_TOKEN, and who has changed what.

CREATE TABLE operator_tokens (
  token_hash TEXT NOT NULL PRIMARY KEY, -- SHA-256, hex
  name TEXT NOT NULL,                  -- at most two tokens have the same, while one is replaced
  created_at INTEGER NOT NULL,
  created_by TEXT NOT NULL,            -- the name of a token
  ends_at INTEGER,                     -- NULL: once an operator ends it
  role TEXT NOT NULL DEFAULT 'operator' -- viewer, operator
) STRICT, WITHOUT ROWID;

CREATE INDEX operator_tokens_by_name ON operator_tokens (name, created_at);

-- Who is signed in to the console. A session is over when its token is, whatever its row says.
CREATE TABLE operator_sessions (
  secret_hash TEXT NOT NULL PRIMARY KEY, -- SHA-256 of the cookie's value, hex
  session_id TEXT NOT NULL,            -- shown: it opens nothing
  token_hash TEXT NOT NULL,            -- the token that signed in
  created_at INTEGER NOT NULL,
  used_at INTEGER NOT NULL,            -- in steps of ten minutes
  ends_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE UNIQUE INDEX operator_sessions_by_id ON operator_sessions (session_id);
CREATE INDEX operator_sessions_by_expiry ON operator_sessions (ends_at);

-- Every change that an operator made, and each look-up of a person, kept for good. A change of one transaction is stored with its row; of any other change the
-- row is stored before it, without an outcome.
CREATE TABLE audit_log (
  id INTEGER NOT NULL PRIMARY KEY,
  request_id TEXT NOT NULL UNIQUE,
  stored_at INTEGER NOT NULL,
  operator TEXT NOT NULL,              -- the name of the token
  action TEXT NOT NULL,
  website_id TEXT,
  client_id TEXT,
  subject TEXT,                        -- what else it concerns: a masked number, a carrier, a job, a name
  before TEXT,                         -- JSON object of what the change replaces, where it replaces settings
  after TEXT,                          -- JSON object
  outcome TEXT                         -- done, failed; NULL: it began
) STRICT;

CREATE INDEX audit_log_by_website ON audit_log (website_id) WHERE website_id IS NOT NULL;
CREATE INDEX audit_log_by_client ON audit_log (client_id) WHERE client_id IS NOT NULL;
CREATE INDEX audit_log_by_operator ON audit_log (operator);
CREATE INDEX audit_log_look_ups ON audit_log (operator, stored_at) WHERE action = 'look-up';

-- The rows of the ledger that belong to an import have its id as their proof, and ids after after_id, up to last_id.
CREATE TABLE imports (
  import_id TEXT NOT NULL PRIMARY KEY, -- the id of its first request
  website_id TEXT NOT NULL,
  resubscribes INTEGER NOT NULL,       -- 1: it subscribes again whom anybody else than the person has unsubscribed
  after_id INTEGER NOT NULL,
  last_id INTEGER NOT NULL,
  undone_to INTEGER,                   -- its rows up to this id are undone, and it takes no more; NULL: it is open
  restored INTEGER NOT NULL DEFAULT 0,
  changed_since INTEGER NOT NULL DEFAULT 0,
  -- For the list of imports. Of these counts, the first three are of all requests that have ended; NULL: none has.
  file TEXT,                           -- its name
  operator TEXT NOT NULL,
  begun_at INTEGER NOT NULL,
  undone_at INTEGER,                   -- when the undo began
  counted_request TEXT,                -- the last request that is in the counts
  file_rows INTEGER,
  kept_unsubscribed INTEGER,
  refused INTEGER,
  new_subscribed INTEGER,              -- this and the next: of all parts that are stored; NULL: none is
  new_opted_out INTEGER,
  became_subscribed INTEGER,
  became_opted_out INTEGER
) STRICT, WITHOUT ROWID;

CREATE INDEX imports_by_time ON imports (begun_at, import_id);

-- Websites may be in several databases, each in one for life. Each database has the whole schema; the first also has the directory: which
-- database a website is in, and where to look for a client, or for the owner of a sender.

CREATE TABLE homes (
  home INTEGER NOT NULL PRIMARY KEY,   -- of a website, for life: its ids carry it
  website_id TEXT NOT NULL UNIQUE,
  database TEXT NOT NULL               -- the binding: DB, DB_2, …
) STRICT;

CREATE INDEX homes_by_database ON homes (database);

-- Clients of websites that are not in the first database.
CREATE TABLE client_homes (
  client_id TEXT NOT NULL PRIMARY KEY,
  home INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Senders that such websites have, or have had.
CREATE TABLE sender_homes (
  carrier TEXT NOT NULL,
  sender TEXT NOT NULL,
  home INTEGER NOT NULL,
  PRIMARY KEY (carrier, sender, home)
) STRICT, WITHOUT ROWID;

-- How large this database was, by day.
CREATE TABLE database_sizes (
  day INTEGER NOT NULL PRIMARY KEY,    -- since 1970, UTC
  bytes INTEGER NOT NULL
) STRICT;

-- What is counted, for an hour by minute, for a day by 20 minutes, and for a month by day: of a campaign, which is a purpose of a website, under
-- a span of its own. The sweep adds up the ledgers once a minute: see
-- src/store/operations/count-ledgers.ts. What no ledger has is added as it happens.
-- - accepted: texts, without replies to keywords, by their acceptance. Those that are no longer pending are also in a class of
--   src/domain/messages/outcome-class.ts: in a minute, the detail is their carrier.
-- - clicked, optedOut: the texts that a person has clicked, or answered by opting out, by the day of their acceptance.
--   Of a campaign, the detail is its purpose.
-- - gone: texts of a campaign that a carrier took in the minute. The detail is the purpose.
-- - joined, parted: numbers that were subscribed, and that were unsubscribed or erased.
-- - outcome: how submissions and callbacks of a minute ended, and the receipts that came in it. The detail is the kind, the carrier and
--   the outcome. A success ends a problem at once, whatever its minute.
-- - receipt: receipts of texts that were submitted in the minute. The detail is a JSON array: the carrier, the sender, the reason ('' for
--   delivered), and the carrier's code of a failure.
-- - taken, failed, milliseconds: callbacks that were posted to the endpoint of a client, and how long they took, by 20 minutes.
-- - refused: requests of a website. The detail is the code. At least: what an isolate had not stored at its end is missing.
CREATE TABLE counts (
  span TEXT NOT NULL,                  -- minute, slot (of 20 minutes), day, campaign (a day of one)
  at INTEGER NOT NULL,                 -- the minute, slot or day (UTC), since 1970
  kind TEXT NOT NULL,
  subject TEXT NOT NULL,               -- a website or a client; '' for all of them
  detail TEXT NOT NULL,                -- '' for none
  count INTEGER NOT NULL,
  -- When the first and the latest of these came: of outcomes, and of receipts when their texts were submitted. The longest of milliseconds.
  first_at INTEGER NOT NULL DEFAULT 0,
  last_at INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (subject, span, kind, at, detail)
) STRICT, WITHOUT ROWID;

CREATE INDEX counts_by_age ON counts (span, at);
CREATE INDEX counts_of_busiest ON counts (at, count) WHERE span = 'day' AND kind = 'accepted' AND subject <> '';

-- How far the ledgers are counted: the rowid of a message, the seq of an event, the change_id of a change of a subscription. The step that
-- counted last has counted the rows after the place where it began, up to the place that it reached. Without a row, nothing is counted yet.
CREATE TABLE counted_ledgers (
  only INTEGER NOT NULL PRIMARY KEY CHECK (only = 1),
  messages_after INTEGER NOT NULL DEFAULT 0,
  messages INTEGER NOT NULL DEFAULT 0,
  events_after INTEGER NOT NULL DEFAULT 0,
  events INTEGER NOT NULL DEFAULT 0,
  changes_after INTEGER NOT NULL DEFAULT 0,
  changes INTEGER NOT NULL DEFAULT 0,
  as_of INTEGER                        -- when everything was counted; NULL: never yet
) STRICT;
