"""The head that is shipped: what readers would say of a word in a gap, from the state that the trained network has there.

The network is asked once for the state of every judged gap; then a small head can learn for many rounds in minutes. Three heads that
begin differently are trained and joined into one, which judges better than each of them.
"""

from __future__ import annotations

import argparse
import json
import random
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import torch
from safetensors.torch import load_file, save_file
from tokenizers import Tokenizer
from torch import Tensor, nn

import judgements
from encoders import bert_base_cased
from fitness import WIDTH, Encoder, Example, Features, area_under_curve, batches, gap_states, make_batch
from judgements import GOOD, SO_SO
from masked_lm import LowerLayers

HIDDEN = 256
HEADS = 3
ROUNDS = 7
BATCH = 1_024
LOCAL_SHARE = 0.3
VECTOR_UNIT = 20.0  # word vectors are small beside states
LARGEST_WEIGHT = 32_767


@dataclass(frozen=True, slots=True)
class States:
    """States of gaps, and a row for each verdict."""

    states: Tensor  # (gaps, width)
    words: Tensor  # (gaps,) tokens that stand there
    rows: Tensor  # (verdicts,) gap of each
    tokens: Tensor  # (verdicts,) candidate
    verdicts: Tensor

    def save(self, path: Path) -> None:
        save_file({name: getattr(self, name).contiguous() for name in self.__slots__}, path)

    @classmethod
    def load(cls, path: Path) -> States:
        return cls(**load_file(path))


class Head(nn.Module):
    def __init__(self, hidden: int = HIDDEN) -> None:
        super().__init__()
        self.gap = nn.Linear(2 * WIDTH, hidden)
        self.candidate = nn.Linear(3 * WIDTH, hidden, bias=False)
        self.output = nn.Linear(hidden, 2)
        self.dropout = nn.Dropout(0.45)
        self.input_dropout = nn.Dropout(0.25)
        with torch.no_grad():
            self.output.bias.copy_(torch.tensor([-1.4, -2.8]))

    def forward(self, states: Tensor, words: Tensor, candidates: Tensor) -> Tensor:
        common = self.gap(self.input_dropout(torch.cat([states, words], dim=1)))
        beside = torch.cat([candidates, states * candidates, words * candidates], dim=1)
        logits: Tensor = self.output(self.dropout(torch.relu(self.candidate(self.input_dropout(beside)) + common)))
        return logits


def joined(heads: Sequence[Head]) -> Head:
    """One head that says the mean of what they say."""
    whole = Head(HIDDEN * len(heads))
    with torch.no_grad():
        whole.gap.weight.copy_(torch.cat([head.gap.weight for head in heads]))
        whole.gap.bias.copy_(torch.cat([head.gap.bias for head in heads]))
        whole.candidate.weight.copy_(torch.cat([head.candidate.weight for head in heads]))
        whole.output.weight.copy_(torch.cat([head.output.weight for head in heads], dim=1) / len(heads))
        whole.output.bias.copy_(torch.stack([head.output.bias for head in heads]).mean(0))
    return whole


def exported(head: Head) -> dict[str, Tensor]:
    """The tensors that `lexprint.models.fitness` reads: whole numbers and a scale for each output."""
    found = {"fitness.bias": head.gap.bias, "fitness.output.bias": head.output.bias}
    for name in ("gap", "candidate", "output"):
        weight = getattr(head, name).weight.detach().T.contiguous()  # (inputs, outputs)
        scale = weight.abs().max(0).values.clamp_min(1e-12) / LARGEST_WEIGHT
        found[f"fitness.{name}.int16"] = (weight / scale).round().to(torch.int16)
        found[f"fitness.{name}.scale"] = scale
    found["fitness.vector_unit"] = torch.tensor(VECTOR_UNIT)
    return {name: value.detach().contiguous() for name, value in found.items()}


