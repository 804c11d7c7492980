#!/usr/bin/env bash
# Seen on 2026-11-28 with Debian's gammu 1.42.0-8.
# Gammu has a list of the ways in which the line of a number may begin, and passes over a line that begins otherwise. The same mobile number
# with the type TEXT, with a preference (both are of vCard 4.0), in a group, or with the types that an iPhone writes is in no such list.
# `gammu convertbackup` then writes the person without a number, and its exit status is 0.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
apt-get download -qq -o APT::Sandbox::User=root gammu=1.42.0-8 libgammu8=1.42.0-8 libbluetooth3 libgudev-1.0-0 libusb-1.0-0
for package in *.deb; do dpkg -x "$package" .; done
export LD_LIBRARY_PATH="$PWD/usr/lib:$PWD/usr/lib/$(uname -m)-linux-gnu"

# Converts a vCard of a version with a line, and says which number arrives.
try() {
  printf '%s\r\n' BEGIN:VCARD "VERSION:$1" 'N:Example;Ada;;;' 'FN:Ada Example' "$2:+12065550100" END:VCARD > card.vcf
  rm -f card.ldif
  usr/bin/gammu convertbackup card.vcf card.ldif >/dev/null 2>&1
  echo "$1 $2 (exit $?): $(grep '^cn:' card.ldif | tr -d '\r'), $(grep '+12065550100' card.ldif | tr -d '\r' | grep . || echo 'no number')"
}
seen=$(
  try 3.0 'TEL;TYPE=CELL'
  try 3.0 'TEL;TYPE=VOICE,CELL'
  try 4.0 'TEL;TYPE=cell,text'
  try 4.0 'TEL;PREF=1;TYPE=cell'
  try 3.0 'item1.TEL;TYPE=CELL'
  try 3.0 'TEL;type=IPHONE;type=CELL;type=VOICE;type=pref'
)
expected='3.0 TEL;TYPE=CELL (exit 0): cn: Ada Example, mobile: +12065550100
3.0 TEL;TYPE=VOICE,CELL (exit 0): cn: Ada Example, mobile: +12065550100
4.0 TEL;TYPE=cell,text (exit 0): cn: Ada Example, no number
4.0 TEL;PREF=1;TYPE=cell (exit 0): cn: Ada Example, no number
3.0 item1.TEL;TYPE=CELL (exit 0): cn: Ada Example, no number
3.0 TEL;type=IPHONE;type=CELL;type=VOICE;type=pref (exit 0): cn: Ada Example, no number'
[ "$seen" = "$expected" ] || { printf 'It has changed. Seen now:\n%s\n' "$seen"; exit 1; }
echo "$seen"
