-- Why a message has its status, in codes. messages.reason has the words for the operator.
ALTER TABLE messages ADD COLUMN reason_code TEXT;
ALTER TABLE events ADD COLUMN reason_code TEXT;

ALTER TABLE daily_counts ADD COLUMN reasons TEXT;
ALTER TABLE report_rows ADD COLUMN reasons TEXT;
