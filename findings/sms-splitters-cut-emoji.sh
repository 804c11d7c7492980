#!/usr/bin/env bash
# Seen on 2026-11-28 with sms-counter 1.0.0, gsm 0.1.4, sms-segments-calculator 1.3.0 and split-sms 0.1.7.
# A segment of a long text holds 67 code units of UCS-2, or 153 septets of GSM 7-bit. Neither the two halves of an emoji nor the escape and
# the character of a euro sign may be parted, so a segment may stay one short. sms-counter divides the length, and counts (and would bill)
# 2 segments for texts that travel as 3. gsm minds the euro sign, but gives each of two segments a half of the emoji, which no phone shows.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >/dev/null
npm install --silent --no-audit --no-fund sms-counter@1.0.0 gsm@0.1.4 sms-segments-calculator@1.3.0 split-sms@0.1.7
cat > try.mjs <<'JS'
import { createRequire } from "node:module";

const require = createRequire(import.meta.url);
const { default: counter } = require("sms-counter");
const gsm = require("gsm");
const { SegmentedMessage } = require("sms-segments-calculator");
const { split } = require("split-sms");
const TEXTS = {
  emoji: `${"ж".repeat(66)}😀${"ж".repeat(66)}`,
  euro: `${"a".repeat(152)}€${"a".repeat(152)}`,
};
for (const [name, text] of Object.entries(TEXTS))
  console.log(
    `${name}: sms-counter ${counter.count(text).messages}`,
    `gsm ${gsm(text).sms_count}${gsm(text).parts.every((part) => part.isWellFormed()) ? "" : " (cut in a character)"}`,
    `sms-segments-calculator ${new SegmentedMessage(text).segmentsCount}`,
    `split-sms ${split(text).parts.length}`,
  );
JS
seen=$(node try.mjs)
expected='emoji: sms-counter 2 gsm 2 (cut in a character) sms-segments-calculator 3 split-sms 3
euro: sms-counter 2 gsm 3 sms-segments-calculator 3 split-sms 3'
[ "$seen" = "$expected" ] || { printf 'It has changed. Seen now:\n%s\n' "$seen"; exit 1; }
echo "$seen"
