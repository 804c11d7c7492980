-- Websites may live in several databases. Each database has the whole schema; the first also has the directory: which database
-- a website is in, and where to look for a client, or for the owner of a sender.

CREATE TABLE homes (
  home INTEGER NOT NULL PRIMARY KEY,   -- of a website, for life: its ids carry it
  website_id TEXT NOT NULL UNIQUE,
  database TEXT NOT NULL               -- the binding: DB, DB_2, …
) STRICT;

CREATE INDEX homes_by_database ON homes (database);

-- Clients of websites that are not in the first database.
CREATE TABLE client_homes (
  client_id TEXT NOT NULL PRIMARY KEY,
  home INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Senders that such websites have, or have had.
CREATE TABLE sender_homes (
  carrier TEXT NOT NULL,
  sender TEXT NOT NULL,
  home INTEGER NOT NULL,
  PRIMARY KEY (carrier, sender, home)
) STRICT, WITHOUT ROWID;

ALTER TABLE websites ADD COLUMN home INTEGER; -- NULL: it has none yet, and ids of home 0
ALTER TABLE websites ADD COLUMN database TEXT; -- NULL: the first

CREATE INDEX websites_without_home ON websites (website_id) WHERE home IS NULL;

-- How large this database was, by day.
CREATE TABLE database_sizes (
  day INTEGER NOT NULL PRIMARY KEY,    -- since 1970, UTC
  bytes INTEGER NOT NULL
) STRICT;
