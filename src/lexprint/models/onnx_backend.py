"""Runs a network with ONNX Runtime, inputs of any lengths together and none of them padded.

The tokens of a pack lie one after the other: dense layers treat each token by itself, and attention goes by input, so an
input meets the same arithmetic alone as in company. One thread runs a pack: packs side by side use several cores better
than one pack that is cut to pieces, and put together again, at each of a thousand steps.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache
from itertools import chain
from typing import TypeAlias

import numpy as np
import onnxruntime
from numpy.typing import NDArray

from lexprint.errors import ModelError
from lexprint.models.protocols import Floats
from lexprint.models.weights import SHIPPED

EXTREME_PRODUCT = SHIPPED / "extreme_product.onnx"
# Fewer tokens than half of this do not make up for fetching the weights, and more no longer fit into the nearest caches
# between one step and the next (`python -m benchmarks kernels`).
TOKENS_PER_PACK = 320

Feed: TypeAlias = dict[str, NDArray[np.generic]]  # by the name of the graph's input


@dataclass(frozen=True, slots=True)
class Tokens:
    """One input: token ids, the segment each belongs to, and the position asked about (0: none)."""

    ids: tuple[int, ...]
    segments: tuple[int, ...]
    position: int = 0


@cache
def sums_are_exact() -> bool:
    """Whether this processor adds up int8 products exactly as it is asked to.

    Older ones saturate on the way and would find other words, unless ONNX Runtime is told to take its exact kernels, which
    are several times slower where there was no need. The integers, and so all answers, are the same either way.
    """
    session = onnxruntime.InferenceSession(EXTREME_PRODUCT.read_bytes(), providers=["CPUExecutionProvider"])
    width = session.get_inputs()[0].shape[1]
    (product,) = session.run(None, {"activations": np.full((width, width), 255, dtype=np.uint8)})
    return bool((product == 255 * 127 * width).all())


class Session:
    """A graph and its weights, run by the thread that asks."""

    def __init__(self, graph: bytes, weights: dict[str, NDArray[np.generic]]) -> None:
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1
        options.log_severity_level = 3
        if not sums_are_exact():
            options.add_session_config_entry("session.x64quantprecision", "1")
        # The session refers to these arrays instead of copying them, so they must live as long as it does.
        self._values = [onnxruntime.OrtValue.ortvalue_from_numpy(value) for value in weights.values()]
        options.add_external_initializers(list(weights), self._values)
        try:
            self._session = onnxruntime.InferenceSession(graph, options, providers=["CPUExecutionProvider"])
        except Exception as error:  # onnxruntime raises a dozen private classes
            raise ModelError("ONNX Runtime could not load the model graph; reinstall lexprint") from error
        self._inputs = {declared.name for declared in self._session.get_inputs()}

    def run(self, feed: Feed) -> Floats:
        """The graph's output; of `feed`, it is given what it has inputs for."""
        output: Floats = self._session.run(None, {name: feed[name] for name in self._inputs})[0]
        return output


class Network:
    """A packed graph and its weights, ready to run."""

    def __init__(self, graph: bytes, weights: dict[str, NDArray[np.generic]], *, threads: int, batch_size: int) -> None:
        self._session = Session(graph, weights)
        self._threads, self._batch_size = threads or available_cores(), batch_size

    def run(self, inputs: Sequence[Tokens], *, extra: dict[str, Floats] | None = None) -> Floats:
        """One row of output per input, in the order given; `extra` feeds inputs that a spliced graph may have."""
        if not inputs:
            return np.empty((0, 0), np.float32)
        cut = packs([len(tokens.ids) for tokens in inputs], threads=self._threads, batch_size=self._batch_size)
        feeds = [packed([inputs[index] for index in pack]) | (extra or {}) for pack in cut]
        rows: dict[int, Floats] = {}
        for pack, output in zip(cut, self._run_all(feeds), strict=True):
            rows |= zip(pack, output, strict=True)
        return np.stack([rows[index] for index in range(len(inputs))])

    def _run_all(self, feeds: Sequence[Feed]) -> list[Floats]:
        if self._threads == 1 or len(feeds) == 1:
            return [self._session.run(feed) for feed in feeds]
        # Threads are begun anew each time, which costs little, because old ones would not survive a fork.
        with ThreadPoolExecutor(self._threads) as threads:
            return list(threads.map(self._session.run, feeds))


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
    return [pack[at : at + batch_size] for pack in cut for at in range(0, len(pack), batch_size)]


def packed(inputs: Sequence[Tokens]) -> Feed:
    """What a packed graph is fed: tokens end to end, and where the groups are, which are runs of equal length."""
    lengths = np.array([len(tokens.ids) for tokens in inputs])
    ends = np.cumsum(lengths)
    starts = ends - lengths
    firsts = np.flatnonzero(np.diff(lengths, prepend=-1))  # inputs that begin a group
    lasts = np.append(firsts[1:], len(inputs))
    return {
        "input_ids": _joined([tokens.ids for tokens in inputs]),
        "token_type_ids": _joined([tokens.segments for tokens in inputs]),
        "places": np.arange(ends[-1]) - np.repeat(starts, lengths),
        "asked": starts + [tokens.position for tokens in inputs],
        "firsts": firsts[:, None],
        "lasts": lasts[:, None],
        "starts": starts[firsts][:, None],
        "ends": ends[lasts - 1][:, None],
        "shapes": np.column_stack([lasts - firsts, lengths[firsts], np.full(len(firsts), -1)]),
    }


def _joined(rows: Sequence[tuple[int, ...]]) -> NDArray[np.int64]:
    return np.fromiter(chain.from_iterable(rows), dtype=np.int64)


def available_cores() -> int:
    """Cores that this process may use, which can be fewer than there are."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
