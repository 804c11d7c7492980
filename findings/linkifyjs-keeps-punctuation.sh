#!/usr/bin/env bash
# Seen on 2026-11-28 with linkifyjs 4.4.0, linkify-it 6.1.0 and autolinker 4.1.5.
# Of a URL at the end of a sentence, linkifyjs leaves out ASCII punctuation only. An ellipsis, a full stop of Chinese or Japanese, an Arabic
# comma, a closing guillemet or an apostrophe with its s become part of the link, and the server is asked for another path.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >/dev/null
npm install --silent --no-audit --no-fund linkifyjs@4.4.0 linkify-it@6.1.0 autolinker@4.1.5
cat > try.mjs <<'JS'
import autolinker from "autolinker";
import { createRequire } from "node:module";
import { find } from "linkifyjs";

const require = createRequire(import.meta.url);
const LinkifyIt = require("linkify-it");
const linkifyIt = new (LinkifyIt.default ?? LinkifyIt.LinkifyIt ?? LinkifyIt)();
const Autolinker = autolinker.default ?? autolinker;
const LINK = "https://example.com/l/aB3";
for (const after of [".", "…", "。", "،", "»", "’s"]) {
  const text = `${LINK}${after}`;
  const taken = [find(text)[0].href, linkifyIt.match(text)[0].url, Autolinker.parse(text, { urls: true })[0].getAnchorHref()];
  const [linkify, it, auto] = taken.map((url) => url.slice(LINK.length) || "nothing");
  console.log(`after the link ${after}: linkifyjs takes ${linkify}, linkify-it ${it}, autolinker ${auto}`);
}
JS
seen=$(node try.mjs)
expected='after the link .: linkifyjs takes nothing, linkify-it nothing, autolinker nothing
after the link …: linkifyjs takes …, linkify-it nothing, autolinker nothing
after the link 。: linkifyjs takes 。, linkify-it nothing, autolinker nothing
after the link ،: linkifyjs takes ،, linkify-it nothing, autolinker nothing
after the link »: linkifyjs takes », linkify-it nothing, autolinker nothing
after the link ’s: linkifyjs takes ’s, linkify-it nothing, autolinker nothing'
[ "$seen" = "$expected" ] || { printf 'It has changed. Seen now:\n%s\n' "$seen"; exit 1; }
echo "$seen"
