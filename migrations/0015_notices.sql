-- What a client hears beside the statuses of its messages: each notice is an event of one client. The events of a notice have
-- its id as message_id and its type as event.

-- JSON array of what is posted to the client; NULL: message.status and message.clicked.
ALTER TABLE clients ADD COLUMN events TEXT;

CREATE INDEX clients_with_events ON clients (website_id) WHERE events IS NOT NULL;

CREATE TABLE notices (
  notice_id TEXT NOT NULL PRIMARY KEY, -- <id of the run that wrote it>-, then what makes it one of its run
  client_id TEXT NOT NULL,
  website_id TEXT NOT NULL,
  phone INTEGER,                       -- whom it is about; NULL when the sender is no phone number
  type TEXT NOT NULL,                  -- message.received, subscription.changed
  body TEXT NOT NULL,                  -- JSON: the body of the callback without eventId and eventType
  occurred_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX notices_by_phone ON notices (website_id, phone);
CREATE INDEX notices_by_time ON notices (occurred_at);
