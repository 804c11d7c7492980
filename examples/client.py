"""A client of Textgate in Python 3.9 or newer, standard library only. It prints one line for each answer: a label, and the answer as JSON.

TEXTGATE_URL=… CLIENT_ID=… CLIENT_SECRET=… python3 client.py send +12125550100 "Hello"
… python3 client.py schedule +12125550100 2026-11-27T09:00:00-05:00 "Hello" America/New_York US-NY
… python3 client.py cancel <messageId>
… python3 client.py subscriptions +12125550100 +12125550101
… python3 client.py subscriptions numbers.csv
… python3 client.py events [<cursor>]
… python3 client.py test-event
"""

import base64
import json
import os
import sys
import time
import uuid
from http.client import HTTPException
from urllib.error import HTTPError
from urllib.parse import urlencode
from urllib.request import Request, urlopen

ATTEMPTS = 5
MOST_SECONDS = 120  # a longer wait, as for a website that has reached its daily limit, is for a job of your own


class TextgateError(RuntimeError):
    """What the service refused, and why."""

    def __init__(self, code, message, details=()):
        lines = [f"{it['field']}: {it['message']}" for it in details]
        # The message of the service has a detail that is alone.
        super().__init__("\n".join([f"{code}: {message}", *(line for line in lines if line not in message)]))
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


def events(after=None):
    """Reads the client's events from a cursor on, or all of them. Yields each page: its events, and the cursor behind them."""
    more = True
    while more:
        page = call(f"/text/events?{urlencode({'limit': 1000, **({'after': after} if after else {})})}")
        after, more = page["next"], page["more"]
        yield page["events"], after


def call(path, body=None, headers=None):
    """Repeats what may succeed the next time: no answer, 408, 429 and 5xx. Anything else is refused for good.

    All calls here may be repeated: one has a key, the others change nothing the second time. A text or a bulk request without a key may not.
    """
    request = Request(
        setting("TEXTGATE_URL").rstrip("/") + path,
        data=None if body is None else json.dumps(body).encode(),
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
        seconds = int(retry_after) if retry_after.isdecimal() else 2 ** (attempt - 1)
        if not may_repeat or attempt == ATTEMPTS or seconds > MOST_SECONDS:
            raise error
        time.sleep(seconds)


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
    about = {"callbackData": "{}", "sendPurpose": "example"}
    if command == "send" and len(args) == 2:
        phone, text = args
        show("sent", {"messageId": send({"phone": phone, "text": text, **about})})
    elif command == "schedule" and 3 <= len(args) <= 5:
        # Where the person is decides the hours of marketing. Without a time zone and a region, the number tells.
        fields = dict(zip(("phone", "sendAt", "text", "timeZone", "region"), args))
        show("scheduled", {"messageId": send({**fields, **about})})
    elif command == "cancel" and args:
        show("cancelled", cancel(*args))
    elif command == "subscriptions" and args:
        is_file = args[0].endswith(".csv")
        show("subscriptions", subscription_status(csv_path=args[0]) if is_file else subscription_status(args))
    elif command == "events" and len(args) <= 1:
        for page, cursor in events(*args):
            for event in page:
                show("event", event)
        show("next cursor", cursor)  # keep it once the events are stored
    elif command == "test-event" and not args:
        show("test event", call("/text/test-event", {}))  # what your endpoint has answered
    else:
        raise RuntimeError(
            "usage: client.py send <phone> <text> | schedule <phone> <time> <text> [<time zone> [<region>]] | cancel <messageId>… | "
            "subscriptions <phone>… | subscriptions <file.csv> | events [<cursor>] | test-event"
        )


def show(label, answer):
    print(f"{label}: {json.dumps(answer)}")


if __name__ == "__main__":
    try:
        main(*sys.argv[1:])
    except (RuntimeError, ValueError, OSError, HTTPException) as error:
        sys.exit(str(error))
