"""Stage 2 of the masked LM: its real job, to read a sentence and then propose synonyms for a word masked in its copy.

Targets are what the translation teacher would write, without antonyms and strangers; the word itself keeps a fixed share.
Gaps in running text go on in between, lest the network forget what it learned in stage 1.
"""

from __future__ import annotations

import argparse
import random
import time
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path

import torch
from safetensors.torch import load_file, save_file
from tokenizers import Tokenizer
from torch import Tensor, nn

import corpus
from encoders import bert_base_cased
from lexprint.substitution.exclusions import may_be_replaced
from lexprint.substitution.lexicon import agree, is_form_of_same_word
from masked_lm import (
    BATCH,
    CLS,
    MASK,
    MASKED_SHARE,
    SEP,
    LowerLayers,
    chunks,
    mask,
    measure,
    optimiser,
    predict,
    set_rate,
    trainable,
)
from replacements import UNSEEN_EVERY, Slot, Vectors, read_slots, relations, use_wordnet

OWN_SHARE = 0.3
MOST_GAPS = 4
SEQUENCES = 20
PLAIN_EVERY = 2  # every second step is running text


@dataclass(frozen=True)
class Example:
    """[CLS] S [SEP] S with gaps [SEP], and what should stand in each gap."""

    ids: list[int]
    first_length: int
    targets: list[dict[int, float]]


def target(slot: Slot, vectors: Vectors, numbers: dict[str, int]) -> dict[int, float] | None:
    """A distribution over tokens, or None where the teacher knows no other word."""
    weights: dict[int, float] = {}
    known = relations(slot.word)
    for word, probability in slot.others.items():
        if (
            word not in numbers
            or not may_be_replaced(word)
            or is_form_of_same_word(word, slot.word)
            or not agree(word, slot.word)
        ):
            continue
        cosine = vectors.cosine(slot.word, word)
        near = 0.0 if cosine is None else cosine
        if known.get(word) == "antonym" or near < -0.05 or probability < 0.002:
            continue
        synonym = 2.0 if known.get(word) == "synonym" else 1.0
        weights[numbers[word]] = synonym * probability**0.7 * 2.0 ** (4 * near)
    for word, relation in known.items():  # synonyms that are several pieces to the teacher, or too rare for it
        cosine = vectors.cosine(slot.word, word)
        if relation == "synonym" and word in numbers and cosine is not None and cosine > 0.5:
            weights.setdefault(numbers[word], 0.02 * 2.0 ** (4 * cosine))
    if not weights:
        return None
    total = sum(weights.values())
    found = {token: (1 - OWN_SHARE) * weight / total for token, weight in weights.items()}
    return {**found, numbers[slot.word]: OWN_SHARE}


def example(
    slots: list[Slot], tokenizer: Tokenizer, vectors: Vectors, numbers: dict[str, int], chooser: random.Random
) -> Example | None:
    chosen = chooser.sample(slots, min(MOST_GAPS, len(slots)))
    wanted = {
        slot.start: (slot, found)
        for slot in chosen
        if slot.word in numbers and (found := target(slot, vectors, numbers))
    }
    if not wanted:
        return None
    last = max(wanted)
    local = chooser.random() < 0.5
    text = slots[0].sentence[: wanted[last][0].local_end] if local else slots[0].sentence
    encoding = tokenizer.encode(text, add_special_tokens=False)
    masked, targets = list(encoding.ids), []
    for at, (start, _) in enumerate(encoding.offsets):
        if start in wanted and encoding.ids[at] == numbers[wanted[start][0].word]:
            masked[at] = MASK
            targets.append(wanted[start][1])
    if not targets or len(masked) > 70:
        return None
    return Example([CLS, *encoding.ids, SEP, *masked, SEP], len(encoding.ids) + 2, targets)


def batches(examples: list[Example], chooser: random.Random) -> list[list[Example]]:
    by_shape: dict[tuple[int, int], list[Example]] = defaultdict(list)
    for one in chooser.sample(examples, len(examples)):
        by_shape[len(one.ids), one.first_length].append(one)
    found = [group[at : at + SEQUENCES] for group in by_shape.values() for at in range(0, len(group), SEQUENCES)]
    return chooser.sample(found, len(found))


