"""Rewrites the golden file: `python -m tests.golden`, after models, lists or the formula have changed on purpose."""

import json

from tests.golden.marks import FILE, marks

FILE.write_text(json.dumps(marks(), indent=2) + "\n", "utf-8")
