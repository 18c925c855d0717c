"""What every script does first: everything it says, and a traceback if it fails, goes to the log of its rule."""

import logging
import sys


def log_to(path):
    sys.stdout = sys.stderr = open(path, "w", buffering=1, encoding="utf-8")
    logging.basicConfig(stream=sys.stderr, level=logging.INFO, format="%(asctime)s %(message)s", force=True)
