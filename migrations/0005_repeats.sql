-- When the client's secrets were last rotated: asked for once more, as after an answer that was lost, a rotation takes the place
-- of the one before.
ALTER TABLE clients ADD COLUMN rotated_at INTEGER;

-- The key under which a message is known as the same: whether the message may be taken back depends on it.
CREATE INDEX send_keys_same ON send_keys (message_id) WHERE send_key >= 'same:' AND send_key < 'same;';
