"""Runs a network with ONNX Runtime, inputs of any lengths together, with the same bits on every processor.

The tokens of a pack lie one after the other: dense layers treat each token by itself, and attention goes by input, in a
rectangle where what fills up the shorter ones weighs exactly nothing. The graphs add up whole numbers only, so an input's
answer depends neither on its company nor on the kernels that a processor has (`training/exact_steps.py`). One thread runs a pack: packs side by side use several cores better
than one pack that is cut to pieces, and put together again, at each of a thousand steps.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import chain
from typing import TypeAlias, TypeVar

import numpy as np
import onnxruntime
from numpy.typing import NDArray

from lexprint.cores import available_cores
from lexprint.errors import ModelError
from lexprint.models.protocols import Floats

FAR_BELOW = np.float32(-1e6)  # any logit: attention gives exactly nothing to what only fills up
# Fewer tokens than half of this do not make up for fetching the weights, and more no longer fit into the nearest caches
# between one step and the next (`python -m benchmarks kernels`).
TOKENS_PER_PACK = 320

# Attention fills up the shorter inputs of a pack: for so many times the work of its own, and this many cells for nothing.
MOST_FILL, FREE_CELLS = 3, 2**15

PREDICTIONS = "logits"  # the output with a row for each answer about the vocabulary
# What texts are to those who read them, as one run gives it and as another takes it.
GIVEN, KEPT = "given_", "kept_"
PROBES_AT_ONCE = 64  # of one text; more would make attention's rectangles wide

Feed: TypeAlias = dict[str, NDArray[np.generic]]  # by the name of the graph's input
Answers: TypeAlias = dict[str, Floats]  # by the name of the graph's output
Work = TypeVar("Work")
Done = TypeVar("Done")


@dataclass(frozen=True, slots=True)
class Probe:
    """A token that stands in a place of a text without being read by it."""

    token: int
    place: int
    predicts: bool = False  # what else may stand there


@dataclass(frozen=True, slots=True)
class Tokens:
    """One input: token ids, the segment each belongs to, the position asked about (0: none) and those of a changed word.

    Probes stand beside the text: each reads it from a place in it, and is read by nobody. If there are any, they are asked
    about instead of the position.
    """

    ids: tuple[int, ...]
    segments: tuple[int, ...]
    position: int = 0
    changed: tuple[int, int] = (0, 0)  # where a word stands that another has replaced; [CLS] if none has
    probes: tuple[Probe, ...] = ()

    @property
    def size(self) -> int:
        return len(self.ids) + len(self.probes)

    @property
    def asked(self) -> int:
        """How many answers it gets."""
        return len(self.probes) or 1

    @property
    def predicted(self) -> tuple[int, ...]:
        """Those of the answers that are about the whole vocabulary."""
        return tuple(index for index, probe in enumerate(self.probes) if probe.predicts) if self.probes else (0,)


Ask: TypeAlias = Callable[[Sequence[int], Answers], Sequence[Sequence[Probe]]]
"""Probes to add beside each input of a pack, from the numbers of the inputs and the answers about them, in order."""


def session_options() -> onnxruntime.SessionOptions:
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.log_severity_level = 3
    # Fusions would put a multiplication and an addition into one node, where some processors round once.
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_BASIC
    return options


NUMBERS = {"tensor(int8)": np.int8, "tensor(float)": np.float32}


class Session:
    """A graph and its weights, run by the thread that asks."""

    def __init__(self, graph: bytes, weights: dict[str, NDArray[np.generic]]) -> None:
        options = session_options()
        # The session refers to these arrays instead of copying them, so they must live as long as it does.
        self._values = [onnxruntime.OrtValue.ortvalue_from_numpy(value) for value in weights.values()]
        options.add_external_initializers(list(weights), self._values)
        try:
            self._session = onnxruntime.InferenceSession(graph, options, providers=["CPUExecutionProvider"])
        except Exception as error:  # onnxruntime raises a dozen private classes
            raise ModelError("ONNX Runtime could not load the model graph; reinstall lexprint") from error
        declared = self._session.get_inputs()
        self._inputs = {one.name for one in declared}
        self._nothing = {
            one.name: np.empty((0, one.shape[1]), NUMBERS[one.type]) for one in declared if one.name.startswith(KEPT)
        }
        outputs = [one.name for one in self._session.get_outputs()]
        self._outputs = [name for name in outputs if not name.startswith(GIVEN)]
        self._given = [name for name in outputs if name.startswith(GIVEN)]

    def run(self, feed: Feed) -> Answers:
        """The graph's answers; of `feed`, it is given what it has inputs for."""
        return self._run(feed, self._outputs)

    def read(self, feed: Feed) -> tuple[Answers, Feed]:
        """The same, and what a later run must be fed to ask about the same texts without reading them."""
        found = self._run(feed, self._outputs + self._given)
        kept: Feed = {KEPT + name.removeprefix(GIVEN): found.pop(name) for name in self._given}
        return found, kept

    def _run(self, feed: Feed, outputs: list[str]) -> Answers:
        whole = self._nothing | feed
        found = self._session.run(outputs, {name: whole[name] for name in self._inputs})
        return dict(zip(outputs, found, strict=True))


