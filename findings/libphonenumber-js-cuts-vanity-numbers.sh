#!/usr/bin/env bash
# Seen on 2026-11-28 with libphonenumber-js 1.13.16 (max metadata) and google-libphonenumber 3.2.47.
# A vanity number is cut at its first letter, and what is left is returned as a number that is not possible: +1-800-FLOWERS is +1800. Where
# too little is left, nothing is returned. Google's library reads the letters as the digits of their keys.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >/dev/null
npm install --silent --no-audit --no-fund libphonenumber-js@1.13.16 google-libphonenumber@3.2.47
cat > try.mjs <<'JS'
import google from "google-libphonenumber";
import { parsePhoneNumberFromString } from "libphonenumber-js/max";

const util = google.PhoneNumberUtil.getInstance();
for (const given of ["+1-800-FLOWERS", "+44 800 123 TAXI", "+61 1300 TAXIS1"]) {
  const read = parsePhoneNumberFromString(given);
  const expanded = util.format(util.parse(given, ""), google.PhoneNumberFormat.E164);
  console.log(given, `libphonenumber-js ${read?.number} possible ${read?.isPossible()}`, `google ${expanded}`);
}
JS
seen=$(node try.mjs)
expected='+1-800-FLOWERS libphonenumber-js +1800 possible false google +18003569377
+44 800 123 TAXI libphonenumber-js +44800123 possible false google +448001238294
+61 1300 TAXIS1 libphonenumber-js undefined possible undefined google +611300829471'
[ "$seen" = "$expected" ] || { printf 'It has changed. Seen now:\n%s\n' "$seen"; exit 1; }
echo "$seen"
