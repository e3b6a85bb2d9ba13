"""Stage 3 of the masked LM: a head that says how a reader would take each word of the vocabulary in a gap.

Head and upper layers learn together from judgements, from what people gave as substitutes and from running text, so that
probabilities stay good. What the frozen lower layers say is computed once, by the graph that is shipped, and kept in a file.
"""

from __future__ import annotations

import argparse
import json
import pickle
import random
import time
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import torch
from safetensors.torch import load_file, save_file
from tokenizers import Tokenizer
from torch import Tensor, nn
from transformers import BertForMaskedLM

import corpus
import judgements
from encoders import bert_base_cased
from judgements import GOOD, SO_SO, Given, Judged
from lexprint.models.protocols import Gap
from masked_lm import (
    CLS,
    FROZEN_LAYERS,
    MASK,
    MASKED_SHARE,
    SEP,
    LowerLayers,
    chunks,
    mask,
    measure,
    predict,
    trainable,
)

WIDTH = 768
FITNESS_WIDTH = 384
LONGEST = 200  # tokens of both segments; longer ones cost more than they teach
BATCH_TOKENS = 4_000
OWN_SHARE = 0.35  # of the word itself in what P should be
PLAIN_EVERY = 6  # steps between two of running text


class FitnessHead(nn.Module):
    """Two logits for each word of the vocabulary, from the hidden state at the gap; `fitness_head.py` makes the one that is shipped.

    logit = sum_d u_d s_d T[v, d] + b[v]; the table T and the biases b come from the word vectors, so that words which nobody
    judged are treated like those that are near them.
    """

    def __init__(self, words: Tensor) -> None:
        super().__init__()
        self.register_buffer("words", nn.functional.layer_norm(words, (WIDTH,)))
        self.transform = nn.Linear(WIDTH, FITNESS_WIDTH)
        self.LayerNorm = nn.LayerNorm(FITNESS_WIDTH, eps=1e-12)
        self.straight = nn.Linear(WIDTH, FITNESS_WIDTH)
        self.bent = nn.Sequential(nn.Linear(WIDTH, 512), nn.GELU(), nn.Linear(512, FITNESS_WIDTH))
        self.scale = nn.Parameter(torch.full((2, FITNESS_WIDTH), 0.05))
        self.bias = nn.Sequential(nn.Linear(WIDTH, 128), nn.GELU(), nn.Linear(128, 2))
        self.dropout = nn.Dropout(0.1)
        with torch.no_grad():
            self.bias[-1].bias.copy_(torch.tensor([-1.4, -2.8]))  # one in five is acceptable, one in seventeen good

    def table(self, tokens: Tensor) -> Tensor:
        words = self.words[tokens]
        found: Tensor = self.straight(words) + self.bent(words)
        return found

    def forward(self, states: Tensor, tokens: Tensor) -> Tensor:
        """Logits (rows, 2) of one token for each state."""
        context = self.dropout(self.LayerNorm(nn.functional.gelu(self.transform(states))))  # (rows, D)
        product = context * self.table(tokens)
        found: Tensor = product @ self.scale.T + self.bias(self.words[tokens])
        return found


@dataclass(frozen=True, slots=True)
class Example:
    """[CLS] S [SEP] S with a gap [SEP]; verdicts of candidates by token, and what P should be there."""

    ids: tuple[int, ...]
    first_length: int
    verdicts: tuple[tuple[int, int], ...]  # token, verdict
    target: tuple[tuple[int, float], ...]  # token, probability
    weight: float = 1.0  # of the verdicts


