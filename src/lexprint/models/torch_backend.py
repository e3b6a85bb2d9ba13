"""The same answers from models of a hub or a local folder, through transformers and torch (extra: hub).

Whatever the model family, a pair is given to its own tokenizer as two segments: a literal "[SEP]" inside one string is
not a pair for RoBERTa.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeVar

import numpy as np

from lexprint.errors import ExtraMissing, ModelError, ReadersUnknown
from lexprint.models.arithmetic import log_softmax
from lexprint.models.entailment import LONGEST_WORD
from lexprint.models.protocols import Assessment, Choose, Columns, Floats, Gap
from lexprint.models.tokenization import CONTINUING

try:
    import torch
    import transformers
except ImportError as error:
    raise ExtraMissing("transformers", extra="hub") from error

Question = TypeVar("Question")


class _HubModel:
    """A network and its tokenizer, asked in batches of equal length."""

    def __init__(self, name: str, architecture: Any, *, batch_size: int) -> None:
        try:
            self._tokenizer: Any = transformers.AutoTokenizer.from_pretrained(name)
            self._network: Any = architecture.from_pretrained(name).eval()
        except (OSError, ValueError) as error:
            raise ModelError(
                f"the model {name} was found neither as a folder nor on a hub that can be reached; "
                "download it elsewhere and give its folder, or use the shipped models"
            ) from error
        self._batch_size = batch_size
        self.fingerprint = _fingerprint(self._network, self._tokenizer)

    @property
    def _longest(self) -> int:
        positions: int = getattr(self._network.config, "max_position_embeddings", 512)
        return min(int(self._tokenizer.model_max_length), positions - 2)  # RoBERTa keeps two for itself

    def _run(self, encodings: Sequence[Any], answer: Callable[[Any, list[int]], Any]) -> list[Floats]:
        """One row per encoding, in order; `answer` gets a batch's output and the encodings' indices."""
        rows: dict[int, Floats] = {}
        for batch in _equal_lengths([len(encoding["input_ids"]) for encoding in encodings], self._batch_size):
            names = encodings[batch[0]].keys()
            feed = {name: torch.tensor([encodings[index][name] for index in batch]) for name in names}
            with torch.inference_mode():
                output = answer(self._network(**feed), batch)
            rows.update(zip(batch, output.float().numpy(), strict=True))
        return [rows[index] for index in range(len(encodings))]


class HubMaskedLM(_HubModel):
    """Any masked LM, for example bert-base-cased."""

    def __init__(self, name: str, *, batch_size: int = 64) -> None:
        super().__init__(name, transformers.AutoModelForMaskedLM, batch_size=batch_size)
        if self._tokenizer.mask_token_id is None:
            raise ModelError(f"the model {name} has no mask token; needed: a masked language model")
        tokens = self._tokenizer.convert_ids_to_tokens(list(range(self._network.config.vocab_size)))
        self.vocabulary = tuple(_words(tokens, self._tokenizer.convert_tokens_to_string))
        self.knows_readers = False

    def fits(self, gap: Gap) -> bool:
        return len(self._tokenizer(gap.text, gap.text)["input_ids"]) <= self._longest

    def predict(self, gaps: Sequence[Gap]) -> Floats:
        return self._predict([self._tokenizer(gap.text, self._masked(gap)) for gap in gaps])

    def propose(self, gaps: Sequence[Gap]) -> Floats:
        return self.predict(gaps)

    def judge(self, questions: Sequence[tuple[Gap, Columns]]) -> list[Floats]:
        raise ReadersUnknown

    def judge_chosen(self, gaps: Sequence[Gap], choose: Choose) -> list[Floats]:
        raise ReadersUnknown

    def assess(self, questions: Sequence[tuple[Gap, Columns]]) -> list[Assessment]:
        raise ReadersUnknown

    def predict_blind(self, gaps: Sequence[Gap]) -> Floats:
        return self._predict([self._tokenizer(self._masked(gap)) for gap in gaps])

    def _masked(self, gap: Gap) -> str:
        return gap.filled(self._tokenizer.mask_token)

    def _predict(self, encodings: Sequence[Any]) -> Floats:
        if not encodings:
            return np.empty((0, len(self.vocabulary)), np.float32)
        # The text itself might hold a mask token; ours is in the last segment, and so the last.
        mask = self._tokenizer.mask_token_id
        places = [len(ids) - 1 - ids[::-1].index(mask) for ids in (encoding["input_ids"] for encoding in encodings)]

        def at_gap(output: Any, batch: list[int]) -> Any:
            return output.logits[range(len(batch)), [places[index] for index in batch]]

        return log_softmax(np.stack(self._run(encodings, at_gap)))


class HubEntailment(_HubModel):
    """Any NLI model, for example roberta-large-mnli; which class is entailment is read from its configuration."""

    def __init__(self, name: str, *, batch_size: int = 64) -> None:
        super().__init__(name, transformers.AutoModelForSequenceClassification, batch_size=batch_size)
        labels: dict[int, str] = self._network.config.id2label
        columns = [
            column for column, label in labels.items() if "entail" in label.lower() and "not" not in label.lower()
        ]
        if len(columns) != 1:
            raise ModelError(f"the model {name} has the labels {sorted(labels.values())}; needed: one named entailment")
        self._column = columns[0]

    def fits(self, sentence: str) -> bool:
        return len(self._tokenizer(sentence, sentence)["input_ids"]) + LONGEST_WORD <= self._longest

    def entails(self, pairs: Sequence[tuple[str, str]]) -> Floats:
        if not pairs:
            return np.empty(0, np.float32)
        encodings = [self._tokenizer(premise, hypothesis) for premise, hypothesis in pairs]
        logits = np.stack(self._run(encodings, lambda output, _: output.logits))
        probabilities: Floats = np.exp(log_softmax(logits)[:, self._column])
        return probabilities


class HubSentenceEncoder(_HubModel):
    """Any encoder whose token vectors are averaged, for example stsb-roberta-base-v2."""

    def __init__(self, name: str, *, batch_size: int = 64) -> None:
        super().__init__(name, transformers.AutoModel, batch_size=batch_size)

    def encode(self, sentences: Sequence[str]) -> Floats:
        if not sentences:
            return np.empty((0, int(self._network.config.hidden_size)), np.float32)
        encodings = [self._tokenizer(text, truncation=True, max_length=self._longest) for text in sentences]
        means = np.stack(self._run(encodings, lambda output, _: output.last_hidden_state.mean(1)))
        vectors: Floats = means / np.linalg.norm(means, axis=-1, keepdims=True)
        return vectors


def _equal_lengths(lengths: Sequence[int], batch_size: int) -> Iterator[list[int]]:
    order = sorted(range(len(lengths)), key=lengths.__getitem__)
    start = 0
    while start < len(order):
        batch = [index for index in order[start : start + batch_size] if lengths[index] == lengths[order[start]]]
        yield batch
        start += len(batch)


def _words(tokens: Sequence[str], as_text: Callable[[list[str]], str]) -> Iterator[str]:
    """Tokens as the words they stand for; what only goes on with a word begins with ## whatever the vocabulary does.

    WordPiece marks what goes on; byte-level BPE and SentencePiece mark what begins, so there all else goes on. Their
    letters beyond ASCII are bytes in disguise, which the tokenizer turns back.
    """
    beginning = next((mark for mark in ("Ġ", "▁") if any(token.startswith(mark) for token in tokens)), None)
    for token in tokens:
        if beginning is None:
            yield token
        elif token.startswith(beginning):
            yield token[1:] if token[1:].isascii() else as_text([token]).strip()
        else:
            yield f"{CONTINUING}{token}"


def _fingerprint(network: Any, tokenizer: Any) -> str:
    digest = hashlib.sha256()
    for name, tensor in sorted(network.state_dict().items()):
        digest.update(name.encode())
        digest.update(np.ascontiguousarray(tensor.detach().float().numpy()).tobytes())
    for token, number in sorted(tokenizer.get_vocab().items()):
        digest.update(f"{token}\0{number}\0".encode())
    return digest.hexdigest()[:16]
