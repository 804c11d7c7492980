-- Run after a Time Travel restore to RESTORED_TO, before the queues deliver again: see docs/deploying.md.

-- What waited then may have been sent since. It is not sent again, and waits for a receipt. While delivery is paused, only the
-- sweep can have ended it, for its deadline.
DELETE FROM events WHERE event = 'FAILED_TO_SEND' AND occurred_at > unixepoch('RESTORED_TO') * 1000
  AND message_id IN (SELECT message_id FROM messages WHERE accepted_at <= unixepoch('RESTORED_TO') * 1000);
UPDATE messages SET status = 'SENDING', reason = 'outcome unknown, not sent again: the database was restored',
  updated_at = unixepoch() * 1000, claimed_at = coalesce(claimed_at, unixepoch() * 1000)
WHERE accepted_at <= unixepoch('RESTORED_TO') * 1000
  AND (status = 'PENDING_TO_SEND' OR (status = 'FAILED_TO_SEND' AND updated_at > unixepoch('RESTORED_TO') * 1000));
INSERT INTO events (message_id, event, occurred_at, callback_due, queued_at)
  SELECT message_id, 'SENDING', updated_at, 0, updated_at FROM messages WHERE status = 'SENDING' ON CONFLICT DO NOTHING;

-- What was to be called back then may have been posted since.
UPDATE events SET attempted_at = unixepoch() * 1000, outcome = 'not-posted', response = 'the database was restored'
WHERE callback_due = 1 AND attempted_at IS NULL AND occurred_at <= unixepoch('RESTORED_TO') * 1000;

-- KV may hold a later state of clients. Days are counted again.
UPDATE clients SET copied_at = NULL;
UPDATE websites SET counted_until = 0;