@torch.no_grad()
def states_of(
    network: nn.Module, features: Features, encoder: Encoder, paths: Sequence[Path], *, local: float
) -> States:
    """What the network says of every judged gap, some of them also in local context."""
    chooser = random.Random(4)
    examples: list[Example] = []
    words: list[int] = []
    for row in judgements.read(paths):
        gaps = [row.gap, *([judgements.local(row.gap)] if chooser.random() < local else [])]
        for gap in gaps:
            one = encoder.judged(replace(row, gap=gap))
            if one is not None and gap.word in encoder.numbers:
                examples.append(one)
                words.append(encoder.numbers[gap.word])
    states = torch.zeros(len(examples), WIDTH)
    began = time.time()
    for number, group in enumerate(batches(examples, range(len(examples)), random.Random(0))):
        chosen = [examples[index] for index in group]
        batch = make_batch(chosen, features(chosen))
        states[group] = gap_states(network, batch.hidden, batch.lengths, batch.gaps)
        if number % 50 == 0:
            print(f"batch {number}, {time.time() - began:.0f} s", flush=True)
    pairs = [(row, *pair) for row, one in enumerate(examples) for pair in one.verdicts]
    columns = [torch.tensor([pair[at] for pair in pairs]) for at in range(3)]
    return States(states, torch.tensor(words), *columns)


def train(states: States, vectors: Tensor, *, seed: int, rounds: int = ROUNDS) -> Head:
    torch.manual_seed(seed)
    head = Head()
    adam = torch.optim.AdamW(head.parameters(), lr=1e-3, weight_decay=0.05)
    truth = torch.stack([states.verdicts >= SO_SO, states.verdicts == GOOD], dim=1).float()
    steps = rounds * (len(truth) // BATCH + 1)
    step = 0
    for _ in range(rounds):
        for chosen in torch.randperm(len(truth)).split(BATCH):
            for group in adam.param_groups:
                group["lr"] = 1e-3 * max(0.03, 1 - step / steps)
            rows = states.rows[chosen]
            logits = head(states.states[rows], vectors[states.words[rows]], vectors[states.tokens[chosen]])
            loss = nn.functional.binary_cross_entropy_with_logits(logits, truth[chosen])
            adam.zero_grad()
            loss.backward()
            adam.step()
            step += 1
    head.eval()
    return head


@torch.no_grad()
def figures(head: Head, states: States, vectors: Tensor) -> dict[str, float]:
    head.eval()
    logits = np.concatenate(
        [
            head(states.states[rows], vectors[states.words[rows]], vectors[tokens]).numpy()
            for rows, tokens in zip(states.rows.split(4096), states.tokens.split(4096), strict=True)
        ]
    )
    verdicts = states.verdicts.numpy()
    top = np.argsort(-logits[:, 0])[: len(verdicts) // 20]
    return {
        "auc_acceptable": area_under_curve(logits[:, 0], verdicts >= SO_SO),
        "auc_good": area_under_curve(logits[:, 1], verdicts == GOOD),
        "top5_acceptable": float((verdicts[top] >= SO_SO).mean()),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sources", type=Path)
    parser.add_argument("network", type=Path, help="what fitness.py has trained")
    parser.add_argument("output", type=Path)
    parser.add_argument("--features", type=Path, required=True)
    parser.add_argument("--judgements", type=Path, nargs="+", required=True)
    parser.add_argument("--dev", type=Path, required=True)
    options = parser.parse_args()
    tokenizer = Tokenizer.from_file(str(next((options.sources / "bert").rglob("tokenizer.json"))))
    tokenizer.no_padding()
    tokenizer.no_truncation()
    network = bert_base_cased(options.sources / "bert")
    trained = {name: value for name, value in load_file(options.network).items() if not name.startswith("head.")}
    network.load_state_dict(trained, strict=False)
    network.tie_weights()
    network.eval()
    options.output.mkdir(parents=True, exist_ok=True)
    vectors = VECTOR_UNIT * network.bert.embeddings.word_embeddings.weight.detach()
    features = Features(LowerLayers(network, options.output / "lower.onnx"), options.features)
    encoder = Encoder(tokenizer)
    found = {}
    for name, paths, local in (("dev", [options.dev], 0.0), ("train", options.judgements, LOCAL_SHARE)):
        path = options.output / f"{name}.safetensors"
        if not path.exists():
            states_of(network, features, encoder, paths, local=local).save(path)
        found[name] = States.load(path)
    heads = []
    for seed in range(HEADS):
        heads.append(train(found["train"], vectors, seed=seed))
        print(seed, figures(heads[-1], found["dev"], vectors), flush=True)
    whole = joined(heads)
    final = figures(whole, found["dev"], vectors)
    print(json.dumps(final), flush=True)
    save_file({**trained, **exported(whole)}, options.output / "masked-lm.safetensors")
    (options.output / "figures.json").write_text(json.dumps(final, indent=2), "utf-8")


if __name__ == "__main__":
    main()
