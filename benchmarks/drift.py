"""How far the models' answers move between ways of running them: the guard band must be wider.

`python -m benchmarks.drift [TEXT_FILE]` compares ONNX Runtime's full graph optimisation (what lexprint uses) with its lower
levels, whose arithmetic differs as another machine's would, on gaps and pairs of the text.
"""

from __future__ import annotations

import sys
from pathlib import Path
from unittest import mock

import numpy as np
import onnxruntime

from benchmarks.watermark import TEXT
from lexprint.models import onnx_backend
from lexprint.models.entailment import OnnxEntailment
from lexprint.models.masked_lm import OnnxMaskedLM
from lexprint.models.protocols import Floats, Gap
from lexprint.models.weights import shipped_model
from lexprint.substitution.exclusions import may_be_replaced
from lexprint.text.segmentation import segment

LEVELS = {
    "all": onnxruntime.GraphOptimizationLevel.ORT_ENABLE_ALL,
    "extended": onnxruntime.GraphOptimizationLevel.ORT_ENABLE_EXTENDED,
    "basic": onnxruntime.GraphOptimizationLevel.ORT_ENABLE_BASIC,
    "none": onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL,
}
MOST = 300


def questions(text: str) -> list[Gap]:
    """Local contexts as the walk sees them."""
    found = []
    for sentence in segment(text).sentences:
        for position, word in enumerate(sentence.words[:-1]):
            if position and may_be_replaced(word.text):
                following = sentence.words[position + 1].view_span.end
                span = word.view_span
                found.append(Gap(sentence.view[: span.start], word.text, sentence.view[span.end : following]))
    return found[:MOST]


def answers(
    level: onnxruntime.GraphOptimizationLevel, gaps: list[Gap], pairs: list[tuple[str, str]]
) -> tuple[Floats, Floats]:
    """SR of the pairs, and log-probabilities of the likely words at the gaps."""
    usual = onnxruntime.SessionOptions

    def options() -> onnxruntime.SessionOptions:
        made = usual()
        made.graph_optimization_level = level
        return made

    with mock.patch.object(onnx_backend.onnxruntime, "SessionOptions", options):
        masked_lm, entailment = OnnxMaskedLM(shipped_model("masked_lm")), OnnxEntailment(shipped_model("entailment"))
    rows = masked_lm.predict(gaps)
    likely = np.argsort(-rows, axis=1)[:, :40]
    return entailment.entails(pairs), np.where(np.isin(np.arange(rows.shape[1]), likely), rows, np.nan)


def main() -> None:
    text = Path(sys.argv[1]).read_text("utf-8") if len(sys.argv) > 1 else TEXT
    gaps = questions(text)
    masked_lm = OnnxMaskedLM(shipped_model("masked_lm"))
    best = [masked_lm.vocabulary[int(row.argmax())] for row in masked_lm.predict(gaps)]
    pairs = [(gap.text, gap.filled(word)) for gap, word in zip(gaps, best, strict=True)]
    found = {name: answers(level, gaps, pairs) for name, level in LEVELS.items()}
    print(f"{len(gaps)} gaps, {len(pairs)} pairs; difference to full optimisation\n")
    print("| level | SR, largest | SR, 99 % | log P, largest | log P, 99 % |")
    print("|---|---:|---:|---:|---:|")
    for name in list(LEVELS)[1:]:
        cells = []
        for usual, other in zip(found["all"], found[name], strict=True):
            difference = np.abs(usual - other)
            cells += [f"{np.nanmax(difference):.1e}", f"{np.nanquantile(difference, 0.99):.1e}"]
        print(f"| {name} | {' | '.join(cells)} |")


if __name__ == "__main__":
    main()
