#!/usr/bin/env bash
# Seen on 2026-11-28 with d3-dsv 3.0.2, ajv-formats 3.0.1 and ajv 8.20.0.
# csvFormat writes a Date as short as it can: without seconds where they are 0, and as a bare date at midnight UTC. One column of moments
# so has three forms, and two of them are no date-time of RFC 3339: a strict reader refuses one row in sixty, by the second of its moment.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >/dev/null
npm install --silent --no-audit --no-fund d3-dsv@3.0.2 ajv@8.20.0 ajv-formats@3.0.1
cat > try.mjs <<'JS'
import Ajv from "ajv";
import addFormats from "ajv-formats";
import { csvFormatBody } from "d3-dsv";

const ajv = new Ajv();
addFormats(ajv);
const isDateTime = ajv.compile({ type: "string", format: "date-time" });
for (const time of ["2026-11-02T23:04:05Z", "2026-11-02T23:04:00Z", "2026-11-02T00:00:00Z"]) {
  const written = csvFormatBody([{ consented_at: new Date(time) }]);
  console.log(time, "is written as", written, isDateTime(written) ? "date-time" : "no date-time");
}
JS
seen=$(node try.mjs)
expected='2026-11-02T23:04:05Z is written as 2026-11-02T23:04:05Z date-time
2026-11-02T23:04:00Z is written as 2026-11-02T23:04Z no date-time
2026-11-02T00:00:00Z is written as 2026-11-02 no date-time'
[ "$seen" = "$expected" ] || { printf 'It has changed. Seen now:\n%s\n' "$seen"; exit 1; }
echo "$seen"
