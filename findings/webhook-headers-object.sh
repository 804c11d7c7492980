#!/usr/bin/env bash
# Seen on 2026-11-28 with standardwebhooks 1.1.1 and svix 1.99.1, on Node 20.
# A correctly signed webhook is refused with "Missing required headers" where the headers are handed over as the Headers object of the
# Fetch standard, as request.headers of a Worker, of Deno, of Bun and of a route handler of Next.js is. Its names are no keys of the object.
# Object.fromEntries(request.headers) is accepted.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >/dev/null
npm install --silent --no-audit --no-fund standardwebhooks@1.1.1 svix@1.99.1
cat > try.mjs <<'JS'
import { Webhook } from "standardwebhooks";
import { Webhook as SvixWebhook } from "svix";

const secret = `whsec_${Buffer.from("twenty-four bytes, or so").toString("base64")}`;
const now = new Date();
const headers = new Headers({
  "webhook-id": "msg_1",
  "webhook-timestamp": String(Math.floor(now.getTime() / 1000)),
  "webhook-signature": new Webhook(secret).sign("msg_1", now, "{}"),
});
const tryWith = (webhook, given) => {
  try {
    webhook.verify("{}", given);
    return "verified";
  } catch (error) {
    return `${error.name}: ${error.message}`;
  }
};
for (const [name, Verifier] of [["standardwebhooks", Webhook], ["svix", SvixWebhook]]) {
  console.log(name, "Headers:", tryWith(new Verifier(secret), headers));
  console.log(name, "plain object:", tryWith(new Verifier(secret), Object.fromEntries(headers)));
}
JS
seen=$(node try.mjs)
expected='standardwebhooks Headers: WebhookVerificationError: Missing required headers
standardwebhooks plain object: verified
svix Headers: WebhookVerificationError: Missing required headers
svix plain object: verified'
[ "$seen" = "$expected" ] || { printf 'It has changed. Seen now:\n%s\n' "$seen"; exit 1; }
echo "$seen"
