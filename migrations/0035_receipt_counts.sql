-- Whether texts arrive, and when an outcome came: a success ends a problem at once, whatever its minute.

-- Receipts of texts that were submitted in the last hour. A minute is that of the submission, so accepted texts and their receipts
-- add up.
CREATE TABLE receipt_counts (
  minute INTEGER NOT NULL,             -- since 1970
  carrier TEXT NOT NULL,
  sender TEXT NOT NULL,                -- of the website; '' for none
  reason TEXT NOT NULL,                -- '' for delivered; see src/domain/reason.ts
  code TEXT NOT NULL,                  -- the carrier's own code of a failure; '' for none
  count INTEGER NOT NULL,
  first_at INTEGER NOT NULL,           -- when the first and the last of these texts were submitted
  last_at INTEGER NOT NULL,
  received_at INTEGER NOT NULL,        -- when the latest of these receipts came
  PRIMARY KEY (minute, carrier, sender, reason, code)
) STRICT, WITHOUT ROWID;

-- When the first and the latest of these outcomes came.
ALTER TABLE outcome_counts ADD COLUMN first_at INTEGER NOT NULL DEFAULT 0;
ALTER TABLE outcome_counts ADD COLUMN last_at INTEGER NOT NULL DEFAULT 0;
