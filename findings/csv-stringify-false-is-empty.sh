#!/usr/bin/env bash
# Seen on 2026-11-28 with csv-stringify 6.9.0; fast-csv 5.0.8 and papaparse 5.7.1 write "false".
# By default csv-stringify writes true as 1 and false as an empty cell. In a list of people with a column such as "subscribed", everybody
# who said no looks like somebody of whom nothing is known.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >/dev/null
npm install --silent --no-audit --no-fund csv-stringify@6.9.0 fast-csv@5.0.8 papaparse@5.7.1
cat > try.mjs <<'JS'
import { stringify } from "csv-stringify/sync";
import { writeToString } from "fast-csv";
import Papa from "papaparse";

const PEOPLE = [
  { phone: "+12125550100", subscribed: true },
  { phone: "+12125550101", subscribed: false },
];
const rows = (csv) => csv.trim().split(/\r?\n/).slice(1).join(" ");
console.log("csv-stringify", rows(stringify(PEOPLE, { header: true })));
console.log("fast-csv", rows(await writeToString(PEOPLE, { headers: true })));
console.log("papaparse", rows(Papa.unparse(PEOPLE)));
JS
seen=$(node try.mjs)
expected='csv-stringify +12125550100,1 +12125550101,
fast-csv +12125550100,true +12125550101,false
papaparse +12125550100,true +12125550101,false'
[ "$seen" = "$expected" ] || { printf 'It has changed. Seen now:\n%s\n' "$seen"; exit 1; }
echo "$seen"
