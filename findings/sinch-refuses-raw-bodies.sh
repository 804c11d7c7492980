#!/usr/bin/env bash
# Seen on 2026-11-28 with @sinch/sdk-core 1.4.0, that is with @sinch/sms 1.4.0 and @sinch/sdk-client 1.4.0.
# A correctly signed callback about a text is refused where its body is handed over as the Buffer of the received bytes, as express.raw()
# gives it. A Buffer is taken for a parsed body and is made JSON again ({"type":"Buffer","data":[...]}), of which the signature is not. All
# that is returned is false. The string of the same bytes is accepted, and in a callback about a rented number the package accepts both.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >/dev/null
npm install --silent --no-audit --no-fund @sinch/sdk-core@1.4.0 @sinch/sms@1.4.0 @sinch/sdk-client@1.4.0
cat > try.mjs <<'JS'
import { createHmac } from "node:crypto";
import { createRequire } from "node:module";

const { SmsCallbackWebhooks, validateSignatureHeader } = createRequire(import.meta.url)("@sinch/sdk-core");
const SECRET = "a secret";
const BODY = '{"type":"mo_text","from":"12065550100","to":"12065550101","body":"STOP"}';
const headers = {
  "x-sinch-webhook-signature-nonce": "n1",
  "x-sinch-webhook-signature-timestamp": "1795900000",
  "x-sinch-webhook-signature": createHmac("sha256", SECRET).update(`${BODY}.n1.1795900000`).digest("base64"),
  "x-sinch-signature": createHmac("sha1", SECRET).update(BODY).digest("hex"),
};
for (const [name, body] of [["string", BODY], ["Buffer", Buffer.from(BODY)]]) {
  const texts = new SmsCallbackWebhooks(SECRET).validateAuthenticationHeader(headers, body, "/", "POST");
  console.log(`${name}: of texts ${texts}, of numbers ${validateSignatureHeader(SECRET, headers, body)}`);
}
JS
seen=$(node try.mjs)
expected='string: of texts true, of numbers true
Buffer: of texts false, of numbers true'
[ "$seen" = "$expected" ] || { printf 'It has changed. Seen now:\n%s\n' "$seen"; exit 1; }
echo "$seen"
