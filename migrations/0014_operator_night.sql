-- What an operator must see and stop. Nothing here is written for what works.

-- Carriers whose circuit breaker has opened and that have not answered since. Each isolate has a breaker of its own: the row
-- tells the operator, and the other isolates.
CREATE TABLE carrier_pauses (
  carrier TEXT NOT NULL PRIMARY KEY,
  since INTEGER NOT NULL,              -- the first opening since the carrier last answered
  opened_at INTEGER NOT NULL,          -- the latest opening
  open_until INTEGER NOT NULL,
  cause TEXT NOT NULL,
  released_at INTEGER                  -- a breaker that opened before lets the next submission through
) STRICT, WITHOUT ROWID;

-- Endpoints whose latest callback failed.
CREATE TABLE failing_endpoints (
  client_id TEXT NOT NULL PRIMARY KEY,
  host TEXT NOT NULL,
  since INTEGER NOT NULL,              -- the first failure since a success
  failed_at INTEGER NOT NULL,          -- the latest failure
  failures INTEGER NOT NULL,           -- since a success
  cause TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- Problems of which somebody has been told, while they last.
CREATE TABLE told_problems (
  problem TEXT NOT NULL,
  subject TEXT NOT NULL,               -- what it concerns: a carrier, or a client; '' for the service
  began_at INTEGER NOT NULL,
  told_at INTEGER NOT NULL,
  PRIMARY KEY (problem, subject)
) STRICT, WITHOUT ROWID;

-- What an operator holds of a website: a JSON array of {"sendPurpose", "clientId", "since"}; NULL: nothing.
ALTER TABLE websites ADD COLUMN holds TEXT;
