"""A receiver of callbacks in Python 3.9 or newer, standard library only. Put it behind https.

CALLBACK_SECRET=whsec_… python3 receiver.py 3000 events.db
"""

import base64
import hashlib
import hmac
import json
import os
import sqlite3
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

PORT = int(sys.argv[1]) if len(sys.argv) > 1 else 3000
FILE = sys.argv[2] if len(sys.argv) > 2 else "events.db"

COLUMNS = ("eventId", "eventType", "messageId", "status", "occurredAt")
lock = threading.Lock()
db = sqlite3.connect(FILE, check_same_thread=False)
db.execute(f"CREATE TABLE IF NOT EXISTS events ({', '.join(COLUMNS)}, body, PRIMARY KEY (eventId))")


def is_genuine(headers, body):
    """Whether the body comes from the service, and has just been sent: see www.standardwebhooks.com."""
    message_id, timestamp = headers.get("webhook-id", ""), headers.get("webhook-timestamp", "")
    digest = hmac.new(KEY, f"{message_id}.{timestamp}.".encode() + body, hashlib.sha256).digest()
    expected = b"v1," + base64.b64encode(digest)
    # While the secret is being replaced there are two signatures, and one of them is made with yours.
    signatures = headers.get("webhook-signature", "").split(" ")
    is_signed = any(hmac.compare_digest(it.encode(), expected) for it in signatures)
    return is_signed and abs(time.time() - int(timestamp)) <= TOLERANCE_SECONDS


def store(event, body):
    """Stores an event, and tells whether it is new. Raises sqlite3.Error when it cannot be stored."""
    row = [*map(event.get, COLUMNS), body]
    with lock, db:
        return db.execute("INSERT OR IGNORE INTO events VALUES (?, ?, ?, ?, ?, ?)", row).rowcount == 1


def latest_status(message_id):
    """Events may come out of order: the latest that occurred counts, and SENDING is never later than what follows."""
    of_message = "SELECT status FROM events WHERE eventType = 'message.status' AND messageId = ?"
    with lock:
        found = db.execute(f"{of_message} ORDER BY occurredAt DESC, status = 'SENDING' LIMIT 1", (message_id,))
        return found.fetchone()[0]


def handle(event):
    if event["eventType"] == "message.status":
        print(f"{event['eventId']}: the message is {latest_status(event['messageId'])}", flush=True)
    else:
        print(event["eventId"], flush=True)


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
        try:
            is_new = store(event, body)  # before the answer: the event is never posted again
        except sqlite3.Error as error:
            # No 2xx for what is lost here: the operator sees the answer beside the event. Alarm a person, and once you can
            # store again, ask for the status of this message.
            print(f"{event['eventId']} is not stored: {error}", file=sys.stderr, flush=True)
            return self.send_error(503, "not stored")
        self.send_response(204)  # before any work: the service waits for 10 seconds
        # A new connection for each event: none, as it comes only once, shall meet a connection that is about to end.
        self.send_header("Connection", "close")
        self.end_headers()
        if is_new:
            handle(event)

    def log_request(self, *_):
        """Only the events are shown."""


if __name__ == "__main__":
    server = ThreadingHTTPServer(("127.0.0.1", PORT), Receiver)
    print(f"Receiving at http://127.0.0.1:{server.server_port}/", flush=True)
    server.serve_forever()
