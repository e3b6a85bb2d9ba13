"""What `benchmarks.drift` asks of the models, on whatever processor runs this.

    python -m benchmarks.questions ask WAY FILE NUMBER...    digests of all answers about these sentences, a line each
    python -m benchmarks.questions mark FILE BITS            the text with these bits
    python -m benchmarks.questions read FILE...              the bits that are read in each

A sentence is read once for all its words: masks and candidates stand beside it as probes, so most questions cost one token.
Only lexprint and its three compiled requirements are imported, since an emulated processor may have no more.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from hashlib import sha256
from importlib import import_module
from pathlib import Path
from random import Random
from typing import TypeAlias, TypeVar
from unittest import mock

import numpy as np
import onnxruntime

from lexprint.engine import Engine
from lexprint.models import onnx_backend
from lexprint.models.entailment import OnnxEntailment
from lexprint.models.masked_lm import OnnxMaskedLM
from lexprint.models.onnx_backend import Answers, Network, Tokens
from lexprint.models.protocols import Floats, Gap
from lexprint.models.sentence_encoder import OnnxSentenceEncoder
from lexprint.models.weights import shipped_model
from lexprint.substitution.exclusions import may_be_replaced
from lexprint.text.document import Sentence, Word
from lexprint.text.segmentation import segment
from lexprint.workflows.marking import embed, extract

LEVELS = {
    "all": onnxruntime.GraphOptimizationLevel.ORT_ENABLE_ALL,
    "basic": onnxruntime.GraphOptimizationLevel.ORT_ENABLE_BASIC,
    "none": onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL,
}
KINDS = ("masks", "candidates", "pairs", "entailments", "vectors")
CANDIDATES = 24  # of a word, any of the vocabulary; each costs one token, which QEMU takes a tenth of a second for
PAIRED = 4  # one word in so many: a pair (S, S masked) costs as much as all other questions about a word
LENGTH = 16  # hexadecimal digits of a digest
FEATURES = ("SSE42", "AVX2", "AVX512F", "AVX512VNNI", "ASIMD", "ASIMDDP")  # that decide which kernels run

Digests: TypeAlias = dict[str, list[str]]  # by kind of question


@dataclass(frozen=True)
class Way:
    """A way of running the models, here or as an emulated processor."""

    name: str
    level: str = "basic"
    batch_size: int = 64
    threads: int = 1
    processor: str = ""  # as qemu calls it
    is_arm: bool = False
    hidden: str = ""  # instructions of this processor, as `benchmarks.older` calls them


@dataclass(frozen=True)
class Questions:
    """About one sentence: its words that may be replaced, in all of it and in as much as the walk sees."""

    whole: tuple[Gap, ...]
    local: tuple[Gap, ...]

    @property
    def paired(self) -> tuple[Gap, ...]:
        return self.local[::PAIRED]

    @property
    def statements(self) -> list[tuple[str, str]]:
        """Each word for the next one's."""
        others = [gap.word for gap in (*self.local[1:], *self.local[:1])]
        return [(gap.text, gap.filled(word)) for gap, word in zip(self.local, others, strict=True)]

    def __len__(self) -> int:
        return (1 + CANDIDATES) * len(self.whole) + len(self.paired) + 2 * len(self.local)


def questions(text: str) -> list[Questions]:
    """Of every sentence that has a word to ask about."""
    found = []
    for sentence in segment(text).sentences:
        asked = [
            (word, after)
            for position, (word, after) in enumerate(zip(sentence.words, sentence.words[1:], strict=False))
            if position and may_be_replaced(word.text)
        ]
        if asked:
            whole = tuple(_gap(sentence, word, len(sentence.view)) for word, _ in asked)
            found.append(Questions(whole, tuple(_gap(sentence, word, after.view_span.end) for word, after in asked)))
    return found


def _gap(sentence: Sentence, word: Word, end: int) -> Gap:
    span = word.view_span
    return Gap(sentence.view[: span.start], word.text, sentence.view[span.end : end])


