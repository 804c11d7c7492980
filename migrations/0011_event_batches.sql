-- The events of one client that one transaction has stored, in the order in which they were stored. A later transaction has
-- higher numbers: the number is one more than the highest, whose row is never deleted.
CREATE TABLE event_batches (
  seq INTEGER NOT NULL PRIMARY KEY,
  client_id TEXT NOT NULL,
  stored_at INTEGER NOT NULL,
  event_ids TEXT NOT NULL              -- JSON array of <message_id>_<event>
) STRICT;

CREATE INDEX event_batches_by_client ON event_batches (client_id, seq);

-- The last batch that the sweep has looked at. It looks at each once, when its callbacks would be overdue.
CREATE TABLE event_batches_seen (
  only INTEGER NOT NULL PRIMARY KEY CHECK (only = 1),
  seq INTEGER NOT NULL
) STRICT;

-- Callbacks that were open when the sweep looked at their batch, or that a run has given back.
CREATE TABLE open_callbacks (
  message_id TEXT NOT NULL,
  event TEXT NOT NULL,
  queued_at INTEGER,                   -- when its job was last queued; 0: overdue; NULL: claimed, so it is queued no more
  PRIMARY KEY (message_id, event)
) STRICT, WITHOUT ROWID;

CREATE INDEX open_callbacks_by_time ON open_callbacks (queued_at) WHERE queued_at IS NOT NULL;
