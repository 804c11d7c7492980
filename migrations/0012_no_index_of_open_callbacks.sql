-- Callbacks are watched by event_batches and open_callbacks since the migration before. What an earlier version has left open is
-- in no batch.
INSERT INTO open_callbacks (message_id, event, queued_at)
  SELECT message_id, event, iif(attempted_at IS NULL, queued_at, NULL) FROM events INDEXED BY events_open
  WHERE callback_due = 1 AND outcome IS NULL
  ON CONFLICT DO NOTHING;
DROP INDEX events_open;
