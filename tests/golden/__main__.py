"""Rewrites the golden files: `python -m tests.golden`, after models, lists or the formula have changed on purpose."""

import json

from tests.golden.marks import FILE, canaries, marks

from lexprint.models.canary import KNOWN

FILE.write_text(json.dumps(marks(), indent=2) + "\n", "utf-8")
KNOWN.write_text(json.dumps(canaries(), indent=2) + "\n", "utf-8")
