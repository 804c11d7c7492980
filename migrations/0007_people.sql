-- The key of the marks in erased_people. It is made once and never replaced, so that a new SERVICE_KEY or OPERATOR_TOKEN voids
-- no mark: see src/platform/store/erasure-key.ts.
CREATE TABLE erasure_key (
  only INTEGER NOT NULL PRIMARY KEY CHECK (only = 1),
  key_id TEXT NOT NULL,                -- names the copy in KV
  sealed TEXT NOT NULL                 -- encrypted with the service key
) STRICT;

-- The senders that a website has had: people still answer what came from them. A row is written when a website is changed,
-- none when a message is sent.
CREATE TABLE former_senders (
  carrier TEXT NOT NULL,
  sender TEXT NOT NULL,
  website_id TEXT NOT NULL,
  PRIMARY KEY (carrier, sender, website_id)
) STRICT, WITHOUT ROWID;

-- applied = 2: a keyword that could not be acted upon, because no website was found, or the sender is no phone number.
CREATE INDEX inbound_texts_without_effect ON inbound_texts (received_at) WHERE applied = 2;

-- How many clicks a row stands for: a person's first few on a message have a row each, and all others share one, as do
-- those of robots. last_click_id is the one that such a row has counted last: counted again, it changes nothing.
ALTER TABLE clicks ADD COLUMN count INTEGER NOT NULL DEFAULT 1;
ALTER TABLE clicks ADD COLUMN last_click_id TEXT;
