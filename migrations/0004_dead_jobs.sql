-- Jobs that failed for good, or that nobody can read. Bodies hold ids and outcomes; numbers in a carrier's words are masked.
CREATE TABLE dead_jobs (
  id TEXT NOT NULL PRIMARY KEY,        -- the queue's own id of the job: stored again, it stands once
  queue TEXT NOT NULL,
  body TEXT NOT NULL,                  -- JSON
  died_at INTEGER NOT NULL,
  error TEXT,                          -- of the last try; NULL: it comes from the dead-letter queue, which does not tell
  put_back_at INTEGER                  -- when an operator last queued it again
) STRICT, WITHOUT ROWID;

CREATE INDEX dead_jobs_by_time ON dead_jobs (died_at);
CREATE INDEX dead_jobs_waiting ON dead_jobs (died_at) WHERE put_back_at IS NULL;

-- How submissions and callbacks ended, by minute: one row more for each run of a queue's consumer, not for each message.
CREATE TABLE outcome_counts (
  minute INTEGER NOT NULL,             -- since 1970
  kind TEXT NOT NULL,                  -- submission, callback
  carrier TEXT NOT NULL,               -- '' of a callback
  outcome TEXT NOT NULL,
  count INTEGER NOT NULL,
  PRIMARY KEY (minute, kind, carrier, outcome)
) STRICT, WITHOUT ROWID;

-- When the last sweep ended: an operator sees that crons do not run.
CREATE TABLE last_sweep (
  only INTEGER NOT NULL PRIMARY KEY CHECK (only = 1),
  ended_at INTEGER NOT NULL,
  failed_jobs TEXT NOT NULL            -- JSON array of names
) STRICT;

-- Callbacks whose one post has begun and of which nothing is known yet: a run at work, or one that was cut off.
CREATE INDEX events_claimed ON events (attempted_at) WHERE attempted_at IS NOT NULL AND outcome IS NULL;
