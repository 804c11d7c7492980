-- Times are milliseconds since 1970 (UTC). Phone numbers are E.164 without the plus sign, as integers.

CREATE TABLE websites (
  website_id TEXT NOT NULL PRIMARY KEY,
  name TEXT NOT NULL,
  carrier TEXT NOT NULL,
  sender TEXT,
  help_text TEXT,
  duplicate_window_hours INTEGER,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
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
  copied_at INTEGER                    -- when KV last got it
) STRICT, WITHOUT ROWID;

CREATE INDEX clients_by_website ON clients (website_id);

-- The current state of each number; subscription_changes says how it came about.
CREATE TABLE subscriptions (
  website_id TEXT NOT NULL,
  phone INTEGER NOT NULL,
  subscribed INTEGER NOT NULL,
  email TEXT,                          -- lower case
  change_id INTEGER NOT NULL,          -- the latest change of subscribed
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
  changed_at INTEGER NOT NULL,
  source TEXT NOT NULL,                -- import, api, keyword, carrier
  proof TEXT NOT NULL                  -- a request id, or the text of the message
) STRICT;

CREATE INDEX subscription_changes_by_phone ON subscription_changes (website_id, phone);

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
  reason TEXT,                         -- why it has this status, for the operator
  accepted_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  queued_at INTEGER NOT NULL,          -- when its job was last queued
  claimed_at INTEGER,                  -- when a submission was begun; NULL while nobody may have submitted it
  claim TEXT,                          -- which run of the consumer began it
  attempts INTEGER NOT NULL DEFAULT 0, -- submissions begun
  retry_at INTEGER,                    -- not to be submitted before
  carrier TEXT,
  carrier_message_id TEXT
) STRICT;

CREATE INDEX messages_pending ON messages (queued_at) WHERE status = 'PENDING_TO_SEND';
CREATE INDEX messages_sending ON messages (updated_at) WHERE status = 'SENDING';

-- What a repeated send request must find again: by Idempotency-Key, or by number, text and purpose.
CREATE TABLE send_keys (
  website_id TEXT NOT NULL,
  send_key TEXT NOT NULL,
  body_hash TEXT NOT NULL,
  message_id TEXT NOT NULL,
  expires_at INTEGER NOT NULL,
  PRIMARY KEY (website_id, send_key)
) STRICT, WITHOUT ROWID;

CREATE INDEX send_keys_by_expiry ON send_keys (expires_at);

-- Every change of a message's status, and what became of its one callback.
CREATE TABLE events (
  message_id TEXT NOT NULL,
  event TEXT NOT NULL,                 -- the status, or a click
  occurred_at INTEGER NOT NULL,
  callback_due INTEGER NOT NULL,       -- 0: the client wants none
  queued_at INTEGER NOT NULL,
  attempted_at INTEGER,                -- claimed: the one POST is under way, or was
  claim TEXT,                          -- which run of the consumer claimed it
  outcome TEXT,                        -- answered, timed-out, unreachable, not-signed
  http_status INTEGER,
  response TEXT,                       -- the beginning of what came back, or the error
  duration_ms INTEGER,
  PRIMARY KEY (message_id, event)
) STRICT, WITHOUT ROWID;

CREATE INDEX events_due ON events (queued_at) WHERE callback_due = 1 AND attempted_at IS NULL;
