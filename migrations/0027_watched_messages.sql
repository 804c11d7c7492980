-- Most messages get their final receipt within seconds. The sweep watches those that have none some minutes after they were accepted:
-- the others cost no row of an index.

-- 1: it had no final receipt when the sweep looked at it, or became SENDING later.
ALTER TABLE messages ADD COLUMN watched INTEGER;
CREATE INDEX messages_unconfirmed ON messages (updated_at) WHERE status = 'SENDING' AND watched = 1;

-- The sweep has looked at the messages up to this rowid.
ALTER TABLE event_batches_seen ADD COLUMN messages_seen INTEGER;
-- Likewise, before its latest step.
ALTER TABLE event_batches_seen ADD COLUMN messages_seen_before INTEGER;
-- When it looks at all of them once more. NULL: never.
ALTER TABLE event_batches_seen ADD COLUMN messages_again_at INTEGER;
-- As ended_at, of a version that watches messages. Where the two differ, an older version has swept since, and all are looked at.
ALTER TABLE last_sweep ADD COLUMN messages_kept_at INTEGER;
