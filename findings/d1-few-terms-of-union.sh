#!/usr/bin/env bash
# Seen on 2026-11-28 with miniflare 4.20251118.1 (D1 as workerd runs it).
# D1 takes at most five SELECTs in one UNION ALL, where SQLite by itself takes 500: a sixth is "too many terms in compound SELECT".
# VALUES with six rows is no such compound, and is taken.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >/dev/null
npm install --silent --no-audit --no-fund miniflare@4.20251118.1
cat > try.mjs <<'JS'
import { Miniflare } from "miniflare";

const script = "export default { fetch: () => new Response() }";
const miniflare = new Miniflare({ modules: true, script, d1Databases: ["DB"], compatibilityDate: "2025-11-01" });
const db = await miniflare.getD1Database("DB");
const run = async (name, sql) => {
  try {
    console.log(name, (await db.prepare(sql).all()).results.length, "rows");
  } catch (error) {
    console.log(name, error.message);
  }
};
const selects = (count) => Array.from({ length: count }, (_, index) => `SELECT ${index} AS n`).join(" UNION ALL ");
await run("5 terms:", selects(5));
await run("6 terms:", selects(6));
await run("6 rows of VALUES:", "VALUES (0), (1), (2), (3), (4), (5)");
await miniflare.dispose();
JS
seen=$(node try.mjs)
expected='5 terms: 5 rows
6 terms: D1_ERROR: too many terms in compound SELECT: SQLITE_ERROR
6 rows of VALUES: 6 rows'
[ "$seen" = "$expected" ] || { printf 'It has changed. Seen now:\n%s\n' "$seen"; exit 1; }
echo "$seen"
