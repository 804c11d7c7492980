-- The sweep marks the messages that are still pending a minute after they were accepted. Replaces messages_pending, which the version
-- before still needs.
CREATE INDEX messages_waiting ON messages (queued_at) WHERE status = 'PENDING_TO_SEND' AND watched = 1;

-- As messages_kept_at, by a version that marks pending messages, too. Replaces it, and messages_again_at of event_batches_seen.
ALTER TABLE last_sweep ADD COLUMN pending_kept_at INTEGER;