class Network:
    """A packed graph and its weights, ready to run."""

    def __init__(self, graph: bytes, weights: dict[str, NDArray[np.generic]], *, threads: int, batch_size: int) -> None:
        self._session = Session(graph, weights)
        self._threads, self._batch_size = threads or available_cores(), batch_size

    def run(self, inputs: Sequence[Tokens], *, extra: dict[str, Floats] | None = None) -> Answers:
        """Rows of each output in the order of the inputs: one for each, or one for each of its probes.

        `extra` feeds inputs that a spliced graph may have.
        """
        if not inputs:
            return {}
        cut = packs([tokens.size for tokens in inputs], threads=self._threads, batch_size=self._batch_size)
        feeds = [packed([inputs[index] for index in pack]) | (extra or {}) for pack in cut]
        found = self._each(self._session.run, feeds)
        return {name: _in_order(name, inputs, cut, [answers[name] for answers in found]) for name in found[0]}

    def run_twice(self, inputs: Sequence[Tokens], ask: Ask) -> list[Answers]:
        """Answers about the probes that `ask` adds beside each input, once those about the input are known; none without probes.

        The texts are read once; `ask` may be called by several threads at a time.
        """
        if not inputs:
            return []
        cut = packs([tokens.size for tokens in inputs], threads=self._threads, batch_size=self._batch_size)

        def both(pack: list[int]) -> list[Answers]:
            some = [inputs[index] for index in pack]
            found, kept = self._session.read(packed(some))
            return self._run_beside(some, ask(pack, found), kept)

        answers = dict(zip(chain.from_iterable(cut), chain.from_iterable(self._each(both, cut)), strict=True))
        return [answers[index] for index in range(len(inputs))]

    def _run_beside(self, read: Sequence[Tokens], probes: Sequence[Sequence[Probe]], kept: Feed) -> list[Answers]:
        """Answers about more probes beside texts that were read in one pack, for each text."""
        parts = [
            (row, tuple(some[at : at + PROBES_AT_ONCE]))
            for row, some in enumerate(probes)
            for at in range(0, len(some), PROBES_AT_ONCE)
        ]
        text = _Rectangle.of(np.array([len(tokens.ids) for tokens in read]))
        cut = packs([len(some) for _, some in parts], threads=1, batch_size=len(parts)) if parts else []
        found: dict[int, Answers] = {}
        for run in cut:
            answers = self._session.run(beside([parts[part] for part in run], text) | kept)
            ends = np.cumsum([len(parts[part][1]) for part in run])
            for number, part in enumerate(run):
                start = ends[number] - len(parts[part][1])
                found[part] = {
                    name: rows[start : ends[number]] for name, rows in answers.items() if name != PREDICTIONS
                }
        by_text: list[list[Answers]] = [[] for _ in read]
        for part, (row, _) in enumerate(parts):
            by_text[row].append(found[part])
        return [_end_to_end(some) for some in by_text]

    def _each(self, work: Callable[[Work], Done], pieces: Sequence[Work]) -> list[Done]:
        if self._threads == 1 or len(pieces) == 1:
            return [work(piece) for piece in pieces]
        # Threads are begun anew each time, which costs little, because old ones would not survive a fork.
        with ThreadPoolExecutor(self._threads) as threads:
            return list(threads.map(work, pieces))


