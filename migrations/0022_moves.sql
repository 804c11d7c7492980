-- A website moves from one database to another while it is in use.

-- In the first database: the move that each website is in.
CREATE TABLE moves (
  website_id TEXT NOT NULL PRIMARY KEY,
  home INTEGER NOT NULL,
  source TEXT NOT NULL,                -- the binding of the database that it leaves
  target TEXT NOT NULL,
  step TEXT NOT NULL,                  -- prepare, copy, check, switch, fence, kept, clear, failed
  started_at INTEGER NOT NULL,         -- names the move
  worked_at INTEGER NOT NULL,          -- when a job last worked on it
  moved_at INTEGER,                    -- since then it is in the target
  error TEXT                           -- of the last job; NULL: it did what it had to
) STRICT, WITHOUT ROWID;

-- In each database: the websites that leave it, have left it, or arrive in it.
CREATE TABLE moving (
  home INTEGER NOT NULL PRIMARY KEY,
  website_id TEXT NOT NULL,
  id_part TEXT NOT NULL,               -- the version and the home in each id of the website, as they stand there
  state INTEGER NOT NULL,              -- 0: its changes are logged; 1: it takes none; 2: it has left; 3: it arrives
  turn INTEGER NOT NULL,               -- counts the changes of this row: a transaction that commits late changes nothing
  progress TEXT NOT NULL               -- JSON, of what arrives
) STRICT;

CREATE UNIQUE INDEX moving_by_website ON moving (website_id);
CREATE UNIQUE INDEX moving_by_id_part ON moving (id_part);

-- The keys of the rows of a leaving website that have changed.
CREATE TABLE move_log (
  seq INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
  home INTEGER NOT NULL,
  name TEXT NOT NULL,                  -- of the table
  key TEXT NOT NULL                    -- JSON array
) STRICT;

-- A place in a website's feed of events is shifted by each move: the numbers of its batches were taken where it arrived.
CREATE TABLE moved_feeds (
  website_id TEXT NOT NULL,
  until INTEGER NOT NULL,              -- a place below it is of before the move
  shift INTEGER NOT NULL,
  PRIMARY KEY (website_id, until)
) STRICT, WITHOUT ROWID;