class Encoder:
    """Gaps as the masked LM reads them."""

    def __init__(self, tokenizer: Tokenizer) -> None:
        self._tokenizer = tokenizer
        self.numbers: dict[str, int] = tokenizer.get_vocab()

    def _pieces(self, text: str) -> list[int]:
        return self._tokenizer.encode(text, add_special_tokens=False).ids

    def ids(self, gap: Gap) -> tuple[tuple[int, ...], int] | None:
        left, word, right = self._pieces(gap.left), self._pieces(gap.word), self._pieces(gap.right)
        if not word or 2 * (len(left) + len(right)) + len(word) + 4 > LONGEST:
            return None
        return (CLS, *left, *word, *right, SEP, *left, MASK, *right, SEP), len(left) + len(word) + len(right) + 2

    def judged(self, row: Judged) -> Example | None:
        found = self.ids(row.gap)
        verdicts = tuple((self.numbers[word], one) for word, one in row.verdicts.items() if word in self.numbers)
        if found is None or not verdicts:
            return None
        shares = {token: 1.0 if one == GOOD else 0.35 for token, one in verdicts if one >= SO_SO}
        return Example(*found, verdicts, self._target(row.gap.word, shares))

    def given(self, row: Given, *, weight: float) -> Example | None:
        found = self.ids(row.gap)
        most = max(row.counts.values())
        shares = {
            self.numbers[word]: float(count)
            for word, count in row.counts.items()
            if word in self.numbers and 4 * count >= most
        }
        if found is None or not shares:
            return None
        verdicts = tuple((token, SO_SO) for token, count in shares.items() if count > 1)
        return Example(*found, verdicts, self._target(row.gap.word, shares), weight=weight)

    def _target(self, word: str, shares: dict[int, float]) -> tuple[tuple[int, float], ...]:
        own = self.numbers.get(word)
        if not shares:
            return ()
        rest = 1.0 if own is None else 1.0 - OWN_SHARE
        total = sum(shares.values())
        target = {token: rest * share / total for token, share in shares.items()}
        if own is not None:
            target[own] = OWN_SHARE
        return tuple(target.items())


class Features:
    """What the lower layers say of an input, kept in a file that grows; computed when first asked for."""

    def __init__(self, lower: LowerLayers, path: Path) -> None:
        self._lower, self._path = lower, path
        self._places: dict[tuple[int, ...], int] = {}
        if path.with_suffix(".index").exists():
            self._places = pickle.loads(path.with_suffix(".index").read_bytes())  # our own file
        self._file = path.open("r+b" if path.exists() else "w+b")
        self._end = max((at + len(ids) for ids, at in self._places.items()), default=0)

    def __call__(self, examples: Sequence[Example]) -> list[np.ndarray]:
        groups: defaultdict[tuple[int, int], list[Example]] = defaultdict(list)
        for one in examples:
            if one.ids not in self._places:
                groups[len(one.ids), one.first_length].append(one)
        for (_, first), group in groups.items():
            ids = torch.tensor([one.ids for one in group])
            kinds = torch.zeros_like(ids)
            kinds[:, first:] = 1
            for one, hidden in zip(group, self._lower(ids, kinds).numpy(), strict=True):
                self._file.seek(2 * WIDTH * self._end)
                self._file.write(hidden.astype(np.float16).tobytes())
                self._places[one.ids] = self._end
                self._end += len(hidden)
        return [self._read(one.ids) for one in examples]

    def _read(self, ids: tuple[int, ...]) -> np.ndarray:
        self._file.seek(2 * WIDTH * self._places[ids])
        return np.frombuffer(self._file.read(2 * WIDTH * len(ids)), dtype=np.float16).reshape(len(ids), WIDTH)

    def save(self) -> None:
        self._file.flush()
        self._path.with_suffix(".index").write_bytes(pickle.dumps(self._places))


def gap_states(network: BertForMaskedLM, hidden: Tensor, lengths: Tensor, gaps: Tensor) -> Tensor:
    """The state at the gap of each input after the upper layers: (batch, width); inputs are padded to one length."""
    batch, tokens, width = hidden.shape
    present = torch.arange(tokens)[None] < lengths[:, None]
    bias = torch.zeros(batch, 1, 1, tokens).masked_fill(~present[:, None, None], -1e4)
    layers = network.bert.encoder.layer

    def heads(states: Tensor) -> Tensor:
        return states.view(batch, -1, 12, 64).transpose(1, 2)

    for number in range(FROZEN_LAYERS, 12):
        layer = layers[number]
        attention = layer.attention.self
        asked = hidden if number < 11 else hidden[torch.arange(batch), gaps][:, None]
        mixed = nn.functional.scaled_dot_product_attention(
            heads(attention.query(asked)),
            heads(attention.key(hidden)),
            heads(attention.value(hidden)),
            attn_mask=bias.to(hidden.dtype),
        )
        attended = layer.attention.output(mixed.transpose(1, 2).reshape(batch, -1, width), asked)
        hidden = layer.output(layer.intermediate(attended), attended)
    return hidden[:, 0]


