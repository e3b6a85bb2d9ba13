"""Abdelnabi and Fritz, "Adversarial Watermarking Transformer" (S&P 2021), at a size that two cores can train.

Implemented: a transformer that reads a block of words, adds a message to what it has read, and writes the block again, each
word drawn from a Gumbel softmax whose gradient passes straight through; a transformer that reads the message from the drawn
words; a third that tells written blocks from real ones, against which the first is trained; and a language model, which says
how well a word fits where it is put. One embedding serves the first three. The losses are reconstruction, message, adversary and
language; of several drawn blocks the writer takes the one that does least harm among those from which the message can be read.

Different here: the writer's second half sees the block place by place with a shortcut from the input, instead of attending to it,
so that copying need not be learned; only the most frequent words of small letters change, into such words, which is what the
published network came to do, and lets a reader of running text find the same blocks; all other words stay; the language
model sees the nearest words on both sides and learns along with the rest, instead of before; and the sentence encoder is
left out. The message is not certain to be read, here as there: bit errors are part of the method.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from io import BytesIO
from pathlib import Path
from pickle import UnpicklingError
from time import monotonic
from typing import Any

from lexprint.errors import ExtraMissing, FormatError, InputError
from lexprint.text.document import Word
from lexprint.text.editing import Edit, apply_edits
from lexprint.text.segmentation import segment
from lexprint_evaluation.datasets import Corpus, first_sentences
from lexprint_evaluation.marked_text import MarkedText

try:
    import torch
    from torch import nn
    from torch.nn import functional
except ImportError as error:
    raise ExtraMissing("torch", extra="awt", distribution="lexprint-evaluation") from error

BLOCK = 80  # words
BITS = 4  # of a block
HELD_OUT = 400  # sentences of each set that are measured, so nothing is learned from them
UNKNOWN = "<unk>"
NEAR = 7  # words that the language model sees at once
HIDDEN = 0.3  # of the words that may change, so that the language model guesses them
MOST_HARM = 1e4  # more than any block of exchanges can do: one bit read right is worth it
LAST_RATE = 0.05  # of learning, as a part of the first


@dataclass(frozen=True, kw_only=True)
class Sizes:
    """Of the three transformers; the paper has three layers of 512."""

    vocabulary: int = 4_000
    writable: int = 150  # words that may change, and what they may become: mostly function words
    width: int = 64
    layers: int = 1
    heads: int = 4


@dataclass(frozen=True, kw_only=True)
class Training:
    """How it is trained."""

    minutes: float
    most_steps: int | None = None  # for the same result on every machine
    seed: int = 1
    batch: int = 16
    learning_rate: float = 2e-3  # at first; it falls along a cosine to a twentieth, which the copying needs most
    temperature: float = 0.5  # of the Gumbel softmax
    message_weight: float = 2.0
    adversary_weight: float = 0.2
    language_weight: float = 0.3  # beside reconstruction, which does not care what stands where a word was
    # The weight of reconstruction grows while the message is read better than this and shrinks while it is not: a network
    # that copies before it can say anything never learns to.
    message_aim: float = 0.35
    first_reconstruction: float = 0.02
    growth: float = 1.01  # in a step


class Network(nn.Module):  # type: ignore[misc] # torch may be absent where types are checked
    """Writer, reader and adversary."""

    def __init__(self, sizes: Sizes) -> None:
        super().__init__()
        self.sizes = sizes
        self.embedding = nn.Embedding(sizes.vocabulary, sizes.width)
        nn.init.normal_(self.embedding.weight, std=1.0 / math.sqrt(sizes.width))
        self.register_buffer("positions", _positions(sizes.width), persistent=False)
        self.reads_text, self.writes = _transformer(sizes), _transformer(sizes)
        self.message = nn.Linear(BITS, sizes.width)
        self.copying = nn.Parameter(torch.tensor(5.0))  # at first about half of the words stay
        self.reads_message, self.says_bits = _transformer(sizes), nn.Linear(sizes.width, BITS)
        self.adversary, self.says_real = _transformer(sizes), nn.Linear(sizes.width, 1)
        self.language = _LanguageModel(sizes)

    def logits(self, words: Any, bits: Any) -> Any:  # (batch, block, writable)
        """What to write at each place, if its word may change."""
        own = self.embedding(words)
        read = self.reads_text(own * math.sqrt(self.sizes.width) + self.positions)
        written = self.writes(read + self.message(2.0 * bits - 1.0)[:, None, :])
        return (written / math.sqrt(self.sizes.width) + self.copying * own) @ self._writable.T

    def put(self, words: Any, drawn: Any) -> Any:  # (batch, block, width)
        """The embedded block with what was drawn, one hot of the writable words, wherever a word may change."""
        return torch.where(self.may_change(words)[..., None], drawn @ self._writable, self.embedding(words))

    def may_change(self, words: Any) -> Any:
        return (words > 0) & (words <= self.sizes.writable)

    def bits(self, embedded: Any) -> Any:  # (batch, BITS)
        """Log odds of each bit."""
        return self.says_bits(self._seen(self.reads_message, embedded))

    def real(self, embedded: Any) -> Any:  # (batch,)
        """Log odds that nobody has written to the block."""
        return self.says_real(self._seen(self.adversary, embedded))[:, 0]

    @property
    def _writable(self) -> Any:  # (writable, width)
        return self.embedding.weight[1 : self.sizes.writable + 1]

    def _seen(self, reader: Any, embedded: Any) -> Any:
        return reader(embedded * math.sqrt(self.sizes.width) + self.positions).mean(dim=1)


class _LanguageModel(nn.Module):  # type: ignore[misc] # torch may be absent where types are checked
    """What may stand at a place, by the words near it: small, since function words hang on their neighbours."""

    def __init__(self, sizes: Sizes) -> None:
        super().__init__()
        self.embedding = nn.Embedding(sizes.vocabulary + 1, sizes.width)  # the last stands for hidden words
        self.reads_around = nn.Conv1d(sizes.width, 4 * sizes.width, NEAR, padding=NEAR // 2)
        self.says_word = nn.Linear(4 * sizes.width, sizes.writable)

    def forward(self, words: Any, hidden: Any) -> Any:  # (batch, block, writable)
        """Log probabilities, of those words that may change; what is hidden is not seen."""
        seen = self.embedding(words.masked_fill(hidden, self.embedding.num_embeddings - 1))
        read = functional.gelu(self.reads_around(seen.transpose(1, 2)).transpose(1, 2))
        return functional.log_softmax(self.says_word(read), dim=-1)


def _transformer(sizes: Sizes) -> Any:
    layer = nn.TransformerEncoderLayer(
        sizes.width, sizes.heads, dim_feedforward=2 * sizes.width, dropout=0.0, batch_first=True, norm_first=True
    )
    return nn.TransformerEncoder(layer, sizes.layers, enable_nested_tensor=False)


def _positions(width: int) -> Any:  # (BLOCK, width)
    places = torch.arange(BLOCK)[:, None]
    rates = torch.exp(torch.arange(0, width, 2) * (-math.log(10_000.0) / width))
    waves = torch.zeros(BLOCK, width)
    waves[:, 0::2], waves[:, 1::2] = torch.sin(places * rates), torch.cos(places * rates)
    return waves


class Vocabulary:
    """Words by number: 0 stands for all that are not known, then come those that may change, then others."""

    def __init__(self, words: Sequence[str]) -> None:
        self.words = tuple(words)
        self._numbers = {word: number for number, word in enumerate(self.words)}

    @classmethod
    def of(cls, words: Iterator[str], sizes: Sizes) -> Vocabulary:
        """The most frequent ones."""
        frequent = [word for word, _ in Counter(words).most_common(sizes.vocabulary - 1)]
        writable = [word for word in frequent if word.isascii() and word.isalpha() and word.islower()][: sizes.writable]
        others = set(frequent) - set(writable)
        return cls([UNKNOWN, *writable, *(word for word in frequent if word in others)])

    def numbers(self, words: Sequence[str]) -> Any:  # (words,)
        return torch.tensor([self._numbers.get(word, 0) for word in words])


OnMinutes = Callable[[float, float], None]
Report = Callable[[int, "Figures"], None]


@dataclass(frozen=True)
class Figures:
    """Of one step of training."""

    reconstruction: float
    message: float
    adversary: float
    bit_error_rate: float
    exchanged: float  # words of a block
    guessing: float  # of the language model, in nats


def train(
    corpora: Sequence[Corpus],
    training: Training,
    *,
    sizes: Sizes | None = None,
    on_minutes: OnMinutes | None = None,
    on_step: Report | None = None,
) -> AwtScheme:
    """Learn from the text of the sets behind the sentences that are measured."""
    torch.manual_seed(training.seed)
    words = [word.text for corpus in corpora for word in segment(_unmeasured(corpus)).words]
    asked = sizes or Sizes()
    vocabulary = Vocabulary.of(iter(words), asked)
    if len(words) < 2 * BLOCK or len(vocabulary.words) <= asked.writable:
        raise InputError("the sets are too short to learn from", needed="more text behind what is measured")
    network = Network(replace(asked, vocabulary=len(vocabulary.words)))
    text = vocabulary.numbers(words)
    rivals = [network.adversary, network.says_real]
    against = {id(parameter) for part in rivals for parameter in part.parameters()}
    against |= {id(parameter) for parameter in network.language.parameters()}
    own = [parameter for parameter in network.parameters() if id(parameter) not in against]
    writer = torch.optim.Adam(own, lr=training.learning_rate)
    adversary = torch.optim.Adam([p for part in rivals for p in part.parameters()], lr=training.learning_rate / 3)
    language = torch.optim.Adam(network.language.parameters(), lr=training.learning_rate)
    begun, step, weight, recent = monotonic(), 0, training.first_reconstruction, math.log(2.0)
    while (minutes := (monotonic() - begun) / 60) < training.minutes and step != training.most_steps:
        done = max(minutes / training.minutes, step / (training.most_steps or math.inf))
        for optimiser in (writer, adversary, language):
            for group in optimiser.param_groups:
                first = training.learning_rate / 3 if optimiser is adversary else training.learning_rate
                group["lr"] = first * (LAST_RATE + (1.0 - LAST_RATE) * (1.0 + math.cos(math.pi * done)) / 2.0)
        figures = _step(network, text, training, _Optimisers(writer, adversary, language), weight=weight)
        step += 1
        recent += 0.1 * (figures.message - recent)
        if recent < training.message_aim:
            weight *= training.growth
        else:
            weight = max(weight / training.growth, training.first_reconstruction)
        if on_minutes:
            on_minutes(minutes, training.minutes)
        if on_step:
            on_step(step, figures)
    return AwtScheme(network.eval(), vocabulary)


@dataclass(frozen=True)
class _Optimisers:
    writer: Any  # and reader
    adversary: Any
    language: Any


def _unmeasured(corpus: Corpus) -> str:
    measured = first_sentences(corpus.text, HELD_OUT)
    return corpus.text[corpus.text.index(measured) + len(measured) :]


def _step(
    network: Network,
    text: Any,
    training: Training,
    optimisers: _Optimisers,
    *,
    weight: float,
) -> Figures:
    starts = torch.randint(0, len(text) - BLOCK, (training.batch, 1))
    words = text[starts + torch.arange(BLOCK)]  # (batch, block)
    bits = torch.randint(0, 2, (training.batch, BITS)).float()
    changing = network.may_change(words)
    logits = network.logits(words, bits)
    drawn = functional.gumbel_softmax(logits, tau=training.temperature, hard=True)  # (batch, block, writable)
    reconstruction = functional.cross_entropy(logits[changing], words[changing] - 1)
    hidden = changing & (torch.rand(words.shape) < HIDDEN)
    guesses = network.language(words, hidden)[hidden]  # (hidden, writable)
    guessing = functional.nll_loss(guesses, words[hidden] - 1)
    misfit = -(functional.softmax(logits[hidden], dim=-1) * guesses.detach()).sum(-1).mean()
    written = network.put(words, drawn)
    said = network.bits(written)
    message = functional.binary_cross_entropy_with_logits(said, bits)
    judged = network.real(written)
    fooling = functional.binary_cross_entropy_with_logits(judged, torch.ones_like(judged))
    likeness = reconstruction + training.language_weight * misfit
    loss = weight * likeness + training.message_weight * message + training.adversary_weight * fooling
    optimisers.writer.zero_grad()
    loss.backward()
    own = [parameter for group in optimisers.writer.param_groups for parameter in group["params"]]
    nn.utils.clip_grad_norm_(own, 1.0)
    optimisers.writer.step()
    optimisers.language.zero_grad()
    guessing.backward()
    optimisers.language.step()
    with torch.no_grad():
        real, forged = network.embedding(words), network.put(words, drawn)
    both = network.real(torch.cat([real, forged]))
    truth = torch.cat([torch.ones(training.batch), torch.zeros(training.batch)])
    caught = functional.binary_cross_entropy_with_logits(both, truth)
    optimisers.adversary.zero_grad()
    caught.backward()
    optimisers.adversary.step()
    exchanged = (drawn.argmax(-1) + 1 != words) & changing
    return Figures(
        reconstruction=reconstruction.item(),
        message=message.item(),
        adversary=caught.item(),
        bit_error_rate=((said > 0) != bits.bool()).float().mean().item(),
        exchanged=exchanged.float().sum(1).mean().item(),
        guessing=guessing.item(),
    )


class AwtScheme:
    """Four bits for each block of eighty words; what is left over at the end carries none."""

    name = "awt"

    def __init__(self, network: Network, vocabulary: Vocabulary, *, draws: int = 32) -> None:
        self._network, self._vocabulary, self._draws = network, vocabulary, draws

    def embed(self, text: str, bits: Sequence[int]) -> MarkedText:
        edits: list[Edit] = []
        written = 0
        for number, block in enumerate(_blocks(text)):
            if written + BITS > len(bits):
                break
            words = self._written([word.text for word in block], bits[written : written + BITS], seed=number)
            edits += (Edit(old.span, new) for old, new in zip(block, words, strict=True) if old.text != new)
            written += BITS
        return MarkedText(apply_edits(text, edits), tuple(bits[:written]), tuple(edits))

    def extract(self, text: str) -> tuple[int, ...]:
        return tuple(bit for block in _blocks(text) for bit in self._read([word.text for word in block]))

    def _written(self, words: Sequence[str], bits: Sequence[int], *, seed: int) -> list[str]:
        """The drawn block that does least harm among those that read right, or among those that read best."""
        numbers = self._vocabulary.numbers(words)
        wanted = torch.tensor([bits], dtype=torch.float)
        with torch.inference_mode():
            logits = self._network.logits(numbers[None], wanted)  # (1, block, writable)
            noise = torch.rand(self._draws, *logits.shape[1:], generator=torch.Generator().manual_seed(seed))
            noise[0] = 0.5  # the same everywhere: the most probable block is one of those drawn
            gumbel = -torch.log(-torch.log(noise.clamp(1e-9, 1 - 1e-6)))
            drawn = (logits + gumbel).argmax(-1) + 1  # (draws, block)
            drawn = torch.where(self._network.may_change(numbers), drawn, numbers)
            said = self._network.bits(self._network.embedding(drawn)) > 0
            changed = drawn != numbers
            guesses = self._network.language(drawn, changed)  # (draws, block, writable)
            new, old = (_of_words(guesses, words) for words in (drawn, numbers.expand_as(drawn)))
        errors = (said != wanted.bool()).sum(1)
        harm = (changed * (1.0 + (old - new).clamp(min=0.0))).sum(1)  # each exchange, and how much worse the word fits
        best = drawn[(errors * MOST_HARM + harm).argmin()]
        return [
            old if number == own else self._vocabulary.words[number]
            for old, own, number in zip(words, numbers.tolist(), best.tolist(), strict=True)
        ]

    def _read(self, words: Sequence[str]) -> list[int]:
        with torch.inference_mode():
            said = self._network.bits(self._network.embedding(self._vocabulary.numbers(words)[None]))
        return [int(bit) for bit in said[0] > 0]

    def to_bytes(self) -> bytes:
        """Everything that a reader needs."""
        kept = {
            "sizes": asdict(self._network.sizes),
            "vocabulary": list(self._vocabulary.words),
            "weights": self._network.state_dict(),
        }
        file = BytesIO()
        torch.save(kept, file)
        return file.getvalue()


def _of_words(guesses: Any, words: Any) -> Any:  # (draws, block)
    """The log probability of each word; of words that never change anything, since they are never asked about."""
    return guesses.gather(-1, (words - 1).clamp(0, guesses.shape[-1] - 1)[..., None])[..., 0]


def load(path: Path) -> AwtScheme:
    """What `to_bytes` has put down."""
    try:
        kept = torch.load(path, weights_only=True)
        network = Network(Sizes(**kept["sizes"]))
        network.load_state_dict(kept["weights"])
        return AwtScheme(network.eval(), Vocabulary(kept["vocabulary"]))
    except (OSError, RuntimeError, KeyError, TypeError, EOFError, ValueError, UnpicklingError) as error:
        raise FormatError(
            path.name, found="no trained AWT", needed="the file of lexprint evaluate train-awt"
        ) from error


def _blocks(text: str) -> Iterator[list[Word]]:
    """Whole blocks; words of letters give way to such words, so a reader finds the same ones."""
    words = list(segment(text).words)
    for start in range(0, len(words) - BLOCK + 1, BLOCK):
        yield words[start : start + BLOCK]
