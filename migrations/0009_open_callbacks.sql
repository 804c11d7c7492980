-- Callbacks that are due, unclaimed or claimed, and of which nothing is known yet. It serves what events_due and events_claimed
-- serve, and a claim does not write it.
CREATE INDEX events_open ON events (queued_at) WHERE callback_due = 1 AND outcome IS NULL;