def distil(network: nn.Module, lower: LowerLayers, batch: list[Example]) -> Tensor:
    """Cross-entropy with the targets at every gap."""
    ids = torch.tensor([one.ids for one in batch])
    kinds = torch.zeros_like(ids)
    kinds[:, batch[0].first_length :] = 1
    log_probabilities = predict(network, lower(ids, kinds), ids == MASK).log_softmax(-1)  # (gaps, vocabulary)
    rows = [one for entry in batch for one in entry.targets]
    loss = log_probabilities.new_zeros(())
    for row, distribution in enumerate(rows):
        tokens = torch.tensor(list(distribution))
        loss = loss - (log_probabilities[row, tokens] * torch.tensor(list(distribution.values()))).sum()
    return loss / len(rows)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sources", type=Path)
    parser.add_argument("teacher", type=Path)
    parser.add_argument("start", type=Path)
    parser.add_argument("output", type=Path)
    parser.add_argument("--rounds", type=int, default=1)
    options = parser.parse_args()
    torch.manual_seed(3)
    use_wordnet(options.sources)
    vectors = Vectors(options.sources)
    tokenizer = Tokenizer.from_file(str(next((options.sources / "bert").rglob("tokenizer.json"))))
    tokenizer.no_padding()
    tokenizer.no_truncation()
    numbers = tokenizer.get_vocab()
    network = bert_base_cased(options.sources / "bert")
    network.load_state_dict(load_file(options.start), strict=False)
    for module in network.modules():
        if isinstance(module, nn.Dropout):
            module.p = 0.0
    options.output.mkdir(parents=True, exist_ok=True)
    lower = LowerLayers(network, options.output / "lower.onnx")
    chooser = random.Random(51)
    everything = read_slots(options.teacher, stop_words=frozenset())
    spoken = [usable for slots in everything if (usable := [slot for slot in slots if may_be_replaced(slot.word)])]
    seen = [slots for number, slots in enumerate(spoken) if number % UNSEEN_EVERY]
    unseen = [
        one
        for number, slots in enumerate(spoken)
        if number % UNSEEN_EVERY == 0 and (one := example(slots, tokenizer, vectors, numbers, chooser))
    ]
    plan: list[list[Example] | None] = []
    for _ in range(options.rounds):
        made = [one for slots in seen if (one := example(slots, tokenizer, vectors, numbers, chooser))]
        for batch in batches(made, chooser):
            plan += [batch, None] if len(plan) % PLAIN_EVERY == PLAIN_EVERY - 2 else [batch]
    plain = sum(batch is None for batch in plan)
    articles = corpus.wikipedia(options.sources / "wikipedia", held_out=False)
    running_text = chunks(tokenizer, random.Random(53).sample(articles, len(articles)), seed=54, total=plain * BATCH)
    wiki = chunks(tokenizer, corpus.wikipedia(options.sources / "wikipedia", held_out=True), seed=8, total=320)
    adam = optimiser(network, head=2e-4, layers=7e-5)
    generator = torch.Generator().manual_seed(55)
    print(f"{len(plan)} steps, {plain} of them running text; {len(unseen)} unseen examples", flush=True)
    network.train()
    began, average, taken = time.time(), 0.0, 0
    for step, batch in enumerate(plan):
        set_rate(adam, step, len(plan), warm_up=30)
        if batch is None:
            piece = running_text[taken * BATCH : (taken + 1) * BATCH]
            taken += 1
            inputs, gaps = mask(piece, generator, share=MASKED_SHARE)
            loss = nn.functional.cross_entropy(
                predict(network, lower(inputs, torch.zeros_like(inputs)), gaps), piece[gaps]
            )
        else:
            loss = distil(network, lower, batch)
            average = 0.97 * average + 0.03 * loss.item() if average else loss.item()
        loss.backward()
        nn.utils.clip_grad_norm_([p for g in adam.param_groups for p in g["params"]], 1.0)
        adam.step()
        adam.zero_grad()
        if step % 40 == 0:
            left = (time.time() - began) / (step + 1) * (len(plan) - step - 1) / 60
            print(f"step {step}/{len(plan)} distilled {average:.3f}, {left:.0f} minutes left", flush=True)
        if step % 250 == 249 or step == len(plan) - 1:
            state = {name: tensor.detach().contiguous() for name, tensor in trainable(network).items()}
            save_file(state, options.output / "masked-lm.safetensors")
            with torch.no_grad():
                held = [distil(network, lower, one) for one in batches(unseen, random.Random(1))[:20]]
            print(f"unseen distilled {torch.stack(held).mean():.3f}", measure(network, lower, wiki[:96]), flush=True)
    print(measure(network, lower, wiki), flush=True)


if __name__ == "__main__":
    main()
