#!/usr/bin/env bash
# Every call of a client, with curl (7.76 or newer). It prints one line for each answer: a label, and the answer. It changes the subscription of the second number.
#   TEXTGATE_URL=… CLIENT_ID=… CLIENT_SECRET=… ./curl.sh +12125550100 +12125550101
set -euo pipefail

: "${TEXTGATE_URL:?is missing: the URL of the service}"
: "${CLIENT_ID:?is missing: the operator of the service gives it to you}"
: "${CLIENT_SECRET:?is missing: the operator of the service gives it to you}"
phone=${1:?a phone number is missing} other=${2:?a second phone number is missing}

# Calls a path, and prints the answer behind a label. What is worth repeating (408, 429, 5xx, a timeout) is repeated, after the Retry-After of the answer. Each of these
# calls may be: a text is sent with a key, and the others change nothing when they are repeated.
# The credentials are read from a pipe: every user of the machine could see them among the arguments.
call() {
  local label=$1 path=$2
  shift 2
  printf '%s: ' "$label"
  curl --silent --show-error --fail-with-body --max-time 30 --retry 4 --retry-max-time 120 --write-out '\n' \
    --header @<(printf 'X-Client-ID: %s\nX-Client-Secret: %s\n' "$CLIENT_ID" "$CLIENT_SECRET") \
    --header 'Content-Type: application/json' "$@" "${TEXTGATE_URL%/}$path"
}

new_key() { openssl rand -hex 16; }

# Unsubscribe a number, and ask who is subscribed: as an array.
call unsubscribed /text/unsubscribe --data "{\"phone_numbers\": [\"$other\"]}"
call subscriptions /text/subscription/status --data "{\"phone_numbers\": [\"$phone\", \"$other\"]}"

# Subscribe it again (only with the person's consent), and ask once more: as a CSV file in Base64.
call subscribed /text/subscribe --data "{\"phone_numbers\": [\"$other\"], \"sendPurpose\": \"example\"}"
csv=$(printf '%s\n' phone_numbers "$phone" "$other" | base64 | tr -d '\n')
call "subscriptions of a file" /text/subscription/status --data @- <<<"{\"csv_file\": \"$csv\"}"

# Send a text, and ask what has become of it: a status, and a reason where there is more to say (null otherwise). The key
# makes it safe to repeat: one key, one text.
sent=$(
  call sent /text/message/send --header "Idempotency-Key: $(new_key)" --data @- <<JSON
{"phone": "$phone", "text": "Hello", "callbackData": "{}", "sendPurpose": "example"}
JSON
) || { echo "$sent"; exit 1; }
echo "$sent"
message_id=$(sed -n 's/.*"messageId":"\([^"]*\)".*/\1/p' <<<"$sent")
call status "/text/message/status?messageId=$message_id"

# Ask about up to 5,000 texts at once, and read all events, also those that your endpoint has missed.
call statuses /text/message/statuses --data "{\"messageIds\": [\"$message_id\"]}"
call events "/text/events?limit=10"

# Schedule a text for tomorrow, and cancel it. The answer of the first call says when the text may go. timeZone and region say where the
# person is, for the hours of marketing: without them, the number tells.
tomorrow=$(date -u -d tomorrow +%FT%TZ 2>/dev/null || date -u -v+1d +%FT%TZ)
scheduled=$(
  call scheduled /text/message/send --header "Idempotency-Key: $(new_key)" --data @- <<JSON
{"phone": "$phone", "text": "Hello again", "callbackData": "{}", "sendPurpose": "example", "sendAt": "$tomorrow",
 "timeZone": "America/New_York", "region": "US-NY"}
JSON
) || { echo "$scheduled"; exit 1; }
echo "$scheduled"
scheduled_id=$(sed -n 's/.*"messageId":"\([^"]*\)".*/\1/p' <<<"$scheduled")
call cancelled /text/message/cancel --data "{\"messageId\": \"$scheduled_id\"}"

# Send many texts in one request. Each stands for itself: the answer tells which were accepted.
call "sent in bulk" /text/bulk/message/send --header "Idempotency-Key: $(new_key)" --data @- <<JSON
{"messages": [
  {"phone": "$phone", "text": "Hello, both", "callbackData": "{}", "sendPurpose": "example"},
  {"phone": "$other", "text": "Hello, both", "callbackData": "{}", "sendPurpose": "example"}
]}
JSON

# Have a test event posted to your own endpoint, and read what it answered. Then read which of your requests were refused lately.
call "test event" /text/test-event --request POST
call "refused lately" "/text/requests?limit=5"
