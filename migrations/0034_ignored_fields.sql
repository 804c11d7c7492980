-- Names of fields of the send request that no send request has, as a JSON array. Hardly any message has some.
ALTER TABLE messages ADD COLUMN ignored_fields TEXT;