class Models:
    """The three networks, run in a certain way; what a graph puts out is heard before anything is made of it."""

    def __init__(self, way: Way) -> None:
        usual = onnx_backend.session_options

        def options() -> onnxruntime.SessionOptions:
            made = usual()
            made.graph_optimization_level = LEVELS[way.level]
            return made

        size = {"threads": way.threads, "batch_size": way.batch_size}
        with mock.patch.object(onnx_backend, "session_options", options):
            self._masked_lm = OnnxMaskedLM(shipped_model("masked_lm"), **size)
            self._entailment = OnnxEntailment(shipped_model("entailment"), **size)
            self._encoder = OnnxSentenceEncoder(shipped_model("sentence_encoder"), **size)

    def answer(self, asked: Questions) -> Digests:
        """The digest of each answer: of what the graph put out and of what lexprint makes of it."""
        chooser = Random(asked.whole[0].text)
        columns = [chooser.sample(range(len(self._masked_lm.vocabulary)), CANDIDATES) for _ in asked.whole]
        assessed, probed = _heard(lambda: self._masked_lm.assess(list(zip(asked.whole, columns, strict=True))))
        predicted, pairs = _heard(lambda: self._masked_lm.predict(asked.paired))
        entailed, statements = _heard(lambda: self._entailment.entails(asked.statements))
        vectors, means = _heard(lambda: self._encoder.encode([gap.text for gap in asked.local]))
        verdicts = probed["verdicts"].reshape(len(columns), 1 + CANDIDATES, -1)  # a mask's, then its candidates'
        return {
            "masks": _digests(probed["logits"], verdicts[:, 0], [said.log_probabilities for said in assessed]),
            "candidates": _digests(
                np.concatenate(verdicts[:, 1:]), np.concatenate([said.verdicts for said in assessed])
            ),
            "pairs": _digests(*pairs.values(), predicted),
            "entailments": _digests(*statements.values(), entailed),
            "vectors": _digests(*means.values(), vectors),
        }


Said = TypeVar("Said")


def _heard(ask: Callable[[], Said]) -> tuple[Said, Answers]:
    """What is answered, and what the graph put out for it."""
    heard: list[Answers] = []
    usual = Network.run

    def run(network: Network, inputs: Sequence[Tokens]) -> Answers:
        heard.append(usual(network, inputs))
        return heard[-1]

    with mock.patch.object(Network, "run", run):
        said = ask()
    (only,) = heard
    return said, only


def _digests(*outputs: Iterable[Floats]) -> list[str]:
    """One for each row."""
    return [
        sha256(b"".join(np.asarray(row, dtype="<f4").tobytes() for row in rows)).hexdigest()[:LENGTH]
        for rows in zip(*outputs, strict=True)
    ]


def runtime() -> dict[str, str]:
    """What answers: libraries, and those instructions of the processor that decide which kernels run."""
    has = import_module("numpy._core._multiarray_umath").__cpu_features__  # as np.show_runtime prints them
    return {
        "onnxruntime": onnxruntime.__version__,
        "numpy": np.__version__,
        "instructions": " ".join(name for name in FEATURES if has.get(name)),
    }


def mark(text: str, bits: str) -> str:
    return embed(Engine(threads=1), text, map(int, bits)).text


def read(texts: Sequence[str]) -> list[str]:
    engine = Engine(threads=1)
    return ["".join(map(str, extract(engine, text).bits)) for text in texts]


def ask(way: Way, file: Path, numbers: Sequence[int]) -> Iterable[Mapping[str, object]]:
    models, known = Models(way), questions(file.read_text("utf-8"))
    for number in numbers:
        yield {"number": number, "answers": models.answer(known[number]), "runtime": runtime()}


def encoded(way: Way) -> str:
    return json.dumps(asdict(way))


def main(verb: str, *arguments: str) -> None:
    if verb == "ask":
        way, file, *numbers = arguments
        for line in ask(Way(**json.loads(way)), Path(file), [int(number) for number in numbers]):
            print(json.dumps(line), flush=True)
    elif verb == "mark":
        file, bits = arguments
        print(json.dumps(mark(Path(file).read_text("utf-8"), bits)))
    else:
        print(json.dumps(read([Path(file).read_text("utf-8") for file in arguments])))


if __name__ == "__main__":
    main(*sys.argv[1:])
