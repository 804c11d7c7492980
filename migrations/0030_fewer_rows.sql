-- No statement needs it since 0029.
DROP INDEX messages_pending;
