#!/usr/bin/env bash
# Seen on 2026-11-28 with vcard-parser 1.0.0 and vcf 2.1.2.
# A phone number of a vCard 4.0 is a tel URI (RFC 6350, 6.4.1), whose extension follows a semicolon. vcard-parser takes each semicolon of a
# value for a separator of a structured property, and gives a list of two strings. vcf gives the URI.
# A number that is folded between two of its digit groups (RFC 6350, 3.2) loses the space at the fold in vcard-parser.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >/dev/null
npm install --silent --no-audit --no-fund vcard-parser@1.0.0 vcf@2.1.2
cat > try.mjs <<'JS'
import { createRequire } from "node:module";

const require = createRequire(import.meta.url);
const parser = require("vcard-parser");
const Vcf = require("vcf");
const CARD = [
  "BEGIN:VCARD",
  "VERSION:4.0",
  "FN:Ada Example",
  "TEL;VALUE=uri;TYPE=work:tel:+1-212-555-0100;ext=7",
  "TEL;VALUE=text;TYPE=home:+1 212 555",
  "  0101",
  "END:VCARD",
  "",
].join("\r\n");
console.log("vcard-parser", JSON.stringify(parser.parse(CARD).tel.map(({ value }) => value)));
console.log("vcf", JSON.stringify(new Vcf().parse(CARD).get("tel").map((tel) => tel.valueOf())));
JS
seen=$(node try.mjs)
expected='vcard-parser [["tel:+1-212-555-0100","ext=7"],"+1 212 5550101"]
vcf ["tel:+1-212-555-0100;ext=7","+1 212 555 0101"]'
[ "$seen" = "$expected" ] || { printf 'It has changed. Seen now:\n%s\n' "$seen"; exit 1; }
echo "$seen"
