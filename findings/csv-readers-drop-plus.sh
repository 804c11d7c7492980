#!/usr/bin/env bash
# Seen on 2026-11-28 with d3-dsv 3.0.2, exceljs 4.4.0, csvtojson 2.0.14, csv-parse 7.0.3 and xlsx 0.18.5.
# With their conversion of types on (exceljs and xlsx: always), each reads the E.164 number +12125550100 of a CSV file as the integer
# 12125550100. What any of them writes then has no plus: a reader of phone numbers must refuse it, or guess a country.
# papaparse 5.7.1 with dynamicTyping keeps the string.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >/dev/null
npm install --silent --no-audit --no-fund d3-dsv@3.0.2 exceljs@4.4.0 csvtojson@2.0.14 csv-parse@7.0.3 xlsx@0.18.5 papaparse@5.7.1
cat > try.mjs <<'JS'
import { Readable } from "node:stream";
import { parse } from "csv-parse/sync";
import csvtojson from "csvtojson";
import { autoType, csvParse } from "d3-dsv";
import ExcelJS from "exceljs";
import Papa from "papaparse";
import XLSX from "xlsx";

const CSV = "phone_numbers,name\n+12125550100,Ada\n";
const sheet = await new ExcelJS.Workbook().csv.read(Readable.from([CSV]));
const { Sheets, SheetNames } = XLSX.read(CSV, { type: "string" });
console.log("d3-dsv", JSON.stringify(csvParse(CSV, autoType)[0].phone_numbers));
console.log("exceljs", JSON.stringify(sheet.getRow(2).values[1]));
console.log("csvtojson", JSON.stringify((await csvtojson({ checkType: true }).fromString(CSV))[0].phone_numbers));
console.log("csv-parse", JSON.stringify(parse(CSV, { columns: true, cast: true })[0].phone_numbers));
console.log("xlsx", JSON.stringify(XLSX.utils.sheet_to_json(Sheets[SheetNames[0]])[0].phone_numbers));
console.log("papaparse", JSON.stringify(Papa.parse(CSV, { header: true, dynamicTyping: true }).data[0].phone_numbers));
JS
seen=$(node try.mjs)
expected='d3-dsv 12125550100
exceljs 12125550100
csvtojson 12125550100
csv-parse 12125550100
xlsx 12125550100
papaparse "+12125550100"'
[ "$seen" = "$expected" ] || { printf 'It has changed. Seen now:\n%s\n' "$seen"; exit 1; }
echo "$seen"
