#!/usr/bin/env bash
# Seen on 2026-11-28 with isbot 5.2.3 and crawler-user-agents 1.60.0.
# An app that fetches a link by itself, to show a preview of it, sends the agent of its platform's network library unless it names one of its
# own. Both lists have okhttp, Go-http-client and python-requests. Neither has what iOS (CFNetwork), Android (Dalvik) and Flutter (Dart) send,
# so such a fetch counts as a click of a person. No browser sends one of these three.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >/dev/null
npm install --silent --no-audit --no-fund isbot@5.2.3 crawler-user-agents@1.60.0
cat > try.mjs <<'JS'
import { createRequire } from "node:module";
import { isbot } from "isbot";

const crawlers = createRequire(import.meta.url)("crawler-user-agents").map(({ pattern }) => new RegExp(pattern));
const AGENTS = [
  "okhttp/4.12.0",
  "Go-http-client/2.0",
  "python-requests/2.31.0",
  "Notes/1 CFNetwork/1494.0.7 Darwin/23.4.0",
  "Dalvik/2.1.0 (Linux; U; Android 14; Pixel 8 Build/UD1A.230803.041)",
  "Dart/3.5 (dart:io)",
];
const say = (isFound) => (isFound ? "robot" : "person");
for (const agent of AGENTS)
  console.log(
    `${agent.split("/")[0]}: isbot ${say(isbot(agent))}, crawler-user-agents ${say(crawlers.some((one) => one.test(agent)))}`,
  );
JS
seen=$(node try.mjs)
expected='okhttp: isbot robot, crawler-user-agents robot
Go-http-client: isbot robot, crawler-user-agents robot
python-requests: isbot robot, crawler-user-agents robot
Notes: isbot person, crawler-user-agents person
Dalvik: isbot person, crawler-user-agents person
Dart: isbot person, crawler-user-agents person'
[ "$seen" = "$expected" ] || { printf 'It has changed. Seen now:\n%s\n' "$seen"; exit 1; }
echo "$seen"
