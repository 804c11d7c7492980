-- The message keeps its events with what became of their callbacks: a row of events for each would be written, and deleted.

-- Of the event SENDING, where sending_at says when it occurred.
ALTER TABLE messages ADD COLUMN sending_attempted_at INTEGER; -- as in events; 0: due and not claimed; NULL: no callback is due
ALTER TABLE messages ADD COLUMN sending_claim TEXT;
ALTER TABLE messages ADD COLUMN sending_outcome TEXT;
ALTER TABLE messages ADD COLUMN sending_http_status INTEGER;
ALTER TABLE messages ADD COLUMN sending_response TEXT;
ALTER TABLE messages ADD COLUMN sending_duration_ms INTEGER;

-- Likewise of the final status, where final_at says when it got it.
ALTER TABLE messages ADD COLUMN final_attempted_at INTEGER;
ALTER TABLE messages ADD COLUMN final_claim TEXT;
ALTER TABLE messages ADD COLUMN final_outcome TEXT;
ALTER TABLE messages ADD COLUMN final_http_status INTEGER;
ALTER TABLE messages ADD COLUMN final_response TEXT;
ALTER TABLE messages ADD COLUMN final_duration_ms INTEGER;

-- As ended_at, of a version that reads these columns. Where the two differ, an older version has swept since. They replace
-- events_kept_at and events_since.
ALTER TABLE last_sweep ADD COLUMN callbacks_kept_at INTEGER;
-- When such a version first swept after an older one. 0: no older one has.
ALTER TABLE last_sweep ADD COLUMN callbacks_since INTEGER;
-- event_batches_seen.seq of one to two days before that sweep, and of the latest midnight (UTC). Where an older version has swept
-- since, batches are looked at again from the former on: it has given up the callbacks that messages keep.
ALTER TABLE last_sweep ADD COLUMN callbacks_seen INTEGER;
ALTER TABLE last_sweep ADD COLUMN callbacks_seen_today INTEGER;
