"""Asks a translation model what may stand in for each word of a sentence.

The sentence goes to French and back; on the way back its own English words are forced, and at every word the decoder
says what it would rather have written. The French holds the meaning, so what it prefers are synonyms in context, and one
pass answers for all words of a sentence.
"""

from __future__ import annotations

import argparse
import gzip
import itertools
import json
import time
from collections.abc import Iterator
from pathlib import Path

import torch
from torch import Tensor, nn
from transformers import MarianMTModel, MarianTokenizer

import corpus

TOP = 24
FLOOR = 5e-4  # below this the decoder's tail is noise
BATCH = 48


class Pivot:
    """English to French and back, in int8: the teacher's last digits do not matter."""

    def __init__(self, source: Path) -> None:
        self._to_french, self._french = self._load(source / "helsinki_en_fr")
        self._to_english, self._english = self._load(source / "helsinki_fr_en")
        pieces = self._english.convert_ids_to_tokens(list(range(self._to_english.config.vocab_size)))
        self._words = [piece[1:] if piece and piece[0] == "▁" and piece[1:].isalpha() else None for piece in pieces]

    @staticmethod
    def _load(folder: Path) -> tuple[MarianMTModel, MarianTokenizer]:
        network = MarianMTModel.from_pretrained(folder).eval()
        return torch.ao.quantization.quantize_dynamic(network, {nn.Linear}), MarianTokenizer.from_pretrained(folder)

    @torch.no_grad()
    def alternatives(self, sentences: list[str]) -> Iterator[list[dict[str, object]]]:
        """Per sentence the words that are one piece, each with its offset and what the decoder prefers."""
        source = self._french(sentences, return_tensors="pt", padding=True)
        longest = int(source.input_ids.shape[1] * 1.5) + 8
        french = self._to_french.generate(**source, num_beams=1, do_sample=False, max_length=longest)
        translated = self._french.batch_decode(french, skip_special_tokens=True)
        encoded = self._english(translated, return_tensors="pt", padding=True)
        labels = self._english(text_target=sentences, return_tensors="pt", padding=True).input_ids
        logits = self._to_english(**encoded, labels=labels).logits  # (batch, tokens, vocabulary)
        best = logits.topk(TOP)
        log_normaliser = logits.logsumexp(-1, keepdim=True)
        for row, sentence in enumerate(sentences):
            chosen = logits[row].gather(-1, labels[row][:, None]) - log_normaliser[row]
            probabilities = (best.values[row] - log_normaliser[row]).exp()
            yield self._words_of(sentence, labels[row], chosen.exp()[:, 0], best.indices[row], probabilities)

    def _words_of(
        self, sentence: str, labels: Tensor, own: Tensor, tops: Tensor, probabilities: Tensor
    ) -> list[dict[str, object]]:
        pieces = self._english.convert_ids_to_tokens(labels.tolist())
        found, cursor = [], 0
        for at, piece in enumerate(pieces[:-1]):
            word = self._words[int(labels[at])]
            text = piece.removeprefix("▁")
            position = sentence.find(text, cursor)
            if position < 0:
                break
            cursor = position + len(text)
            whole = (
                word is not None
                and not sentence[cursor : cursor + 1].isalpha()
                and sentence[position - 1 : position] in ("", " ", '"', "(")
            )
            if whole and word.islower() and len(word) > 1:
                others = {
                    self._words[token]: round(probability, 5)
                    for token, probability in zip(tops[at].tolist(), probabilities[at].tolist(), strict=True)
                    if probability > FLOOR and self._words[token]
                }
                found.append({"at": position, "word": word, "own": round(float(own[at]), 5), "others": others})
        return found


def varied_sentences(sources: Path, count: int) -> list[str]:
    """Half Wikipedia, the rest old novels and image captions, so that no style is foreign to the pupil."""
    words = range(7, 34)
    wiki = corpus.sentences(corpus.wikipedia(sources / "wikipedia", held_out=False), seed=21, words=words)
    spread = (sentence for number, sentence in enumerate(wiki) if number % 29 == 0)  # few from any one article
    old = corpus.sentences(corpus.novels(sources / "wordnet"), seed=22, words=words)
    with next((sources / "snli").rglob("snli_1.0_train_subset.jsonl")).open(encoding="utf-8") as file:
        captions = dict.fromkeys(json.loads(line)["sentence1"] for line in itertools.islice(file, 60_000))
    return [
        *itertools.islice(spread, count * 55 // 100),
        *itertools.islice((sentence for number, sentence in enumerate(old) if number % 5 == 0), count * 3 // 10),
        *itertools.islice(captions, count * 15 // 100),
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sources", type=Path)
    parser.add_argument("output", type=Path)
    parser.add_argument("--sentences", type=int, default=8000)
    options = parser.parse_args()
    pivot = Pivot(options.sources / "marian")
    sentences = varied_sentences(options.sources, options.sentences)
    generator = torch.Generator().manual_seed(23)
    sentences = [sentences[index] for index in torch.randperm(len(sentences), generator=generator).tolist()]
    began, done = time.time(), 0
    with gzip.open(options.output, "wt", encoding="utf-8") as file:
        for start in range(0, len(sentences), 16 * BATCH):
            near = sorted(sentences[start : start + 16 * BATCH], key=len)  # equal lengths together
            for at in range(0, len(near), BATCH):
                batch = near[at : at + BATCH]
                for sentence, words in zip(batch, pivot.alternatives(batch), strict=True):
                    file.write(json.dumps({"sentence": sentence, "words": words}) + "\n")
                done += len(batch)
            file.flush()
            print(f"{done}/{len(sentences)} sentences, {done / (time.time() - began):.1f}/s", flush=True)


if __name__ == "__main__":
    main()
