-- What one look tells of a message, and of a client.

-- A JSON array: each submission, but for one that was accepted at once. The first and the latest of very many.
ALTER TABLE messages ADD COLUMN submissions TEXT;

ALTER TABLE clients ADD COLUMN name TEXT;
-- When a request was last taken, and last refused and why. To some minutes: see src/domain/client-uses.ts.
ALTER TABLE clients ADD COLUMN used_at INTEGER;
ALTER TABLE clients ADD COLUMN refused_at INTEGER;
ALTER TABLE clients ADD COLUMN refusal TEXT;
