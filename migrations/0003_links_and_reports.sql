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
  PRIMARY KEY (message_id, click_id)
) STRICT, WITHOUT ROWID;

-- The message that a person answered with STOP, or at whose carrier they opted out: the latest to them.
ALTER TABLE messages ADD COLUMN opted_out INTEGER NOT NULL DEFAULT 0;

CREATE INDEX messages_by_phone ON messages (website_id, phone, accepted_at);
CREATE INDEX messages_by_time ON messages (website_id, accepted_at);

-- What is left of purged messages: counts by day (of acceptance, UTC), purpose and status.
CREATE TABLE report_rows (
  website_id TEXT NOT NULL,
  day TEXT NOT NULL,                   -- 2026-11-21
  send_purpose TEXT NOT NULL,
  status TEXT NOT NULL,
  messages INTEGER NOT NULL,
  segments INTEGER NOT NULL,           -- of those that a carrier took
  clicked INTEGER NOT NULL,            -- messages with a person's click
  clicks INTEGER NOT NULL,             -- clicks of people
  robot_clicks INTEGER NOT NULL,
  opted_out INTEGER NOT NULL,
  PRIMARY KEY (website_id, day, send_purpose, status)
) STRICT, WITHOUT ROWID;

-- Numbers that were erased, as one-way marks: they stay opted out.
CREATE TABLE erased_people (
  website_id TEXT NOT NULL,
  mark TEXT NOT NULL,                  -- HMAC-SHA-256 of the number, hex
  PRIMARY KEY (website_id, mark)
) STRICT, WITHOUT ROWID;
