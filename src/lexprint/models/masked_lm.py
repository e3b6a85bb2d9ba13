"""Word predictions for a gap in context, from the shipped masked LM."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import count

import numpy as np
from numpy.typing import NDArray

from lexprint.models.arithmetic import log_softmax
from lexprint.models.onnx_backend import PREDICTIONS, PROBES_AT_ONCE, Answers, Network, Probe, Tokens
from lexprint.models.protocols import Assessment, Choose, Columns, Floats, Gap
from lexprint.models.tokenization import PairTokenizer
from lexprint.models.weights import ModelFiles

VERDICTS = "verdicts"  # the output that says what readers would
LONGEST_INPUT = 512  # positions that BERT knows
LONGEST_TEXT = (LONGEST_INPUT - 3) // 2  # pieces of a text that is read twice, with three special tokens


@dataclass(frozen=True, slots=True)
class _Asked:
    """A gap, by its number, and where it is in its text."""

    number: int
    place: int


class OnnxMaskedLM:
    """bert-base-cased with a head of our own."""

    def __init__(self, files: ModelFiles, *, threads: int = 0, batch_size: int = 64) -> None:
        self._tokenizer = PairTokenizer(files.read(files.tokenizer))
        self._network = Network(files.read(files.graph), files.load_tensors(), threads=threads, batch_size=batch_size)
        self.fingerprint = files.fingerprint
        self.vocabulary = self._tokenizer.vocabulary
        self.knows_readers = True

    def fits(self, gap: Gap) -> bool:
        return self._tokenizer.has_at_most(LONGEST_TEXT, gap.text)

    def predict(self, gaps: Sequence[Gap]) -> Floats:
        return self._answer([self._read_then_masked(*pieces) for pieces in self._pieces(gaps)])

    def propose(self, gaps: Sequence[Gap]) -> Floats:
        """By probes: a mask that stands beside the text, so that a sentence is read once for all of its words."""
        if not gaps:
            return np.empty((0, len(self.vocabulary)), np.float32)
        return log_softmax(self._probed([(gap, (self._tokenizer.mask,)) for gap in gaps])[PREDICTIONS])

    def judge(self, questions: Sequence[tuple[Gap, Columns]]) -> list[Floats]:
        """By probes: each candidate stands beside the text and reads it in every layer."""
        if not questions:
            return []
        verdicts = self._probed(questions)[VERDICTS]
        ends = np.cumsum([len(columns) for _, columns in questions])
        return np.split(verdicts, ends[:-1])

    def judge_chosen(self, gaps: Sequence[Gap], choose: Choose) -> list[Floats]:
        """By probes both: masks first, then beside the same reading of the text the words chosen."""
        texts: defaultdict[tuple[int, ...], list[_Asked]] = defaultdict(list)
        for number, (left, word, right) in enumerate(self._pieces(gaps)):
            texts[*left, *word, *right].append(_Asked(number, 1 + len(left)))
        parts = [
            (text, some[at : at + PROBES_AT_ONCE])
            for text, some in texts.items()
            for at in range(0, len(some), PROBES_AT_ONCE)
        ]
        counts = np.zeros(len(gaps), dtype=np.intp)

        def ask(pack: Sequence[int], answers: Answers) -> list[list[Probe]]:
            rows = iter(answers[PREDICTIONS])
            return [self._chosen(parts[part][1], rows, choose, counts) for part in pack]

        masks = [
            replace(
                self._tokenizer.one(text), probes=tuple(self._probe(self._tokenizer.mask, one.place) for one in some)
            )
            for text, some in parts
        ]
        found: list[Floats] = [np.empty((0, 2), np.float32)] * len(gaps)
        for (_, some), said in zip(parts, self._network.run_twice(masks, ask), strict=True):
            ends = np.cumsum([counts[one.number] for one in some])
            for one, end in zip(some, ends, strict=True):
                if counts[one.number]:
                    found[one.number] = said[VERDICTS][end - counts[one.number] : end]
        return found

    def _chosen(
        self, asked: Sequence[_Asked], rows: Iterator[Floats], choose: Choose, counts: NDArray[np.intp]
    ) -> list[Probe]:
        """Beside one text; how many there are for each gap is counted."""
        probes = []
        for one in asked:
            columns = choose(one.number, log_softmax(next(rows)[None])[0])
            counts[one.number] = len(columns)
            probes += [Probe(column, one.place) for column in columns]
        return probes

    def assess(self, questions: Sequence[tuple[Gap, Columns]]) -> list[Assessment]:
        if not questions:
            return []
        answers = self._probed([(gap, (self._tokenizer.mask, *columns)) for gap, columns in questions])
        ends = np.cumsum([1 + len(columns) for _, columns in questions])
        verdicts = [rows[1:] for rows in np.split(answers[VERDICTS], ends[:-1])]
        return [Assessment(*both) for both in zip(log_softmax(answers[PREDICTIONS]), verdicts, strict=True)]

    def _probed(self, questions: Sequence[tuple[Gap, Columns]]) -> Answers:
        """Answers at each probe, in order; gaps of one text share its reading."""
        readings: defaultdict[tuple[int, ...], list[tuple[int, Probe]]] = defaultdict(list)
        number = count()
        pieces = self._pieces([gap for gap, _ in questions])
        for (_, tokens), (left, word, right) in zip(questions, pieces, strict=True):
            readings[*left, *word, *right] += [(next(number), self._probe(token, 1 + len(left))) for token in tokens]
        inputs, asked = [], []
        for text, probes in readings.items():
            for at in range(0, len(probes), PROBES_AT_ONCE):
                some = probes[at : at + PROBES_AT_ONCE]
                inputs.append(replace(self._tokenizer.one(text), probes=tuple(probe for _, probe in some)))
                asked += some
        answers = self._network.run(inputs)
        predicted = [place for place, probe in asked if probe.predicts]
        return {
            VERDICTS: answers[VERDICTS][np.argsort([place for place, _ in asked])],
            PREDICTIONS: answers[PREDICTIONS][np.argsort(predicted)],
        }

    def _probe(self, token: int, place: int) -> Probe:
        return Probe(token, place, predicts=token == self._tokenizer.mask)

    def predict_blind(self, gaps: Sequence[Gap]) -> Floats:
        return self._answer([self._masked_only(*pieces) for pieces in self._pieces(gaps)])

    def predict_seeing(self, gaps: Sequence[Gap]) -> Floats:
        """Predictions in place of a word that is left standing (the paper's row BERT-K)."""
        return self._answer([self._kept(*pieces) for pieces in self._pieces(gaps)])

    def _pieces(self, gaps: Sequence[Gap]) -> list[tuple[list[int], list[int], list[int]]]:
        # Words end at spaces or punctuation, where the tokenizer cuts anyway: the parts give what the whole would.
        flat = self._tokenizer.pieces([part for gap in gaps for part in (gap.left, gap.word, gap.right)])
        return [(flat[at], flat[at + 1], flat[at + 2]) for at in range(0, len(flat), 3)]

    def _read_then_masked(self, left: list[int], word: list[int], right: list[int]) -> Tokens:
        whole, masked = [*left, *word, *right], [*left, self._tokenizer.mask, *right]
        return self._tokenizer.pair(whole, masked, position=len(whole) + 2 + len(left))

    def _masked_only(self, left: list[int], word: list[int], right: list[int]) -> Tokens:
        return self._tokenizer.one([*left, self._tokenizer.mask, *right], position=1 + len(left))

    def _kept(self, left: list[int], word: list[int], right: list[int]) -> Tokens:
        return self._tokenizer.one([*left, *word, *right], position=1 + len(left))

    def _answer(self, inputs: Sequence[Tokens]) -> Floats:
        if not inputs:
            return np.empty((0, len(self.vocabulary)), np.float32)
        return log_softmax(self._network.run(inputs)[PREDICTIONS])