def packs(lengths: Sequence[int], *, threads: int, batch_size: int) -> list[list[int]]:
    """Indices of inputs that run together, like with like: as many tokens in one pack as in another, and every thread busy.

    >>> packs([30, 7, 31, 8], threads=2, batch_size=64)
    [[1, 3, 0], [2]]
    """
    order = sorted(range(len(lengths)), key=lengths.__getitem__)
    total = sum(lengths)
    rounds = -(-total // (TOKENS_PER_PACK * threads))
    cut: list[list[int]] = [[] for _ in range(rounds * threads)]
    before = 0
    for index in order:
        # The pack that the input's middle falls into.
        cut[(2 * before + lengths[index]) * len(cut) // (2 * total)].append(index)
        before += lengths[index]
    alike = [part for pack in cut for part in _of_like_lengths(pack, lengths)]
    return [pack[at : at + batch_size] for pack in alike for at in range(0, len(pack), batch_size)]


def _of_like_lengths(pack: Sequence[int], lengths: Sequence[int]) -> list[list[int]]:
    """Cut a pack, shortest first, where one is so long that the others would be filled up for too much."""
    parts: list[list[int]] = []
    own = 0  # squares of the lengths in the last part
    for index in pack:
        square = lengths[index] ** 2
        if not parts or (len(parts[-1]) + 1) * square > MOST_FILL * (own + square) + FREE_CELLS:
            parts.append([])
            own = 0
        parts[-1].append(index)
        own += square
    return parts


def _end_to_end(parts: Sequence[Answers]) -> Answers:
    return {name: np.concatenate([part[name] for part in parts]) for name in (parts[0] if parts else ())}


def _in_order(name: str, inputs: Sequence[Tokens], cut: Sequence[Sequence[int]], rows: Sequence[Floats]) -> Floats:
    """Rows of an output, pack by pack, in the order of the inputs; what was asked only to fill up is left out."""
    counts = [len(tokens.predicted) if name == PREDICTIONS else tokens.asked for tokens in inputs]
    order = [index for pack in cut for index in pack]
    starts = np.zeros(len(inputs), dtype=np.intp)
    starts[order] = np.cumsum([counts[index] for index in order]) - [counts[index] for index in order]
    real = [found[: sum(counts[index] for index in pack)] for pack, found in zip(cut, rows, strict=True)]
    chosen = [np.arange(start, start + count) for start, count in zip(starts, counts, strict=True)]
    return np.concatenate(real)[np.concatenate(chosen)]


def packed(inputs: Sequence[Tokens]) -> Feed:
    """What a graph is fed: texts end to end, then probes, and where each input's are in rectangles as wide as need be."""
    lengths = np.array([len(tokens.ids) for tokens in inputs])
    probes = np.array([len(tokens.probes) for tokens in inputs])
    text, beside = _Rectangle.of(lengths), _Rectangle.of(probes)
    total = int(lengths.sum())
    rows, fill = text.rows, _fill(text.present)
    feed = {
        "input_ids": _joined([*(tokens.ids for tokens in inputs), *(_tokens_of(tokens) for tokens in inputs)]),
        "token_type_ids": _joined([*(tokens.segments for tokens in inputs), (1,) * int(probes.sum())]),
        "places": np.concatenate([text.columns, _joined([_places_of(tokens) for tokens in inputs])]),
        "rows": rows,
        "cells": text.cells,
        "fill": fill,
        "changed": text.starts[:, None] + [tokens.changed for tokens in inputs],
        "text": np.arange(total),
        "read_rows": rows,  # those that are asked read the same texts
        "read_fill": fill,
    }
    return feed | _queries(inputs, text, beside, total)


def beside(parts: Sequence[tuple[int, Sequence[Probe]]], text: _Rectangle) -> Feed:
    """What a graph is fed for probes beside texts that were read before; each has the row of its text."""
    probes = [probe for _, some in parts for probe in some]
    own = _Rectangle.of(np.array([len(some) for _, some in parts]))
    chosen = text.only([row for row, _ in parts])
    return {
        "input_ids": np.array([probe.token for probe in probes]),
        "token_type_ids": np.ones(len(probes), dtype=np.int64),
        "places": np.array([probe.place for probe in probes]),
        # A graph must have something to read: the first probe, which nobody looks at.
        "rows": np.zeros((1, 1), dtype=np.int64),
        "cells": np.zeros(1, dtype=np.int64),
        "fill": _fill(np.ones((1, 1), dtype=bool)),
        "text": np.zeros(1, dtype=np.int64),
        "read_rows": chosen.rows,
        "read_fill": _fill(chosen.present),
        "query_rows": own.rows,
        "query_cells": own.cells,
        "asked": np.arange(len(probes)),
        "asked_rows": own.rows,
        "asked_cells": own.cells,
        "predicted": np.zeros(1, dtype=np.int64),
    }


def _fill(present: NDArray[np.bool_]) -> Floats:
    return np.where(present, np.float32(0), FAR_BELOW)[:, None, None, :]


def _queries(inputs: Sequence[Tokens], text: _Rectangle, beside: _Rectangle, total: int) -> Feed:
    """Who reads the texts, and who is asked about."""
    width = text.present.shape[1] + beside.present.shape[1]
    shift = text.present.shape[1]
    rows = np.concatenate([text.rows, total + beside.rows], axis=1)
    own, others = np.arange(len(inputs))[:, None] * width, np.arange(width)
    cells = own + others
    asked = [
        total + beside.starts[row] + np.arange(len(tokens.probes))
        if tokens.probes
        else [text.starts[row] + tokens.position]
        for row, tokens in enumerate(inputs)
    ]
    answers = _Rectangle.of(np.array([tokens.asked for tokens in inputs]))
    predicted = [answers.starts[row] + index for row, tokens in enumerate(inputs) for index in tokens.predicted]
    return {
        "query_rows": rows,
        "query_cells": np.concatenate([cells[:, :shift][text.present], cells[:, shift:][beside.present]]),
        "asked": np.concatenate(asked),
        "asked_rows": answers.rows,
        "asked_cells": answers.cells,
        "predicted": np.array(predicted or [0]),  # a graph must have something to do
    }


@dataclass(frozen=True, slots=True)
class _Rectangle:
    """Things of several inputs, end to end, in a rectangle that is as wide as the most of one input."""

    starts: NDArray[np.int64]
    present: NDArray[np.bool_]  # (inputs, most)

    @classmethod
    def of(cls, counts: NDArray[np.int64]) -> _Rectangle:
        return cls(np.cumsum(counts) - counts, np.arange(counts.max()) < counts[:, None])

    def only(self, chosen: Sequence[int]) -> _Rectangle:
        """Some of the inputs, and no wider than they need."""
        present = self.present[list(chosen)]
        return _Rectangle(self.starts[list(chosen)], present[:, : int(present.sum(axis=1).max())])

    @property
    def rows(self) -> NDArray[np.int64]:
        """Of each; any where there is none."""
        return np.where(self.present, self.starts[:, None] + np.arange(self.present.shape[1]), 0)

    @property
    def cells(self) -> NDArray[np.int64]:
        return np.flatnonzero(self.present)

    @property
    def columns(self) -> NDArray[np.int64]:
        return np.broadcast_to(np.arange(self.present.shape[1]), self.present.shape)[self.present]


def _tokens_of(tokens: Tokens) -> tuple[int, ...]:
    return tuple(probe.token for probe in tokens.probes)


def _places_of(tokens: Tokens) -> tuple[int, ...]:
    return tuple(probe.place for probe in tokens.probes)


def _joined(rows: Sequence[tuple[int, ...]]) -> NDArray[np.int64]:
    return np.fromiter(chain.from_iterable(rows), dtype=np.int64)
