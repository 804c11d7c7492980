-- How the text travels, and whether the message answers what a person texted: 1, the confirmation of an opt-out, which goes
-- out although they opted out; 2, any other answer, which does not.
ALTER TABLE messages ADD COLUMN encoding TEXT;
ALTER TABLE messages ADD COLUMN segments INTEGER;
ALTER TABLE messages ADD COLUMN is_reply INTEGER NOT NULL DEFAULT 0;

-- The person's own word, by keyword or at the carrier, which only the person can take back; and when it was last confirmed.
ALTER TABLE subscriptions ADD COLUMN opted_out_by_person INTEGER NOT NULL DEFAULT 0;
ALTER TABLE subscriptions ADD COLUMN opt_out_confirmed_at INTEGER;

CREATE INDEX websites_by_sender ON websites (carrier, sender);

-- What people texted. A carrier may bring the same text again: its id for it stands once a website.
CREATE TABLE inbound_texts (
  website_id TEXT NOT NULL,            -- '' when no website has the number
  carrier TEXT NOT NULL,
  carrier_message_id TEXT NOT NULL,
  sender TEXT NOT NULL,                -- as the carrier gave it
  recipient TEXT NOT NULL,
  text TEXT NOT NULL,
  keyword TEXT,                        -- stop, start, help; NULL for any other text
  received_at INTEGER NOT NULL,
  applied INTEGER NOT NULL DEFAULT 0,  -- 1 once its keyword has been acted upon
  PRIMARY KEY (website_id, carrier, carrier_message_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX inbound_texts_by_time ON inbound_texts (website_id, received_at);
CREATE INDEX inbound_texts_by_sender ON inbound_texts (website_id, sender);
