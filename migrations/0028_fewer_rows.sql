-- No statement needs it since 0027.
DROP INDEX messages_sending;
