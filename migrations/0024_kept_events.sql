-- An event without a callback costs no row: its message says when it occurred.

-- When it became SENDING. NULL: it did not, or a row of events says so.
ALTER TABLE messages ADD COLUMN sending_at INTEGER;
-- Likewise, when it got its final status.
ALTER TABLE messages ADD COLUMN final_at INTEGER;

-- As ended_at, of a version that reads these columns. Where the two differ, an older version has swept since.
ALTER TABLE last_sweep ADD COLUMN events_kept_at INTEGER;
-- When such a version first swept after an older one. 0: no older one has.
ALTER TABLE last_sweep ADD COLUMN events_since INTEGER;
