"""A client of Textgate in Python 3.9 or newer, standard library only.

TEXTGATE_URL=… CLIENT_ID=… CLIENT_SECRET=… python3 client.py send +12125550100 "Hello"
… python3 client.py schedule +12125550100 2026-11-27T09:00:00-05:00 "Hello"
… python3 client.py cancel <messageId>
… python3 client.py subscriptions +12125550100 +12125550101
… python3 client.py subscriptions numbers.csv
"""

import base64
import json
import os
import sys
import time
import uuid
from http.client import HTTPException
from urllib.error import HTTPError
from urllib.request import Request, urlopen

ATTEMPTS = 5


class TextgateError(RuntimeError):
    """What the service refused, and why."""

    def __init__(self, code, message, details=()):
        super().__init__("\n".join([f"{code}: {message}", *(f"{it['field']}: {it['message']}" for it in details)]))
        self.code, self.details = code, details


def send(message, key=None):
    """Sends one text, and returns its messageId. It goes out once, however often it takes to get an answer.

    message: the fields of POST /text/message/send
    key: names this message: keep your own with it, and you can repeat it after a crash too (for 24 hours)
    """
    return call("/text/message/send", message, {"Idempotency-Key": key or str(uuid.uuid4())})["messageId"]


def cancel(*message_ids):
    """Cancels texts that wait, 1,000 at most. A text in notCancelled has gone, or may go."""
    return call("/text/message/cancel", {"messageIds": list(message_ids)})


def subscription_status(phone_numbers=(), csv_path=None):
    """Asks which numbers are subscribed: up to 5,000 in a list, up to 50,000 in a CSV file."""
    csv = b""
    if csv_path:
        with open(csv_path, "rb") as file:
            csv = base64.b64encode(file.read())
    return call("/text/subscription/status", {"phone_numbers": list(phone_numbers), "csv_file": csv.decode()})


def call(path, body, headers=None):
    """Repeats what may succeed the next time: no answer, 408, 429 and 5xx. Anything else is refused for good.

    All calls here may be repeated: one has a key, the others change nothing the second time. A text or a bulk request without a key may not.
    """
    request = Request(
        setting("TEXTGATE_URL").rstrip("/") + path,
        data=json.dumps(body).encode(),
        headers={
            "Content-Type": "application/json",
            "User-Agent": "textgate-example",  # some proxies refuse the one that urllib sends by itself
            "X-Client-ID": setting("CLIENT_ID"),
            "X-Client-Secret": setting("CLIENT_SECRET"),
            **(headers or {}),
        },
    )
    for attempt in range(1, ATTEMPTS + 1):
        retry_after = ""
        try:
            status, retry_after, text = post(request)
            if status < 300:
                return json.loads(text)
            error, may_repeat = to_error(status, text), status in (408, 429) or status >= 500
        except (OSError, HTTPException) as lost:
            error, may_repeat = lost, True
        if not may_repeat or attempt == ATTEMPTS:
            raise error
        time.sleep(int(retry_after) if retry_after.isdecimal() else 2 ** (attempt - 1))


def post(request):
    try:
        answer = urlopen(request, timeout=30)
    except HTTPError as refused:
        answer = refused
    with answer:
        return answer.status, answer.headers.get("Retry-After", ""), answer.read()


def to_error(status, text):
    """A proxy on the way may answer something else than JSON."""
    try:
        error = json.loads(text)
        return TextgateError(error["code"], error["message"], error.get("details", ()))
    except (ValueError, TypeError, KeyError):
        return TextgateError(status * 100, text[:200].decode(errors="replace"))


def setting(name):
    if not os.environ.get(name):
        raise RuntimeError(f"{name} is missing in the environment")
    return os.environ[name]


def main(command="", *args):
    if command == "send" and len(args) == 2:
        phone, text = args
        return {"messageId": send({"phone": phone, "text": text, "callbackData": "{}", "sendPurpose": "example"})}
    if command == "schedule" and len(args) == 3:
        phone, send_at, text = args
        message = {"phone": phone, "text": text, "sendAt": send_at, "callbackData": "{}", "sendPurpose": "example"}
        return {"messageId": send(message)}
    if command == "cancel" and args:
        return cancel(*args)
    if command == "subscriptions" and args:
        return subscription_status(csv_path=args[0]) if args[0].endswith(".csv") else subscription_status(args)
    raise RuntimeError(
        "usage: client.py send <phone> <text> | schedule <phone> <time> <text> | cancel <messageId>… | "
        "subscriptions <phone>… | subscriptions <file.csv>"
    )


if __name__ == "__main__":
    try:
        print(json.dumps(main(*sys.argv[1:])))
    except (RuntimeError, ValueError, OSError, HTTPException) as error:
        sys.exit(str(error))
