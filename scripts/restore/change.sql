-- After a database is restored: nothing that was sent or posted since is sent or posted again. It may run twice. :restored_at is in
-- milliseconds since 1970, and not later than the restore. A pending message whose time has come by then may have been sent. One that is
-- under way gets no callback any more: its outcome may have been posted. Reports count the days again that a sweep has closed in between, and the
-- overview counts what is pending again as pending.
INSERT INTO report_counts (website_id, quarter, send_purpose, country, status, reason, messages, segments, clicked, clicks, robot_clicks, opted_out)
  SELECT m.website_id, m.quarter, m.send_purpose, m.country, m.status, m.reason, -sum(m.messages), -sum(m.segments), -sum(m.clicked),
    -sum(m.clicks), -sum(m.robot_clicks), -sum(m.opted_out)
  FROM (SELECT website_id, min(accepted_at) AS since FROM messages
    WHERE claimed_at IS NULL AND status = 'FAILED_TO_SEND' AND updated_at >= :restored_at GROUP BY website_id) f
  CROSS JOIN websites w ON w.website_id = f.website_id CROSS JOIN message_counts m ON m.website_id = f.website_id
    AND m.accepted_at >= f.since AND m.accepted_at < w.counted_until GROUP BY 1, 2, 3, 4, 5, 6
  ON CONFLICT (website_id, quarter, send_purpose, country, status, reason) DO UPDATE SET
    messages = messages + excluded.messages, segments = segments + excluded.segments, clicked = clicked + excluded.clicked,
    clicks = clicks + excluded.clicks, robot_clicks = robot_clicks + excluded.robot_clicks, opted_out = opted_out + excluded.opted_out;
UPDATE websites SET counted_until = min(counted_until, f.since) FROM (SELECT website_id, min(accepted_at) AS since FROM messages
  WHERE claimed_at IS NULL AND status = 'FAILED_TO_SEND' AND updated_at >= :restored_at GROUP BY website_id) f
  WHERE f.website_id = websites.website_id;
INSERT INTO counts (span, at, kind, subject, detail, count)
  SELECT s.value, m.accepted_at / iif(s.value = 'minute', 60000, 86400000),
    iif(m.reason_code IN ('CANCELLED', 'EXPIRED', 'QUIET_HOURS', 'FREQUENCY_CAP', 'UNREACHABLE'), 'endedBefore', 'notTaken'),
    iif(a.value, '', m.website_id), CASE s.value WHEN 'minute' THEN coalesce(m.carrier, '') WHEN 'day' THEN '' ELSE m.send_purpose END, -count(*)
  FROM messages m JOIN events e ON e.message_id = m.message_id AND e.event = 'FAILED_TO_SEND'
    CROSS JOIN json_each('[0, 1]') a CROSS JOIN json_each('["minute", "day", "campaign"]') s
  WHERE NOT (a.value AND s.value = 'campaign') AND m.claimed_at IS NULL AND m.status = 'FAILED_TO_SEND' AND m.updated_at >= :restored_at AND m.is_reply = 0
    AND m.accepted_at < :restored_at
    AND e.occurred_at >= :restored_at AND e.seq <= (SELECT events FROM counted_ledgers) GROUP BY 1, 2, 3, 4, 5
  ON CONFLICT (subject, span, kind, at, detail) DO UPDATE SET count = count + excluded.count;
UPDATE messages SET status = 'PENDING_TO_SEND', claimed_at = unixepoch() * 1000, claim = 'restored',
  reason = 'the database was restored', due_at = coalesce(due_at, accepted_at),
  carrier = coalesce(carrier, (SELECT carrier FROM websites w WHERE w.website_id = messages.website_id))
  WHERE claimed_at IS NULL AND accepted_at < :restored_at AND coalesce(send_at, 0) <= :restored_at
    AND (status = 'PENDING_TO_SEND' OR (status = 'FAILED_TO_SEND' AND updated_at >= :restored_at));
UPDATE messages SET is_restored = 1 WHERE status = 'SENDING' AND accepted_at < :restored_at;
UPDATE messages SET is_restored = 1 WHERE due_at IS NOT NULL AND claimed_at IS NOT NULL AND (accepted_at < :restored_at OR claim = 'restored');
DELETE FROM events WHERE event = 'FAILED_TO_SEND' AND occurred_at >= :restored_at
  AND message_id IN (SELECT message_id FROM messages WHERE status = 'PENDING_TO_SEND' AND claim = 'restored');
INSERT INTO events (seq, website_id, client_id, message_id, event, occurred_at)
  VALUES (unixepoch() * 1000, '', '', 'restored', 'restored', 0);
DELETE FROM events WHERE message_id = 'restored';
INSERT INTO events (website_id, client_id, message_id, event, occurred_at)
  SELECT website_id, client_id, message_id, 'SENDING', unixepoch() * 1000 FROM messages
  WHERE status = 'PENDING_TO_SEND' AND claimed_at IS NOT NULL AND (accepted_at < :restored_at OR claim = 'restored')
  ON CONFLICT DO NOTHING;
UPDATE events SET attempted_at = unixepoch() * 1000, outcome = 'not-posted', response = 'the database was restored', due_at = NULL
  WHERE due_at IS NOT NULL AND attempted_at IS NULL AND occurred_at < :restored_at;
UPDATE clients SET changed_at = unixepoch() * 1000, copied_at = NULL;