@dataclass(frozen=True, slots=True)
class Batch:
    hidden: Tensor
    lengths: Tensor
    gaps: Tensor
    rows: Tensor  # of the state for each verdict
    tokens: Tensor
    verdicts: Tensor
    weights: Tensor
    target_rows: Tensor
    target_tokens: Tensor
    target_shares: Tensor


def make_batch(examples: Sequence[Example], features: Sequence[np.ndarray]) -> Batch:
    lengths = [len(one.ids) for one in examples]
    hidden = torch.zeros(len(examples), max(lengths), WIDTH)
    for row, values in enumerate(features):
        hidden[row, : len(values)] = torch.from_numpy(values.astype(np.float32))
    verdicts = [(row, *pair, one.weight) for row, one in enumerate(examples) for pair in one.verdicts]
    targets = [(row, *pair) for row, one in enumerate(examples) for pair in one.target]

    def column(rows: Sequence[tuple[float, ...]], at: int, kind: torch.dtype) -> Tensor:
        return torch.tensor([row[at] for row in rows], dtype=kind)

    return Batch(
        hidden,
        torch.tensor(lengths),
        torch.tensor([one.ids.index(MASK, one.first_length) for one in examples]),
        column(verdicts, 0, torch.long),
        column(verdicts, 1, torch.long),
        column(verdicts, 2, torch.float),
        column(verdicts, 3, torch.float),
        column(targets, 0, torch.long),
        column(targets, 1, torch.long),
        column(targets, 2, torch.float),
    )


def batches(examples: Sequence[Example], indices: Iterable[int], chooser: random.Random) -> list[list[int]]:
    """Inputs of about one length together, as many as make up the wanted number of tokens."""
    order = list(indices)
    chooser.shuffle(order)
    found: list[list[int]] = []
    for start in range(0, len(order), 2_048):
        near = sorted(order[start : start + 2_048], key=lambda index: len(examples[index].ids))
        group: list[int] = []
        for index in near:
            if group and (len(group) + 1) * len(examples[index].ids) > BATCH_TOKENS:
                found.append(group)
                group = []
            group.append(index)
        found.append(group)
    chooser.shuffle(found)
    return found


def area_under_curve(scores: np.ndarray, positive: np.ndarray) -> float:
    order = np.argsort(scores, kind="stable")
    ranks = np.empty(len(scores))
    ranks[order] = np.arange(1, len(scores) + 1)
    positives = int(positive.sum())
    return float((ranks[positive].sum() - positives * (positives + 1) / 2) / (positives * (len(scores) - positives)))


@torch.no_grad()
def judge(network: BertForMaskedLM, head: FitnessHead, examples: Sequence[Example], features: Features) -> np.ndarray:
    """Rows of (logit acceptable, logit good, log P, verdict), one for each verdict."""
    network.eval()
    head.eval()
    found = []
    for group in batches(examples, range(len(examples)), random.Random(0)):
        chosen = [examples[index] for index in group]
        batch = make_batch(chosen, features(chosen))
        states = gap_states(network, batch.hidden, batch.lengths, batch.gaps)
        logits = head(states[batch.rows], batch.tokens)
        log_p = network.cls(states).log_softmax(-1)[batch.rows, batch.tokens]
        found.append(torch.cat([logits, log_p[:, None], batch.verdicts[:, None]], dim=1).numpy())
    network.train()
    head.train()
    return np.concatenate(found)


