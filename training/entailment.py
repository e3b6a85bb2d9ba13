"""The NLI model: MiniLM over a sentence pair, trained on SNLI, then on SNLI and pairs that differ in a word.

Without `--start` it is the first stage: 60,672 pairs of SNLI alone, all weights. With it, a round of the second: the
lower layers stay as they are, and what is learned is which word may stand for another.
"""

from __future__ import annotations

import argparse
import json
import random
import time
from pathlib import Path

import torch
from nltk.corpus import stopwords
from safetensors.torch import load_file, save_file
from tokenizers import Tokenizer
from torch import Tensor, nn

from encoders import EntailmentNetwork, minilm
from replacements import (
    CONTRADICTION,
    ENTAILMENT,
    NEUTRAL,
    NOT_ENTAILMENT,
    UNSEEN_EVERY,
    Vectors,
    is_credible,
    pairs,
    read_slots,
    use_wordnet,
    wordnet_truth,
)

BATCH = 64
LABELS = {"entailment": ENTAILMENT, "neutral": NEUTRAL, "contradiction": CONTRADICTION}
LONGEST = 192  # tokens of a pair; longer ones cost more than they teach
LENGTHENED = 0.5  # share of the pairs that get company: sentences to mark are longer than those that teach
FIRST_STAGE_PAIRS = 60_672
SECOND_STAGE_PAIRS = 14_000  # of SNLI, a round; others than in the first stage
FROZEN_LAYERS = 2
Example = tuple[str, str, int]


def snli(source: Path, name: str) -> list[Example]:
    with next(source.rglob(name)).open(encoding="utf-8") as file:
        rows = [json.loads(line) for line in file]
    return [
        (row["sentence1"], row["sentence2"], LABELS[row["gold_label"]]) for row in rows if row["gold_label"] in LABELS
    ]


def replacement_pairs(options: argparse.Namespace) -> tuple[list[Example], list[Example], list[tuple[str, str, bool]]]:
    """Pairs to train on, pairs of unseen sentences, and unseen pairs with WordNet's answer."""
    use_wordnet(options.sources)
    vectors = Vectors(options.sources)
    stop = frozenset(stopwords.words("english"))
    proposed = {(sentence, start): words for sentence, start, words in json.loads(options.proposals.read_text("utf-8"))}
    chooser = random.Random(41)
    seen: list[Example] = []
    unseen: list[Example] = []
    truth: list[tuple[str, str, bool]] = []
    for number, slots in enumerate(read_slots(options.teacher, stop_words=stop)):
        held_out = number % UNSEEN_EVERY == 0
        (unseen if held_out else seen).extend(pairs(slots, proposed, vectors, chooser))
        for slot, word, same in wordnet_truth(slots, chooser):
            if held_out:
                truth.append((slot.sentence, slot.filled(word), same))
            elif is_credible(slot, word, vectors, same=same):
                seen.append((slot.sentence, slot.filled(word), ENTAILMENT if same else NOT_ENTAILMENT))
    return seen, unseen, truth


def lengthened(examples: list[Example], chooser: random.Random) -> list[Example]:
    """Half of the pairs with other sentences before or after them, the same on both sides, so that the answer stays."""
    longer = []
    for premise, hypothesis, label in examples:
        if chooser.random() < LENGTHENED:
            joint = chooser.choice((" ", " ", "; ", ", and ", " - "))
            company = [chooser.choice(examples)[0] for _ in range(chooser.randint(1, 3))]
            place = chooser.randint(0, len(company))
            before, after = company[:place], company[place:]
            premise, hypothesis = (joint.join([*before, own, *after]) for own in (premise, hypothesis))
        longer.append((premise, hypothesis, label))
    return longer


class Batches:
    """Token ids of pairs, padded to the longest of a batch of similar lengths."""

    def __init__(self, tokenizer: Tokenizer, examples: list[Example]) -> None:
        encodings = tokenizer.encode_batch([(premise, hypothesis) for premise, hypothesis, _ in examples])
        self._rows = [(encoding.ids, encoding.type_ids) for encoding in encodings]
        self._labels = [label for *_, label in examples]
        self._kept = [index for index, (ids, _) in enumerate(self._rows) if len(ids) <= LONGEST]

    def shuffled(self, seed: int) -> list[list[int]]:
        chooser = random.Random(seed)
        order = chooser.sample(self._kept, len(self._kept))
        batches = []
        for start in range(0, len(order), 32 * BATCH):
            near = sorted(order[start : start + 32 * BATCH], key=lambda index: len(self._rows[index][0]))
            batches += [near[at : at + BATCH] for at in range(0, len(near), BATCH)]
        return chooser.sample(batches, len(batches))

    def tensors(self, indices: list[int]) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        width = max(len(self._rows[index][0]) for index in indices)
        ids, kinds, mask = (torch.zeros(len(indices), width, dtype=torch.long) for _ in range(3))
        for row, index in enumerate(indices):
            tokens, segments = self._rows[index]
            ids[row, : len(tokens)] = torch.tensor(tokens)
            kinds[row, : len(tokens)] = torch.tensor(segments)
            mask[row, : len(tokens)] = 1
        return ids, kinds, mask, torch.tensor([self._labels[index] for index in indices])


def loss_of(logits: Tensor, labels: Tensor) -> Tensor:
    """Cross-entropy; NOT_ENTAILMENT asks only that neutral and contradiction together are likely."""
    log_probabilities = logits.log_softmax(-1)  # (batch, 3)
    either = torch.logsumexp(log_probabilities[:, 1:], dim=-1, keepdim=True)
    return -torch.cat([log_probabilities, either], dim=1).gather(1, labels[:, None]).mean()


