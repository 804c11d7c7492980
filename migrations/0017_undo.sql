-- What an undo of an import needs to know.

-- NULL: the address did not change. Otherwise, in a row of an import, the address before it; '' for none, and in any other row.
ALTER TABLE subscription_changes ADD COLUMN was_email TEXT;

-- The rows of the ledger that belong to an import have its id as their proof, and ids after after_id, up to last_id.
CREATE TABLE imports (
  import_id TEXT NOT NULL PRIMARY KEY, -- the id of its request
  website_id TEXT NOT NULL,
  after_id INTEGER NOT NULL,
  last_id INTEGER NOT NULL,
  stored_at INTEGER NOT NULL,          -- when its latest part was stored
  added INTEGER NOT NULL DEFAULT 0,    -- numbers never seen before
  changed INTEGER NOT NULL DEFAULT 0,
  undone_to INTEGER,                   -- its rows up to this id are undone; NULL: none
  restored INTEGER NOT NULL DEFAULT 0,
  changed_since INTEGER NOT NULL DEFAULT 0
) STRICT, WITHOUT ROWID;
