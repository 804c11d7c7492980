-- The pending messages of one website, however many others have.
CREATE INDEX messages_pending_by_website ON messages (website_id, message_id) WHERE status = 'PENDING_TO_SEND';

-- Messages that wait for a retry. Most messages have none, and no entry here.
CREATE INDEX messages_put_off ON messages (website_id, retry_at) WHERE status = 'PENDING_TO_SEND' AND retry_at IS NOT NULL;

ALTER TABLE imports ADD COLUMN outcome TEXT; -- done, failed; NULL: it goes on, or was cut off
