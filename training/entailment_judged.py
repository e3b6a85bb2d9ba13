"""The NLI model learns what readers accept: pairs that differ in one word, with their verdicts, beside general NLI.

A good word is entailed, a bad one is not, a so-so one is half way; pairs from NLI corpora keep SR's meaning. The head looks at
the place that changed, in both sentences.
"""

from __future__ import annotations

import argparse
import gzip
import json
import random
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from safetensors.torch import load_file, save_file
from tokenizers import Tokenizer
from torch import Tensor, nn

import judgements
from encoders import EntailmentNetwork, minilm
from entailment import LABELS, snli
from judgements import GOOD, SO_SO, Judged
from lexprint.models.protocols import Gap
from probes import area_under_curve

CLS, SEP = 101, 102
LONGEST = 160  # tokens of a pair
BATCH_TOKENS = 4_000
SO_SO_ENTAILED = 0.5
LENGTHENED = 0.2
ENTAILMENT, NOT_ENTAILMENT = 0, 3


@dataclass(frozen=True, slots=True)
class Example:
    ids: tuple[int, ...]
    first_length: int
    places: tuple[int, int]  # of the changed word in both sentences; 0: none
    entailed: float
    label: int = NOT_ENTAILMENT  # of three classes; NOT_ENTAILMENT: only `entailed` counts


class Encoder:
    def __init__(self, tokenizer: Tokenizer) -> None:
        self._tokenizer = tokenizer

    def _pieces(self, text: str) -> list[int]:
        return self._tokenizer.encode(text, add_special_tokens=False).ids

    def changed(self, gap: Gap, word: str, entailed: float) -> Example | None:
        """The text of the gap, and the same with the word in it."""
        left, one, other, right = (self._pieces(part) for part in (gap.left, gap.word, word, gap.right))
        first = [CLS, *left, *one, *right, SEP]
        ids = (*first, *left, *other, *right, SEP)
        if len(ids) > LONGEST or not one or not other:
            return None
        return Example(ids, len(first), (1 + len(left), len(first) + len(left)), entailed)

    def plain(self, premise: str, hypothesis: str, label: int) -> Example | None:
        first = [CLS, *self._pieces(premise), SEP]
        ids = (*first, *self._pieces(hypothesis), SEP)
        return Example(ids, len(first), (0, 0), float(label == ENTAILMENT), label) if len(ids) <= LONGEST else None


def of_judgements(
    encoder: Encoder, rows: list[Judged], chooser: random.Random, *, bad_share: float
) -> list[Example | None]:
    """Verdicts as pairs; half of the contexts are local, a third of the pairs are turned around."""
    found: list[Example | None] = []
    company = [row.gap.text for row in rows]
    for row in rows:
        for word, verdict in row.verdicts.items():
            if verdict < SO_SO and chooser.random() > bad_share:
                continue
            gap, other = row.gap, word
            if chooser.random() < 0.4:
                gap = judgements.local(gap)
            elif chooser.random() < LENGTHENED:
                gap = Gap(f"{chooser.choice(company)} {gap.left}", gap.word, gap.right)
            if chooser.random() < 0.35:
                gap, other = gap.with_word(word), gap.word
            entailed = 1.0 if verdict == GOOD else SO_SO_ENTAILED if verdict == SO_SO else 0.0
            found.append(encoder.changed(gap, other, entailed))
        if chooser.random() < 0.08:
            found.append(encoder.changed(row.gap, row.gap.word, 1.0))
        if chooser.random() < 0.05:
            found.append(encoder.plain(row.gap.text, row.gap.text, ENTAILMENT))
    return found


def of_corpora(encoder: Encoder, options: argparse.Namespace, chooser: random.Random) -> list[Example | None]:
    with gzip.open(options.nli, "rt", encoding="utf-8") as file:
        rows = [json.loads(line) for line in file]
    chosen = chooser.sample(rows, min(options.nli_pairs, len(rows)))
    found = [
        encoder.plain(row["premise"], row["hypothesis"], LABELS[row["label"]])
        for row in chosen
        if row["label"] in LABELS
    ]
    pairs = chooser.sample(snli(options.sources / "snli", "snli_1.0_train_subset.jsonl"), options.snli_pairs)
    return found + [encoder.plain(*pair) for pair in pairs]


def batches(examples: list[Example], chooser: random.Random) -> list[list[Example]]:
    order = chooser.sample(examples, len(examples))
    found: list[list[Example]] = []
    for start in range(0, len(order), 4_096):
        near = sorted(order[start : start + 4_096], key=lambda one: len(one.ids))
        group: list[Example] = []
        for one in near:
            if group and (len(group) + 1) * len(one.ids) > BATCH_TOKENS:
                found.append(group)
                group = []
            group.append(one)
        found.append(group)
    return chooser.sample(found, len(found))


def tensors(batch: list[Example]) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    width = max(len(one.ids) for one in batch)
    ids, kinds, mask = (torch.zeros(len(batch), width, dtype=torch.long) for _ in range(3))
    for row, one in enumerate(batch):
        ids[row, : len(one.ids)] = torch.tensor(one.ids)
        kinds[row, one.first_length : len(one.ids)] = 1
        mask[row, : len(one.ids)] = 1
    return ids, kinds, mask, torch.tensor([one.places for one in batch])


def loss_of(logits: Tensor, batch: list[Example]) -> Tensor:
    """Cross-entropy with the class where it is known, else with entailed or not."""
    log_p = logits.log_softmax(-1)  # (batch, 3)
    either = torch.logsumexp(log_p[:, 1:], dim=-1)
    entailed = torch.tensor([one.entailed for one in batch])
    labels = torch.tensor([min(one.label, 2) for one in batch])
    known = torch.tensor([one.label != NOT_ENTAILMENT for one in batch])
    by_class = -log_p.gather(1, labels[:, None])[:, 0]
    by_verdict = -(entailed * log_p[:, 0] + (1 - entailed) * either)
    return torch.where(known, by_class, by_verdict).mean()


