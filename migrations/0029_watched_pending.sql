-- The sweep watches pending messages, too: those that a carrier has not taken a minute after they were accepted. The others cost no
-- row of an index once messages_pending is gone, which the version before needs.
CREATE INDEX messages_waiting ON messages (queued_at) WHERE status = 'PENDING_TO_SEND' AND watched = 1;

-- As messages_kept_at, which nothing needs any more, of a version that watches pending messages.
ALTER TABLE last_sweep ADD COLUMN pending_kept_at INTEGER;
