-- What a repeated request must find again: a table for each idea, in place of send_keys. The version before still reads
-- and writes that one, so it is kept in step until a later migration drops it.

-- By client and Idempotency-Key.
CREATE TABLE idempotency_keys (
  client_id TEXT NOT NULL,
  operation TEXT NOT NULL,             -- send, bulk
  idempotency_key TEXT NOT NULL,
  body_hash TEXT NOT NULL,             -- SHA-256, hex; '' for bulk, whose parts have theirs
  message_id TEXT NOT NULL,            -- for bulk the id of the first message: the others count on from it
  expires_at INTEGER NOT NULL,
  PRIMARY KEY (client_id, operation, idempotency_key)
) STRICT, WITHOUT ROWID;

CREATE INDEX idempotency_keys_by_expiry ON idempotency_keys (expires_at);

-- The parts of a bulk request with an Idempotency-Key, each stored in one transaction.
CREATE TABLE bulk_parts (
  first_id TEXT NOT NULL,              -- names the request: idempotency_keys.message_id
  part INTEGER NOT NULL,               -- from 0; -1: the end, after which no part is added
  body_hash TEXT NOT NULL,
  attempt TEXT NOT NULL,               -- which attempt stored it
  expires_at INTEGER NOT NULL,
  PRIMARY KEY (first_id, part)
) STRICT, WITHOUT ROWID;

CREATE INDEX bulk_parts_by_expiry ON bulk_parts (expires_at);

-- By number and content, where a website suppresses duplicates.
CREATE TABLE duplicate_keys (
  website_id TEXT NOT NULL,
  phone INTEGER NOT NULL,
  content_hash TEXT NOT NULL,          -- SHA-256 of text and purpose, hex
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

-- Messages whose sender was told that they are not stored. A transaction that commits late stores none of them.
CREATE TABLE cancelled_messages (
  message_id TEXT NOT NULL PRIMARY KEY,
  cancelled_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX cancelled_messages_by_time ON cancelled_messages (cancelled_at);