def figures(rows: np.ndarray) -> dict[str, float]:
    verdicts = rows[:, 3]
    order = np.argsort(-rows[:, 0])
    top = order[: len(order) // 20]
    return {
        "auc_acceptable": area_under_curve(rows[:, 0], verdicts >= SO_SO),
        "auc_good": area_under_curve(rows[:, 1], verdicts == GOOD),
        "auc_acceptable_p": area_under_curve(rows[:, 2], verdicts >= SO_SO),
        "top5_acceptable": float((verdicts[top] >= SO_SO).mean()),
        "top5_good": float((verdicts[np.argsort(-rows[:, 1])[: len(top)]] == GOOD).mean()),
    }


def assemble(encoder: Encoder, options: argparse.Namespace, chooser: random.Random) -> list[Example]:
    """Judgements in whole and in local contexts, some of them seen from the other word, and what people gave."""
    found: list[Example | None] = []
    for row in judgements.read(options.judgements):
        near = replace(row, gap=judgements.local(row.gap))
        found.append(encoder.judged(near if chooser.random() < 0.45 else row))
        if not options.turned:
            continue
        others = list(judgements.turned(row))
        right = [one for one in others if max(one.verdicts.values()) >= SO_SO]
        wrong = [one for one in others if max(one.verdicts.values()) < SO_SO]
        for pool, share in ((right, 0.5), (wrong, 0.2)):
            if pool and chooser.random() < share:
                one = chooser.choice(pool)
                local = replace(one, gap=judgements.local(one.gap))
                found.append(encoder.judged(local if chooser.random() < 0.5 else one))
    if options.given:
        for row in judgements.given(options.given):
            if row.source.startswith("twsi"):  # by sense, not by sentence
                continue
            cut = replace(row, gap=judgements.local(row.gap)) if chooser.random() < 0.4 else row
            found.append(encoder.given(cut, weight=0.3))
    return [one for one in found if one is not None]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sources", type=Path)
    parser.add_argument("start", type=Path, help="checkpoint of the upper layers, with or without a fitness head")
    parser.add_argument("output", type=Path)
    parser.add_argument("--judgements", type=Path, nargs="+", required=True)
    parser.add_argument("--dev", type=Path, required=True)
    parser.add_argument("--features", type=Path, required=True, help="a file for what the lower layers say")
    parser.add_argument("--given", type=Path)
    parser.add_argument("--turned", action="store_true")
    parser.add_argument("--rounds", type=float, default=1)
    parser.add_argument("--layers-rate", type=float, default=6e-5)
    parser.add_argument("--head-rate", type=float, default=1e-3)
    parser.add_argument("--seed", type=int, default=71)
    parser.add_argument("--threads", type=int, default=torch.get_num_threads())
    options = parser.parse_args()
    torch.manual_seed(options.seed)
    torch.set_num_threads(options.threads)
    chooser = random.Random(options.seed)
    tokenizer = Tokenizer.from_file(str(next((options.sources / "bert").rglob("tokenizer.json"))))
    tokenizer.no_padding()
    tokenizer.no_truncation()
    network = bert_base_cased(options.sources / "bert")
    start = load_file(options.start)
    network.load_state_dict(
        {name: value for name, value in start.items() if not name.startswith("head.")}, strict=False
    )
    network.tie_weights()
    head = FitnessHead(network.bert.embeddings.word_embeddings.weight.detach().clone())
    kept = {name.removeprefix("head."): value for name, value in start.items() if name.startswith("head.")}
    if kept:
        head.load_state_dict(kept, strict=False)
    for module in network.modules():
        if isinstance(module, nn.Dropout):
            module.p = 0.1
    options.output.mkdir(parents=True, exist_ok=True)
    lower = LowerLayers(network, options.output / "lower.onnx")
    encoder = Encoder(tokenizer)
    examples = assemble(encoder, options, chooser)
    dev = [one for row in judgements.read([options.dev]) if (one := encoder.judged(row)) is not None]
    features = Features(lower, options.features)
    tokens = sum(len(one.ids) for one in examples)
    print(f"{len(examples)} examples, {tokens} tokens; {len(dev)} of dev", flush=True)

    for parameter in network.parameters():
        parameter.requires_grad_(False)
    groups: dict[float, list[Tensor]] = {options.head_rate: [*head.parameters()], options.layers_rate: []}
    for parameter in trainable(network).values():
        parameter.requires_grad_(True)
        groups[options.layers_rate].append(parameter)
    adam = torch.optim.AdamW(
        [{"params": parameters, "lr": rate, "peak": rate} for rate, parameters in groups.items()],
        betas=(0.9, 0.98),
        weight_decay=0.01,
        fused=True,
    )
    plan: list[list[int]] = []
    left = options.rounds
    while left > 0:
        one_round = batches(examples, range(len(examples)), chooser)
        plan += one_round[: round(len(one_round) * min(1.0, left))]
        left -= 1
    plain = len(plan) // PLAIN_EVERY + 1
    articles = corpus.wikipedia(options.sources / "wikipedia", held_out=False)
    chooser.shuffle(articles)
    running_text = chunks(tokenizer, articles, seed=options.seed, total=plain * 12)
    wiki = chunks(tokenizer, corpus.wikipedia(options.sources / "wikipedia", held_out=True), seed=8, total=96)
    generator = torch.Generator().manual_seed(options.seed)
    print(f"{len(plan)} steps; running text before: {measure(network, lower, wiki)}", flush=True)
    network.train()
    averages = np.zeros(3)
    began = time.time()

    def save() -> None:
        state = {name: tensor.detach().contiguous() for name, tensor in trainable(network).items()}
        state |= {f"head.{name}": value.contiguous() for name, value in head.state_dict().items() if name != "words"}
        save_file(state, options.output / "masked-lm.safetensors")

    for step, group in enumerate(plan):
        factor = min(1.0, (step + 1) / 80) * max(0.03, 1 - step / len(plan))
        for parameters in adam.param_groups:
            parameters["lr"] = parameters["peak"] * factor
        chosen = [examples[index] for index in group]
        batch = make_batch(chosen, features(chosen))
        with torch.autocast("cpu", dtype=torch.bfloat16):
            states = gap_states(network, batch.hidden, batch.lengths, batch.gaps)
            logits = network.cls(states)
        states = states.float()
        fits = head(states[batch.rows], batch.tokens)
        truth = torch.stack([batch.verdicts >= SO_SO, batch.verdicts == GOOD], dim=1).float()
        losses = nn.functional.binary_cross_entropy_with_logits(fits, truth, reduction="none")
        losses[:, 1] *= (batch.weights == 1.0).float()  # what people gave may be good or so-so
        fitness_loss = (losses.sum(1) * batch.weights).sum() / max(1, len(losses))
        log_p = logits.float().log_softmax(-1)
        p_loss = -(log_p[batch.target_rows, batch.target_tokens] * batch.target_shares).sum() / max(1, len(group))
        loss = fitness_loss + 0.12 * p_loss
        if step % PLAIN_EVERY == PLAIN_EVERY - 1:
            at = step // PLAIN_EVERY * 12
            piece = running_text[at : at + 12]
            if len(piece):
                inputs, gaps = mask(piece, generator, share=MASKED_SHARE)
                with torch.autocast("cpu", dtype=torch.bfloat16):
                    filled = predict(network, lower(inputs, torch.zeros_like(inputs)), gaps)
                loss = loss + 0.25 * nn.functional.cross_entropy(filled.float(), piece[gaps])
        loss.backward()
        nn.utils.clip_grad_norm_([p for g in adam.param_groups for p in g["params"]], 1.0)
        adam.step()
        adam.zero_grad()
        averages = averages * 0.98 + 0.02 * np.array([fitness_loss.item(), p_loss.item(), 1.0])
        if step % 40 == 0:
            minutes = (time.time() - began) / (step + 1) * (len(plan) - step - 1) / 60
            shown = averages[:2] / averages[2]
            print(
                f"step {step}/{len(plan)} fitness {shown[0]:.4f} P {shown[1]:.3f}, {minutes:.0f} min left", flush=True
            )
        if step % 300 == 299 or step == len(plan) - 1:
            save()
            features.save()
            print(json.dumps(figures(judge(network, head, dev[::3], features))), flush=True)
    final = {**figures(judge(network, head, dev, features)), **measure(network, lower, wiki)}
    print(json.dumps(final), flush=True)
    save()
    (options.output / "figures.json").write_text(json.dumps(final, indent=2), "utf-8")


if __name__ == "__main__":
    main()
