-- Run before a Time Travel restore: see docs/deploying.md. Its rows are the statements that write again, after the restore,
-- who has opted out since RESTORED_TO, and the tombstones of erased people.
SELECT 'INSERT INTO subscription_changes (website_id, phone, was_subscribed, subscribed, changed_at, source, proof) VALUES ('
  || quote(c.website_id) || ', ' || c.phone || ', ' || quote(c.was_subscribed) || ', 0, ' || c.changed_at || ', '
  || quote(c.source) || ', ' || quote(c.proof) || '); '
  || 'INSERT INTO subscriptions (website_id, phone, subscribed, change_id, opted_out_by_person) VALUES ('
  || quote(s.website_id) || ', ' || s.phone || ', 0, (SELECT max(change_id) FROM subscription_changes WHERE website_id = '
  || quote(s.website_id) || ' AND phone = ' || s.phone || '), ' || s.opted_out_by_person || ') '
  || 'ON CONFLICT (website_id, phone) DO UPDATE SET subscribed = 0, change_id = excluded.change_id, '
  || 'opted_out_by_person = excluded.opted_out_by_person;' AS sql
FROM subscription_changes c
CROSS JOIN subscriptions s ON s.website_id = c.website_id AND s.phone = c.phone AND s.change_id = c.change_id
WHERE c.changed_at > unixepoch('RESTORED_TO') * 1000 AND s.subscribed = 0
UNION ALL
SELECT 'INSERT INTO erased_people (website_id, mark) VALUES (' || quote(website_id) || ', ' || quote(mark)
  || ') ON CONFLICT DO NOTHING;'
FROM erased_people;
