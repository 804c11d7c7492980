-- The sweep watches callbacks by their batches. What versions before migration 0011 left open, the version before has queued each
-- few minutes, by this index.
DROP INDEX events_open;
