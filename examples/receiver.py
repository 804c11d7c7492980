"""A receiver of callbacks in Python 3.9 or newer, standard library only. Put it behind https.

CALLBACK_SECRET=whsec_… python3 receiver.py 3000
"""

import base64
import hashlib
import hmac
import json
import os
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

TOLERANCE_SECONDS = 300
MAX_BYTES = 256 * 1024

SECRET = os.environ.get("CALLBACK_SECRET", "")
if not SECRET.startswith("whsec_"):
    sys.exit("CALLBACK_SECRET is missing in the environment, or does not begin with whsec_")
KEY = base64.b64decode(SECRET[len("whsec_") :])

# In memory, to be short. Yours are tables: a callback comes only once, so store it before you answer.
seen = set()
latest = {}
lock = threading.Lock()


def is_genuine(headers, body):
    """Whether the body comes from the service, and has just been sent: see www.standardwebhooks.com."""
    message_id, timestamp = headers.get("webhook-id", ""), headers.get("webhook-timestamp", "")
    digest = hmac.new(KEY, f"{message_id}.{timestamp}.".encode() + body, hashlib.sha256).digest()
    expected = b"v1," + base64.b64encode(digest)
    # While the secret is being replaced there are two signatures, and one of them is made with yours.
    signatures = headers.get("webhook-signature", "").split(" ")
    is_signed = any(hmac.compare_digest(it.encode(), expected) for it in signatures)
    return is_signed and abs(time.time() - int(timestamp)) <= TOLERANCE_SECONDS


def handle(event):
    """Events may come out of order: the latest that occurred counts, and SENDING is never later than what follows."""
    if event["eventType"] != "message.status":
        print(event["eventId"], flush=True)
        return
    what = ", ".join(filter(None, [event["status"], event.get("reason")]))  # the reason: null, or a code
    rank = (event["occurredAt"], event["status"] != "SENDING", what)
    with lock:
        latest[event["messageId"]] = max(rank, latest.get(event["messageId"], rank))
        print(f"{event['eventId']}: the message is {latest[event['messageId']][-1]}", flush=True)


class Receiver(BaseHTTPRequestHandler):
    timeout = 10

    def do_POST(self):
        length = self.headers.get("Content-Length", "")
        if not length.isdecimal() or int(length) > MAX_BYTES:
            return self.send_error(413)
        body = self.rfile.read(int(length))
        if not is_genuine(self.headers, body):
            return self.send_error(401, "wrong signature")
        event = json.loads(body)
        with lock:
            is_new = event["eventId"] not in seen
            seen.add(event["eventId"])
        self.send_response(204)  # at once: the service waits for 10 seconds
        # A new connection for each event: none, as it comes only once, shall meet a connection that is about to end.
        self.send_header("Connection", "close")
        self.end_headers()
        if is_new:
            handle(event)

    def log_request(self, *_):
        """Only the events are shown."""


if __name__ == "__main__":
    server = ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1]) if len(sys.argv) > 1 else 3000), Receiver)
    print(f"Receiving at http://127.0.0.1:{server.server_port}/", flush=True)
    server.serve_forever()
