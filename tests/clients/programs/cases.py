"""What the Python clients' programs share: the console, the models to ask, and how cases run."""

import asyncio
import base64
import inspect
import json
import os
import sys
import traceback

CONSOLE = os.environ["CONSOLE"]
TOKEN = os.environ["TOKEN"]
V1 = f"{CONSOLE}/v1"
MODEL = os.environ["MODEL"]
RESPONSES_MODEL = os.environ["RESPONSES_MODEL"]
MESSAGES_MODEL = os.environ["MESSAGES_MODEL"]
LIMITED_MODEL = os.environ["LIMITED_MODEL"]
BUSY_MODEL = os.environ["BUSY_MODEL"]
IMAGE_MODEL = os.environ["IMAGE_MODEL"]
RERANK_MODEL = os.environ["RERANK_MODEL"]

GREETING = "Hello from the other end."
WEATHER = "It is 21 degrees."
PIXEL = (
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)
HEARD = "The red ships arrive on Monday."
# A second of silence as WAV.
SILENCE = base64.b64decode("UklGRmQfAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YUAfAAA=") + b"\x80" * 8000
CITY = {
    "type": "object",
    "properties": {"city": {"type": "string"}},
    "required": ["city"],
    "additionalProperties": False,
}


def equal(seen, wanted):
    if seen != wanted:
        raise AssertionError(f"{seen!r} isn't {wanted!r}")


def thrown_by(work):
    """Returns what the work raises."""
    try:
        value = work()
    except Exception as error:
        return error
    raise AssertionError(f"Nothing was raised, but returned {value!r}"[:500])


def run_cases(cases):
    """Runs cases by their features, and prints a line of JSON for each."""
    for feature, work in cases.items():
        result = {"feature": feature, "ok": True}
        try:
            made = work()
            if inspect.isawaitable(made):
                asyncio.run(made)
        except Exception:
            result = {"feature": feature, "ok": False, "reason": traceback.format_exc()[-2000:]}
        print(json.dumps(result), flush=True)
    sys.stdout.flush()
    # Some clients keep a thread.
    os._exit(0)