@torch.no_grad()
def probabilities(network: EntailmentNetwork, tokenizer: Tokenizer, examples: list[Example]) -> tuple[Tensor, Tensor]:
    """Class probabilities and labels, example by example."""
    network.eval()
    batches = Batches(tokenizer, examples)
    answers, labels = [], []
    for indices in batches.shuffled(0):
        ids, kinds, mask, label = batches.tensors(indices)
        answers.append(network(ids, kinds, mask).softmax(-1))
        labels.append(label)
    network.train()
    return torch.cat(answers), torch.cat(labels)


def figures(
    network: EntailmentNetwork,
    tokenizer: Tokenizer,
    test: list[Example],
    unseen: list[Example],
    truth: list[tuple[str, str, bool]],
) -> dict[str, float]:
    answers, labels = probabilities(network, tokenizer, test)
    result = {"snli_accuracy": float((answers.argmax(1) == labels).float().mean())}
    for name, examples in (
        ("replacement", unseen),
        ("wordnet", [(a, b, ENTAILMENT if same else NEUTRAL) for a, b, same in truth]),
    ):
        answers, labels = probabilities(network, tokenizer, examples)
        right = labels == ENTAILMENT
        sure = answers[:, 0] > 0.95
        result |= {
            f"{name}_pairs": len(labels),
            f"{name}_accuracy": float(((answers[:, 0] > 0.5) == right).float().mean()),
            f"{name}_precision_at_95": float(right[sure].float().mean()),
            f"{name}_recall_at_95": float(sure[right].float().mean()),
        }
    return result


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sources", type=Path)
    parser.add_argument("teacher", type=Path)
    parser.add_argument("proposals", type=Path)
    parser.add_argument("output", type=Path)
    parser.add_argument("--start", type=Path, help="the first stage's product")
    parser.add_argument("--round", type=int, default=1, help="with --start: which share of the wrong words to see")
    parser.add_argument("--limit", type=int, default=56_000, help="replacement pairs to train on")
    parser.add_argument("--snli", type=int, default=SECOND_STAGE_PAIRS, help="pairs of SNLI in a round")
    options = parser.parse_args()
    torch.manual_seed(2)
    tokenizer = Tokenizer.from_file(str(next((options.sources / "minilm").rglob("tokenizer.json"))))
    tokenizer.no_padding()
    tokenizer.no_truncation()
    network = EntailmentNetwork(minilm(options.sources / "minilm"))
    for module in network.modules():
        if isinstance(module, nn.Dropout):
            module.p = 0.05
    if options.start:
        network.load_state_dict(load_file(options.start))
        for part in (network.encoder.embeddings, *network.encoder.encoder.layer[:FROZEN_LAYERS]):
            part.requires_grad_(False)
    seen, unseen, truth = replacement_pairs(options)
    random.Random(5).shuffle(seen)
    right = [example for example in seen if example[2] == ENTAILMENT][: 2 * options.limit // 3]
    wrong = [example for example in seen if example[2] != ENTAILMENT]
    share = max(0, options.limit - len(right))
    seen = right + wrong[(options.round - 1) * share : options.round * share]  # synonyms are the scarcer half
    counts = {label: sum(example[2] == label for example in seen) for label in range(4)}
    print(f"{len(seen)} replacement pairs {counts}, {len(unseen)} unseen, {len(truth)} with WordNet truth", flush=True)
    pairs_of_snli = snli(options.sources / "snli", "snli_1.0_train_subset.jsonl")
    test = snli(options.sources / "snli", "snli_1.0_test.jsonl")
    if options.start:
        others = random.Random(options.round).sample(pairs_of_snli[FIRST_STAGE_PAIRS:], options.snli)
        chosen = lengthened(others + seen, random.Random(options.round))
    else:
        chosen = pairs_of_snli[:FIRST_STAGE_PAIRS]
    batches = Batches(tokenizer, chosen)
    plan = batches.shuffled(6)
    head = [*network.dense.parameters(), *network.classes.parameters()]
    body = [parameter for parameter in network.encoder.parameters() if parameter.requires_grad]
    adam = torch.optim.AdamW(
        [{"params": head, "peak": 3e-4 if options.start else 1e-3}, {"params": body, "peak": 1e-4}],
        lr=1e-4,
        weight_decay=0.01,
    )
    options.output.mkdir(parents=True, exist_ok=True)
    network.train()
    began, running = time.time(), 1.0
    for step, indices in enumerate(plan):
        for group in adam.param_groups:
            group["lr"] = group["peak"] * min(1.0, (step + 1) / 100) * max(0.02, 1 - step / len(plan))
        ids, kinds, mask, labels = batches.tensors(indices)
        loss = loss_of(network(ids, kinds, mask), labels)
        loss.backward()
        nn.utils.clip_grad_norm_([*head, *body], 1.0)
        adam.step()
        adam.zero_grad()
        running = 0.99 * running + 0.01 * loss.item()
        if step % 50 == 0:
            left = (time.time() - began) / (step + 1) * (len(plan) - step - 1) / 60
            print(f"step {step}/{len(plan)} loss {running:.3f}, {left:.0f} minutes left", flush=True)
        if step % 400 == 399:
            print(figures(network, tokenizer, test[:1000], unseen[:1500], truth), flush=True)
            save_file(network.state_dict(), options.output / "entailment.safetensors")
    save_file(network.state_dict(), options.output / "entailment.safetensors")
    final = figures(network, tokenizer, test, unseen, truth)
    print(final, flush=True)
    save_file(network.state_dict(), options.output / "entailment.safetensors")
    (options.output / "figures.json").write_text(json.dumps(final, indent=2), "utf-8")


if __name__ == "__main__":
    main()
