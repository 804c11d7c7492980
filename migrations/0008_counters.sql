-- What grows with the number of websites and messages is read by what concerns it.

-- The messages of closed days, purged and erased ones included, by day (of acceptance, UTC), purpose and status. A day is
-- closed when each of its messages is final; a click or an opt-out after that is added. See websites.counted_until.
CREATE TABLE daily_counts (
  website_id TEXT NOT NULL,
  day TEXT NOT NULL,                   -- 2026-11-21
  send_purpose TEXT NOT NULL,
  status TEXT NOT NULL,
  messages INTEGER NOT NULL,
  segments INTEGER NOT NULL,           -- of messages that a carrier accepted
  clicked INTEGER NOT NULL,            -- messages with a person's click
  clicks INTEGER NOT NULL,             -- clicks of people
  robot_clicks INTEGER NOT NULL,
  opted_out INTEGER NOT NULL,
  PRIMARY KEY (website_id, day, send_purpose, status)
) STRICT, WITHOUT ROWID;

-- Messages accepted before this time are in daily_counts. In the middle of a day: a part of the day is, and the day is open.
ALTER TABLE websites ADD COLUMN counted_until INTEGER NOT NULL DEFAULT 0;
CREATE INDEX websites_by_count ON websites (counted_until);

-- As ended_at, of a version that keeps daily_counts. Where the two differ, an older version has swept since: nothing is closed.
ALTER TABLE last_sweep ADD COLUMN counts_kept_at INTEGER;
-- When a version that keeps daily_counts first swept after one that does not.
ALTER TABLE last_sweep ADD COLUMN counts_since INTEGER;

-- Clients of which KV may not hold the latest state: see findUncopied.
CREATE INDEX clients_uncopied ON clients (changed_at) WHERE copied_at IS NULL OR copied_at < changed_at + 120000;

DROP INDEX inbound_texts_by_sender;
CREATE INDEX inbound_texts_of_sender ON inbound_texts (website_id, sender, received_at);
CREATE INDEX inbound_texts_by_age ON inbound_texts (received_at);

-- Messages to e-mail addresses without a number.
CREATE INDEX messages_unmatched ON messages (website_id, email) WHERE phone IS NULL;
