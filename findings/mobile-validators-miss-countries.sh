#!/usr/bin/env bash
# Seen on 2026-11-28 with validator 13.15.35, phone 3.1.72 and libphonenumber-js 1.13.16.
# The example of a mobile number that Google's metadata has for each country is put to two validators. validator's isMobilePhone with
# "any" knows no rule for 71 of 245 countries and territories, Croatia, Montenegro, Cambodia and Côte d'Ivoire among them, and calls their
# numbers wrong. phone refuses those of 16, Austria and Chile among them.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >/dev/null
npm install --silent --no-audit --no-fund validator@13.15.35 phone@3.1.72 libphonenumber-js@1.13.16
cat > try.mjs <<'JS'
import { createRequire } from "node:module";
import { getCountries, getExampleNumber } from "libphonenumber-js/max";
import examples from "libphonenumber-js/mobile/examples";

const require = createRequire(import.meta.url);
const validator = require("validator");
const { phone } = require("phone");
const numbers = getCountries().flatMap((country) => getExampleNumber(country, examples) ?? []);
const refusedBy = (accepts) =>
  numbers.filter(({ number }) => !accepts(number)).map(({ country }) => country).join(" ");
const report = (name, refused) => console.log(name, refused.split(" ").length, "of", numbers.length, refused);
report("validator", refusedBy((number) => validator.isMobilePhone(number, "any", { strictMode: true })));
report("phone", refusedBy((number) => phone(number).isValid));
JS
seen=$(node try.mjs)
expected='validator 71 of 245 AC AF AZ BG BI BJ BN BQ BZ CG CI CK CV CW ER ET FK FM GA GI GM GN GQ GT GW HR HT IO IS KH KM KP LA LI LR LS LU MC ME MH ML MM MR MT NA NC NE NF NR NU PM PW SB SC SH SN SO SR ST SZ TA TD TG TJ TK TL TO TV VU WS XK
phone 16 of 245 AC AG AT AZ BJ CL GM GW IO KI KP LI NU SM SO TO'
[ "$seen" = "$expected" ] || { printf 'It has changed. Seen now:\n%s\n' "$seen"; exit 1; }
echo "$seen"
