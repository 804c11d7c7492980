-- Who may call /operator beside the secret OPERATOR_TOKEN, and who has changed what.

CREATE TABLE operator_tokens (
  token_hash TEXT NOT NULL PRIMARY KEY, -- SHA-256, hex
  name TEXT NOT NULL,                   -- at most two tokens have the same, while one is replaced
  created_at INTEGER NOT NULL,
  created_by TEXT NOT NULL,             -- the name of a token
  ends_at INTEGER                       -- NULL: once an operator ends it
) STRICT, WITHOUT ROWID;

CREATE INDEX operator_tokens_by_name ON operator_tokens (name, created_at);

-- Every change that an operator made, kept for good. A change of one transaction is stored with its row; of any other change the
-- row is stored before it, without an outcome.
CREATE TABLE audit_log (
  id INTEGER NOT NULL PRIMARY KEY,
  request_id TEXT NOT NULL UNIQUE,
  stored_at INTEGER NOT NULL,
  operator TEXT NOT NULL,               -- the name of the token
  action TEXT NOT NULL,
  website_id TEXT,
  client_id TEXT,
  subject TEXT,                         -- what else it concerns: a masked number, a carrier, a job, a name
  before TEXT,                          -- JSON object of what the change replaces, where it replaces settings
  after TEXT,                           -- JSON object
  outcome TEXT                          -- done, failed; NULL: it began
) STRICT;

CREATE INDEX audit_log_by_website ON audit_log (website_id) WHERE website_id IS NOT NULL;
CREATE INDEX audit_log_by_client ON audit_log (client_id) WHERE client_id IS NOT NULL;
CREATE INDEX audit_log_by_operator ON audit_log (operator);
