#!/usr/bin/env bash
# Seen on 2026-11-28 with awesome-phonenumber 7.8.0, libphonenumber-js 1.13.16 and google-libphonenumber 3.2.47.
# Numbers of calling codes that belong to no country are "invalid-country-code" for awesome-phonenumber, though it is made of Google's
# library, which finds them valid: international freephone (+800), premium rate (+979), and the networks behind +882.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >/dev/null
npm install --silent --no-audit --no-fund awesome-phonenumber@7.8.0 libphonenumber-js@1.13.16 google-libphonenumber@3.2.47
cat > try.mjs <<'JS'
import { parsePhoneNumber } from "awesome-phonenumber";
import google from "google-libphonenumber";
import { parsePhoneNumberFromString } from "libphonenumber-js/max";

const util = google.PhoneNumberUtil.getInstance();
for (const number of ["+80012345678", "+979123456789", "+88213123456"]) {
  const awesome = parsePhoneNumber(number);
  console.log(
    number,
    `google possible ${util.isPossibleNumber(util.parse(number, ""))}`,
    `libphonenumber-js possible ${parsePhoneNumberFromString(number).isPossible()}`,
    `awesome possible ${awesome.possible}, ${awesome.possibility}`,
  );
}
JS
seen=$(node try.mjs)
expected='+80012345678 google possible true libphonenumber-js possible true awesome possible false, invalid-country-code
+979123456789 google possible true libphonenumber-js possible true awesome possible false, invalid-country-code
+88213123456 google possible true libphonenumber-js possible true awesome possible false, invalid-country-code'
[ "$seen" = "$expected" ] || { printf 'It has changed. Seen now:\n%s\n' "$seen"; exit 1; }
echo "$seen"
