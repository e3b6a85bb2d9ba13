"""Measures the shipped models, as they are shipped, on text that training never saw; prints JSON for the model card."""

from __future__ import annotations

import argparse
import itertools
import json
from pathlib import Path

import numpy as np
import torch
from tokenizers import Tokenizer

import corpus
from entailment import replacement_pairs, snli
from lexprint.models.entailment import OnnxEntailment
from lexprint.models.onnx_backend import Network, Tokens
from lexprint.models.weights import shipped_model
from masked_lm import CLS, MASK, SEP, chunks
from replacements import ENTAILMENT

BINS = (0.0, 0.1, 0.3, 0.5, 0.7, 0.9, 0.95, 0.99, 1.0)


def masked_lm(sources: Path, folder: Path, *, tokens: int, length: int) -> dict[str, float]:
    """Top-1 and top-10 with 15 % of unseen Wikipedia text masked at random, in pieces of `length` tokens."""
    files = shipped_model("masked_lm", folder=folder)
    network = Network(files.read(files.graph), files.load_tensors(), threads=torch.get_num_threads(), batch_size=64)
    tokenizer = Tokenizer.from_file(str(folder / files.tokenizer))
    tokenizer.no_padding()
    tokenizer.no_truncation()
    unseen = chunks(
        tokenizer, corpus.wikipedia(sources / "wikipedia", held_out=True), seed=8, total=tokens // length, length=length
    )
    generator = torch.Generator().manual_seed(7)
    gaps = torch.rand(unseen.shape, generator=generator) < 0.15
    gaps &= (unseen != CLS) & (unseen != SEP)
    first = tenth = total = 0
    for row, gap in zip(unseen, gaps, strict=True):
        ids = tuple(row.masked_fill(gap, MASK).tolist())
        places = gap.nonzero()[:, 0].tolist()
        logits = network.run([Tokens(ids, (0,) * len(ids), place) for place in places])["logits"]
        truth = row[gap].numpy()
        better = (logits > logits[np.arange(len(places)), truth][:, None]).sum(axis=1)
        first, tenth, total = first + int((better == 0).sum()), tenth + int((better < 10).sum()), total + len(places)
    return {"top1": first / total, "top10": tenth / total, "positions": total}


def entailment(options: argparse.Namespace) -> dict[str, object]:
    """Accuracy on SNLI's test split and on single-word replacements, and how far SR can be trusted."""
    model = OnnxEntailment(shipped_model("entailment", folder=options.folder), threads=torch.get_num_threads())
    test = snli(options.sources / "snli", "snli_1.0_test.jsonl")
    answers = model.classify([(premise, hypothesis) for premise, hypothesis, _ in test]).argmax(axis=1)
    result: dict[str, object] = {
        "snli_accuracy": float(np.mean(answers == [label for *_, label in test])),
        "snli_pairs": len(test),
    }
    _, unseen, truth = replacement_pairs(options)
    judged = [(premise, hypothesis, label == ENTAILMENT) for premise, hypothesis, label in unseen]
    for name, pairs in (("replacement", judged), ("wordnet", truth)):
        relatedness = model.entails([(premise, hypothesis) for premise, hypothesis, _ in pairs])
        right = np.array([same for *_, same in pairs])
        sure = relatedness > 0.95
        result[name] = {
            "pairs": len(pairs),
            "accuracy": float(np.mean((relatedness > 0.5) == right)),
            "above_95": int(sure.sum()),
            "right_above_95": float(right[sure].mean()),
            "synonyms_above_95": float(sure[right].mean()),
            "calibration": [
                {"from": low, "to": high, "pairs": int(inside.sum()), "right": float(right[inside].mean())}
                for low, high in itertools.pairwise(BINS)
                if (inside := (relatedness > low) & (relatedness <= high)).any()
            ],
        }
    return result


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sources", type=Path)
    parser.add_argument("teacher", type=Path)
    parser.add_argument("proposals", type=Path)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--tokens", type=int, default=20_000, help="of running text to mask words in")
    options = parser.parse_args()
    figures = {
        "masked_lm": {
            f"{length} tokens": masked_lm(options.sources, options.folder, tokens=options.tokens, length=length)
            for length in (96, 256)
        },
        "entailment": entailment(options),
    }
    print(json.dumps(figures, indent=2))


if __name__ == "__main__":
    main()
