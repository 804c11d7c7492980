-- Callbacks are found by events_open since the migration before.
DROP INDEX events_due;
DROP INDEX events_claimed;
