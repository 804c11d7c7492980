-- Words with which people opt out of this website, beside those that every website has.
ALTER TABLE websites ADD COLUMN opt_out_words TEXT;       -- JSON array; NULL: none

-- 1: the text contains an opt-out word, and is none. A person decides what is meant.
ALTER TABLE inbound_texts ADD COLUMN maybe_opt_out INTEGER NOT NULL DEFAULT 0;
CREATE INDEX inbound_texts_maybe_opt_out ON inbound_texts (received_at) WHERE maybe_opt_out = 1;
