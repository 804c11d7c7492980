-- Before a database is restored: the statements that bring back the opt-outs that were stored since :restore_to, the
-- cancellations of scheduled messages since then, and the tombstones of erased people with their key. These may run twice, and
-- later than a new choice of the person, which then counts. Against an opt-out that is not the person's own, so does a subscription of the
-- opted-out number. No other row counts: until the opt-out is back, others find the number subscribed. A row may be stored some time after
-- its own time, so the opt-outs of 15 minutes more are among them: what the database has already stays. :restore_to is in milliseconds since
-- 1970.
SELECT 'INSERT INTO subscription_changes (website_id, phone, was_subscribed, subscribed, changed_at, source, proof) SELECT '
  || quote(c.website_id) || ', ' || c.phone || ', ' || quote(c.was_subscribed) || ', 0, ' || c.changed_at || ', '
  || quote(c.source) || ', ' || replace(quote(c.proof), char(10), ''' || char(10) || ''') || ' WHERE NOT EXISTS (SELECT 1 FROM subscription_changes WHERE website_id = '
  || quote(c.website_id) || ' AND phone = ' || c.phone || ' AND changed_at >= ' || c.changed_at
  || ' AND (source IN (''keyword'', ''carrier'') OR (source = ' || quote(c.source) || ' AND changed_at = ' || c.changed_at || ')'
  || iif(s.opted_out_by_person, '', ' OR (was_subscribed = 0 AND subscribed = 1)') || ')); '
  || 'INSERT INTO subscriptions (website_id, phone, subscribed, change_id, opted_out_by_person, opted_out_at, stop_carrier, stop_sent_at, '
  || 'stop_stored_at) SELECT website_id, phone, 0, change_id, ' || s.opted_out_by_person || ', ' || s.opted_out_at || ', '
  || quote(s.stop_carrier) || ', ' || s.stop_sent_at || ', ' || s.stop_stored_at || ' FROM (SELECT website_id, phone, subscribed, changed_at, max(change_id) AS change_id '
  || 'FROM subscription_changes WHERE website_id = ' || quote(c.website_id) || ' AND phone = ' || c.phone || ') '
  || 'WHERE subscribed = 0 AND changed_at = ' || c.changed_at
  || ' ON CONFLICT DO UPDATE SET subscribed = 0, change_id = excluded.change_id, opted_out_by_person = excluded.opted_out_by_person, '
  || 'opted_out_at = excluded.opted_out_at, stop_carrier = excluded.stop_carrier, stop_sent_at = excluded.stop_sent_at, '
  || 'stop_stored_at = excluded.stop_stored_at;'
  AS statements
FROM subscription_changes c CROSS JOIN subscriptions s ON s.website_id = c.website_id AND s.phone = c.phone
WHERE c.changed_at >= :restore_to - 900000 AND s.subscribed = 0
  AND c.change_id = (SELECT max(change_id) FROM subscription_changes WHERE website_id = s.website_id AND phone = s.phone)
UNION ALL SELECT 'UPDATE messages SET status = ''FAILED_TO_SEND'', reason_code = ' || quote(m.reason_code) || ', reason = ' || quote(m.reason)
  || ', updated_at = ' || m.updated_at || ', due_at = NULL WHERE message_id = ' || quote(m.message_id)
  || ' AND status = ''PENDING_TO_SEND'' AND claimed_at IS NULL; '
  || 'INSERT INTO events (website_id, client_id, message_id, event, occurred_at, reason_code) SELECT website_id, client_id, message_id, status, '
  || 'updated_at, reason_code FROM messages WHERE message_id = ' || quote(m.message_id) || ' AND status = ''FAILED_TO_SEND'' ON CONFLICT DO NOTHING;'
FROM messages m WHERE m.status NOT IN ('PENDING_TO_SEND', 'SENDING') AND max(m.accepted_at, coalesce(m.send_at, 0)) >= :restore_to
  AND m.accepted_at < :restore_to AND m.send_at > :restore_to AND m.status = 'FAILED_TO_SEND' AND m.reason_code = 'CANCELLED'
UNION ALL SELECT 'INSERT OR REPLACE INTO erased_people (website_id, mark, erased_at, last_stop_at) VALUES (' || quote(website_id) || ', '
  || quote(mark) || ', ' || erased_at || ', ' || quote(last_stop_at) || ');'
FROM erased_people
UNION ALL SELECT 'INSERT OR REPLACE INTO erasure_key (only, key_id, sealed) VALUES (1, ' || quote(key_id) || ', ' || quote(sealed) || ');'
FROM erasure_key;