@torch.no_grad()
def entailments(network: EntailmentNetwork, examples: list[Example]) -> np.ndarray:
    """Probabilities of the three classes, in the order of the examples."""
    network.eval()
    order = sorted(range(len(examples)), key=lambda index: len(examples[index].ids))
    found = np.zeros((len(examples), 3))
    for start in range(0, len(order), 96):
        group = order[start : start + 96]
        with torch.autocast("cpu", dtype=torch.bfloat16):
            logits = network(*tensors([examples[index] for index in group]))
        found[group] = logits.float().softmax(-1).numpy()
    network.train()
    return found


def figures(network: EntailmentNetwork, dev: list[tuple[Example, int]], test: list[Example]) -> dict[str, float]:
    sr = entailments(network, [one for one, _ in dev])[:, 0]
    verdicts = np.array([verdict for _, verdict in dev])
    classes = entailments(network, test).argmax(1)
    top = np.argsort(-sr)[: len(sr) // 20]
    return {
        "auc_acceptable": area_under_curve(sr, verdicts >= SO_SO),
        "auc_good": area_under_curve(sr, verdicts == GOOD),
        "top5_acceptable": float((verdicts[top] >= SO_SO).mean()),
        "above_95": float((sr > 0.95).mean()),
        "snli_accuracy": float((classes == np.array([one.label for one in test])).mean()),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sources", type=Path)
    parser.add_argument("start", type=Path)
    parser.add_argument("output", type=Path)
    parser.add_argument("--judgements", type=Path, nargs="+", required=True)
    parser.add_argument("--dev", type=Path, required=True)
    parser.add_argument("--nli", type=Path, required=True)
    parser.add_argument("--nli-pairs", type=int, default=14_000)
    parser.add_argument("--snli-pairs", type=int, default=8_000)
    parser.add_argument("--bad-share", type=float, default=0.5)
    parser.add_argument("--rate", type=float, default=1.5e-4)
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--seed", type=int, default=81)
    parser.add_argument("--threads", type=int, default=torch.get_num_threads())
    options = parser.parse_args()
    torch.manual_seed(options.seed)
    torch.set_num_threads(options.threads)
    chooser = random.Random(options.seed)
    tokenizer = Tokenizer.from_file(str(next((options.sources / "minilm").rglob("tokenizer.json"))))
    tokenizer.no_padding()
    tokenizer.no_truncation()
    encoder = Encoder(tokenizer)
    network = EntailmentNetwork(minilm(options.sources / "minilm"))
    start = load_file(options.start)
    if start["dense.weight"].shape != network.dense.weight.shape:  # from the head that took the mean of all tokens
        old = start["dense.weight"]
        width = old.shape[0]
        fresh = 0.02 * torch.randn(width, 3 * width)
        fresh[:, :width] = old[:, :width]
        start["dense.weight"] = fresh
    network.load_state_dict(start)
    for module in network.modules():
        if isinstance(module, nn.Dropout):
            module.p = 0.08
    rows = list(judgements.read(options.judgements))
    dev_rows = list(judgements.read([options.dev]))
    dev = [
        (one, verdict)
        for row in dev_rows[::2]
        for word, verdict in row.verdicts.items()
        if (one := encoder.changed(row.gap, word, 0.0)) is not None
    ]
    test = [
        one for pair in snli(options.sources / "snli", "snli_1.0_test.jsonl")[:1500] if (one := encoder.plain(*pair))
    ]
    plan: list[list[Example]] = []
    for _ in range(options.rounds):
        made = of_judgements(encoder, rows, chooser, bad_share=options.bad_share) + of_corpora(
            encoder, options, chooser
        )
        plan += batches([one for one in made if one is not None], chooser)
    print(f"{len(plan)} steps, {sum(len(one.ids) for batch in plan for one in batch)} tokens", flush=True)
    print(json.dumps(figures(network, dev[:4000], test)), flush=True)
    head = [*network.dense.parameters(), *network.classes.parameters()]
    body = [*network.encoder.parameters()]
    adam = torch.optim.AdamW(
        [{"params": head, "peak": 3 * options.rate}, {"params": body, "peak": options.rate}],
        lr=options.rate,
        weight_decay=0.01,
    )
    options.output.mkdir(parents=True, exist_ok=True)
    network.train()
    began, running = time.time(), 0.0
    for step, batch in enumerate(plan):
        for group in adam.param_groups:
            group["lr"] = group["peak"] * min(1.0, (step + 1) / 100) * max(0.02, 1 - step / len(plan))
        with torch.autocast("cpu", dtype=torch.bfloat16):
            logits = network(*tensors(batch))
        loss = loss_of(logits.float(), batch)
        loss.backward()
        nn.utils.clip_grad_norm_([*head, *body], 1.0)
        adam.step()
        adam.zero_grad()
        running = 0.98 * running + 0.02 * loss.item() if step else loss.item()
        if step % 50 == 0:
            left = (time.time() - began) / (step + 1) * (len(plan) - step - 1) / 60
            print(f"step {step}/{len(plan)} loss {running:.3f}, {left:.0f} min left", flush=True)
        if step % 400 == 399:
            print(json.dumps(figures(network, dev[:4000], test)), flush=True)
            save_file(network.state_dict(), options.output / "entailment.safetensors")
    save_file(network.state_dict(), options.output / "entailment.safetensors")
    final = figures(network, dev, test)
    print(json.dumps(final), flush=True)
    (options.output / "figures.json").write_text(json.dumps(final, indent=2), "utf-8")


if __name__ == "__main__":
    main()
