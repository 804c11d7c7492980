#!/usr/bin/env bash
# Seen on 2026-11-28 with Debian's apprise 1.2.0-1 and python3-phonenumbers 8.12.57-4.
# Apprise takes nothing below ten digits for a phone number. Of Google's examples of mobile numbers, those of 13 countries and territories
# are that short, Greenland's and Andorra's among them. Where such a number is the only recipient in a twilio:// URL, it is dropped with a
# line in the log, the text goes to the number that sends it, and notify() returns True.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
apt-get download -qq -o APT::Sandbox::User=root apprise=1.2.0-1 python3-phonenumbers=8.12.57-4 \
  python3-{certifi,chardet,charset-normalizer,click,idna,markdown,oauthlib,requests,requests-oauthlib,six,urllib3,yaml}
for package in *.deb; do dpkg -x "$package" .; done
cat > try.py <<'PY'
from unittest import mock

import apprise
import phonenumbers

SENDER = "+12065550100"


def text(number):
    with mock.patch("requests.post") as post:
        post.return_value.status_code, post.return_value.content = 201, b"{}"
        sender = apprise.Apprise()
        sender.add(f"twilio://AC{'a' * 32}:{'b' * 32}@{SENDER[1:]}/{number}")
        returned = sender.notify(body="Your table is ready.")
    return [call.kwargs["data"]["To"] for call in post.call_args_list], returned


print("+12065550101 is sent to", *text("+12065550101")[0])
strays = []
examples = 0
for country in sorted(phonenumbers.SUPPORTED_REGIONS):
    example = phonenumbers.example_number_for_type(country, phonenumbers.PhoneNumberType.MOBILE)
    if example is None:
        continue
    examples += 1
    if text(phonenumbers.format_number(example, phonenumbers.PhoneNumberFormat.E164)) == ([SENDER], True):
        strays.append(country)
print(f"to {SENDER} with True: {len(strays)} of {examples}", *strays)
PY
seen=$(PYTHONPATH=usr/lib/python3/dist-packages python3 try.py 2>/dev/null)
expected='+12065550101 is sent to +12065550101
to +12065550100 with True: 13 of 244 AC AD CK FK FO GL NC NF PM SH TK TV WF'
[ "$seen" = "$expected" ] || { printf 'It has changed. Seen now:\n%s\n' "$seen"; exit 1; }
echo "$seen"
