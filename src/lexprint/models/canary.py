"""A few fixed questions whose answers show whether this machine answers as another did.

A fingerprint names the models; the canary says what they answered here, to the last bit. A machine with a fault, or with an
ONNX Runtime that does its sums in another way, would look for bits in other words: it is told apart before it reads any.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import numpy as np

from lexprint.models.protocols import Entailment, Gap, MaskedLM

GAPS = (
    Gap("The committee ", "postponed", " its decision until the autumn."),
    Gap("She had ", "never", " seen the river so quiet, and it worried her."),
    Gap("Costs rose by a ", "third", "; few had expected that."),
)
PAIRS = (
    ("They bought a large house.", "They bought a big house."),
    ("The answer was brief.", "The answer was long."),
    ("Nobody in the village remembered his name.", "Nobody in the town remembered his name."),
)
READ = 8  # words of the vocabulary that are judged in each gap
LENGTH = 16  # hexadecimal digits
KNOWN = Path(__file__).with_name("canaries.json")  # by fingerprints of masked LM and entailment; tests/golden writes it


def canary_of(masked_lm: MaskedLM, entailment: Entailment) -> str:
    """The digest of all answers, whatever the byte order of the machine."""
    digest = hashlib.sha256()
    columns = range(len(masked_lm.vocabulary))[-READ:]
    judged = masked_lm.judge([(gap, columns) for gap in GAPS]) if masked_lm.knows_readers else []
    for answers in (masked_lm.predict(GAPS), masked_lm.propose(GAPS), *judged, entailment.entails(PAIRS)):
        digest.update(np.ascontiguousarray(answers, dtype="<f4").tobytes())
    return digest.hexdigest()[:LENGTH]


def known_canary(masked_lm: str, entailment: str) -> str | None:
    """What models of these fingerprints answer on every sound machine; None: nobody has written it down."""
    canaries: dict[str, str] = json.loads(KNOWN.read_text("utf-8"))
    return canaries.get(f"{masked_lm} {entailment}")
