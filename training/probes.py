"""Stage 3 of the masked LM: probes, tokens that read a sentence without being read.

A probe stands at the place of a word. A mask as a probe asks what may stand there; a candidate as a probe asks whether readers would
accept it there. The sentence is read once for all the words in it, and a candidate meets it in every layer for the price of one
token. All layers learn together from judgements, from what people gave as substitutes and from running text; every few steps the
network reads pairs (S, S masked) as the paper does, so that it stays good at that too.
"""

from __future__ import annotations

import argparse
import json
import random
import time
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
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
from masked_lm import CLS, MASK, MASKED_SHARE, SEP, chunks, mask

WIDTH = 768
LONGEST = 120  # tokens of a sentence; longer ones cost more than they teach
BATCH_TOKENS = 1_500
UNTOUCHED_LAYERS = 2  # the lowest, which know letters and forms
PAIR_TOKENS = 1_800
OWN_SHARE = 0.35  # of the word itself in what P should be
PAIRS_EVERY, PLAIN_EVERY = 7, 9  # steps between two of pairs, of running text
PLAIN_CHUNKS = 10
P_WEIGHT = 0.12
GIVEN_WEIGHT = 0.3
LOCAL_SHARE = 0.35
AVERAGED_STEPS = (
    100  # what is kept is an average over about so many of the last steps, which generalises better than the last one
)

Target = tuple[tuple[int, float], ...]


@dataclass(frozen=True, slots=True)
class Question:
    """A word of a sentence: verdicts of candidates by token, and what P should be there."""

    place: int  # of its first piece
    verdicts: tuple[tuple[int, int], ...]
    target: Target
    weight: float = 1.0  # of the verdicts


@dataclass(frozen=True, slots=True)
class Example:
    """[CLS] S [SEP] and what is asked of its words."""

    ids: tuple[int, ...]
    questions: tuple[Question, ...]

    @property
    def tokens(self) -> int:
        return len(self.ids) + sum(1 + len(one.verdicts) for one in self.questions)


@dataclass
class Batch:
    ids: Tensor  # (batch, longest)
    kinds: Tensor
    lengths: Tensor
    probes: Tensor  # (batch, most)
    places: Tensor
    counts: Tensor  # of probes
    asked: dict[str, Tensor] = field(default_factory=dict)


class Encoder:
    """Sentences as the masked LM reads them."""

    def __init__(self, tokenizer: Tokenizer) -> None:
        self._tokenizer = tokenizer
        self.numbers: dict[str, int] = tokenizer.get_vocab()

    def pieces(self, text: str) -> list[int]:
        return self._tokenizer.encode(text, add_special_tokens=False).ids

    def sentence(self, gap: Gap) -> tuple[tuple[int, ...], int] | None:
        """Its tokens and the place of the word."""
        left, word, right = self.pieces(gap.left), self.pieces(gap.word), self.pieces(gap.right)
        if not word or len(left) + len(word) + len(right) + 2 > LONGEST:
            return None
        return (CLS, *left, *word, *right, SEP), 1 + len(left)

    def pair(self, gap: Gap) -> tuple[tuple[int, ...], int]:
        """(S, S masked), and the length of the first."""
        left, word, right = self.pieces(gap.left), self.pieces(gap.word), self.pieces(gap.right)
        return (CLS, *left, *word, *right, SEP, *left, MASK, *right, SEP), len(left) + len(word) + len(right) + 2

    def of_judged(self, row: Judged) -> tuple[tuple[tuple[int, float], ...], tuple[tuple[int, int], ...]]:
        verdicts = tuple((self.numbers[word], one) for word, one in row.verdicts.items() if word in self.numbers)
        shares = {token: 1.0 if one == GOOD else 0.35 for token, one in verdicts if one >= SO_SO}
        return self.target(row.gap.word, shares), verdicts

    def of_given(self, row: Given) -> tuple[tuple[tuple[int, float], ...], tuple[tuple[int, int], ...]]:
        most = max(row.counts.values())
        shares = {
            self.numbers[word]: float(count)
            for word, count in row.counts.items()
            if word in self.numbers and 4 * count >= most
        }
        return self.target(row.gap.word, shares), tuple((token, SO_SO) for token, count in shares.items() if count > 1)

    def target(self, word: str, shares: dict[int, float]) -> Target:
        own = self.numbers.get(word)
        if not shares:
            return ()
        rest = 1.0 if own is None else 1.0 - OWN_SHARE
        total = sum(shares.values())
        target = {token: rest * share / total for token, share in shares.items()}
        if own is not None:
            target[own] = OWN_SHARE
        return tuple(target.items())


class ProbeHead(nn.Module):
    """Two logits from the state of a candidate's probe: acceptable, good."""

    def __init__(self) -> None:
        super().__init__()
        self.dropout = nn.Dropout(0.1)
        self.verdict = nn.Linear(WIDTH, 2)
        with torch.no_grad():
            self.verdict.weight.mul_(0.3)
            self.verdict.bias.copy_(torch.tensor([-1.4, -2.8]))  # one in five is acceptable, one in seventeen good

    def forward(self, states: Tensor) -> Tensor:
        logits: Tensor = self.verdict(self.dropout(states))
        return logits


def read(network: BertForMaskedLM, batch: Batch) -> tuple[Tensor, Tensor]:
    """States of the sentences' tokens and of the probes, which see the sentence and nobody sees.

    Dense layers treat tokens end to end, without what fills up the shorter inputs; only attention goes by input.
    """
    bert = network.bert
    count, longest = batch.ids.shape
    here = torch.cat(
        [
            torch.arange(longest)[None] < batch.lengths[:, None],
            torch.arange(batch.probes.shape[1])[None] < batch.counts[:, None],
        ],
        dim=1,
    )
    tokens = torch.cat([batch.ids, batch.probes], dim=1)
    kinds = torch.cat([batch.kinds, torch.ones_like(batch.probes)], dim=1)
    places = torch.cat([torch.arange(longest).expand(count, -1), batch.places], dim=1)
    hidden = bert.embeddings(
        input_ids=tokens[here][None], token_type_ids=kinds[here][None], position_ids=places[here][None]
    )[0]
    rows = torch.zeros_like(tokens).masked_scatter(here, torch.arange(len(hidden)))  # (batch, longest + most)
    bias = torch.zeros(count, 1, 1, longest).masked_fill(~here[:, None, None, :longest], -1e4)

    def heads(states: Tensor, at: Tensor) -> Tensor:
        return states[at].view(count, -1, 12, 64).transpose(1, 2)

    for layer in bert.encoder.layer:
        attention = layer.attention.self
        query, key, value = attention.query(hidden), attention.key(hidden), attention.value(hidden)
        mixed = nn.functional.scaled_dot_product_attention(
            heads(query, rows),
            heads(key, rows[:, :longest]),
            heads(value, rows[:, :longest]),
            attn_mask=bias.to(query.dtype),
        )
        mixed = mixed.transpose(1, 2).reshape(count, -1, WIDTH)[here]
        attended = layer.attention.output(mixed, hidden)
        hidden = layer.output(layer.intermediate(attended), attended)
    states = hidden[rows]
    return states[:, :longest], states[:, longest:]


def make_batch(examples: Sequence[Example]) -> Batch:
    longest, most = max(len(one.ids) for one in examples), max(one.tokens - len(one.ids) for one in examples)
    ids, probes, places = (torch.zeros(len(examples), width, dtype=torch.long) for width in (longest, most, most))
    verdicts: list[tuple[int, int, float, float]] = []  # row, column, verdict, weight
    gaps: list[tuple[int, int]] = []
    targets: list[tuple[int, int, float]] = []
    for row, one in enumerate(examples):
        ids[row, : len(one.ids)] = torch.tensor(one.ids)
        column = 0
        for question in one.questions:
            probes[row, column], places[row, column] = MASK, question.place
            targets += [(len(gaps), token, share) for token, share in question.target]
            gaps.append((row, column))
            column += 1
            for token, verdict in question.verdicts:
                probes[row, column], places[row, column] = token, question.place
                verdicts.append((row, column, verdict, question.weight))
                column += 1
    asked = {
        "verdict_rows": torch.tensor([one[:2] for one in verdicts]).reshape(-1, 2),
        "verdicts": torch.tensor([one[2] for one in verdicts]),
        "weights": torch.tensor([one[3] for one in verdicts]),
        "gaps": torch.tensor(gaps),
        "target_rows": torch.tensor([one[0] for one in targets], dtype=torch.long),
        "target_tokens": torch.tensor([one[1] for one in targets], dtype=torch.long),
        "target_shares": torch.tensor([one[2] for one in targets]),
    }
    lengths = torch.tensor([len(one.ids) for one in examples])
    counts = torch.tensor([one.tokens - len(one.ids) for one in examples])
    return Batch(ids, torch.zeros_like(ids), lengths, probes, places, counts, asked)


def pair_batch(pairs: Sequence[tuple[tuple[int, ...], int]]) -> Batch:
    longest = max(len(ids) for ids, _ in pairs)
    ids, kinds = torch.zeros(len(pairs), longest, dtype=torch.long), torch.zeros(len(pairs), longest, dtype=torch.long)
    for row, (one, first) in enumerate(pairs):
        ids[row, : len(one)] = torch.tensor(one)
        kinds[row, first : len(one)] = 1
    nothing = torch.zeros(len(pairs), 0, dtype=torch.long)
    return Batch(ids, kinds, torch.tensor([len(one) for one, _ in pairs]), nothing, nothing, no_probes(pairs))


def no_probes(rows: Sequence[object] | Tensor) -> Tensor:
    return torch.zeros(len(rows), dtype=torch.long)


def batches(examples: Sequence[Example], chooser: random.Random) -> list[list[Example]]:
    """Sentences of about one length together, as many as make up the wanted number of tokens."""
    order = chooser.sample(examples, len(examples))
    found: list[list[Example]] = []
    for start in range(0, len(order), 1_024):
        near = sorted(order[start : start + 1_024], key=lambda one: one.tokens + len(one.ids))
        group: list[Example] = []
        size = 0
        for one in near:
            if group and size + one.tokens > BATCH_TOKENS:
                found.append(group)
                group, size = [], 0
            group.append(one)
            size += one.tokens
        found.append(group)
    return chooser.sample(found, len(found))


def examples_of(
    encoder: Encoder, rows: Iterable[tuple[Gap, Target, tuple[tuple[int, int], ...], float]]
) -> list[Example]:
    """Questions about one sentence together, no more than some ten."""
    together: defaultdict[tuple[int, ...], list[Question]] = defaultdict(list)
    for gap, target, verdicts, weight in rows:
        found = encoder.sentence(gap)
        if found is not None and (verdicts or target):
            together[found[0]].append(Question(found[1], verdicts, target, weight))
    examples = []
    for ids, questions in together.items():
        examples += [Example(ids, tuple(questions[at : at + 8])) for at in range(0, len(questions), 8)]
    return examples


def one_round(
    encoder: Encoder, judged: Sequence[Judged], given: Sequence[Given], chooser: random.Random
) -> list[Example]:
    """Judgements in whole and in local contexts, some seen from the other word, and a part of what people gave."""
    whole, local = [], []
    for row in judged:
        target, verdicts = encoder.of_judged(row)
        whole.append((row.gap, target, verdicts, 1.0))
        if chooser.random() < LOCAL_SHARE:
            local.append((judgements.local(row.gap), target, verdicts, 1.0))
        others = list(judgements.turned(row))
        right = [one for one in others if max(one.verdicts.values()) >= SO_SO]
        wrong = [one for one in others if max(one.verdicts.values()) < SO_SO]
        for pool, share in ((right, 0.2), (wrong, 0.07)):
            if pool and chooser.random() < share:
                one = chooser.choice(pool)
                gap = judgements.local(one.gap) if chooser.random() < 0.3 else one.gap
                local.append((gap, *encoder.of_judged(one), 1.0))
    for row in given:
        cut = judgements.local(row.gap) if chooser.random() < 0.25 else row.gap
        local.append((cut, *encoder.of_given(row), GIVEN_WEIGHT))
    return examples_of(encoder, [*whole, *local])


def area_under_curve(scores: np.ndarray, positive: np.ndarray) -> float:
    order = np.argsort(scores, kind="stable")
    ranks = np.empty(len(scores))
    ranks[order] = np.arange(1, len(scores) + 1)
    positives = int(positive.sum())
    return float((ranks[positive].sum() - positives * (positives + 1) / 2) / (positives * (len(scores) - positives)))


@torch.no_grad()
def judge(network: BertForMaskedLM, head: ProbeHead, examples: Sequence[Example]) -> np.ndarray:
    """Rows of (logit acceptable, logit good, log P, verdict), one for each verdict."""
    network.eval()
    head.eval()
    found = []
    for group in batches(examples, random.Random(0)):
        batch = make_batch(group)
        with torch.autocast("cpu", dtype=torch.bfloat16):
            _, states = read(network, batch)
        states = states.float()
        at = batch.asked["verdict_rows"]
        if not len(at):
            continue
        logits = head(states[at[:, 0], at[:, 1]])
        gaps = batch.asked["gaps"]
        log_p = network.cls(states[gaps[:, 0], gaps[:, 1]]).log_softmax(-1)
        number = {tuple(gap): index for index, gap in enumerate(gaps.tolist())}
        columns = []
        for row, column in at.tolist():  # a candidate's mask is the last before it
            before = column
            while (row, before) not in number:
                before -= 1
            columns.append(number[row, before])
        tokens = batch.probes[at[:, 0], at[:, 1]]
        own = log_p[torch.tensor(columns), tokens]
        found.append(torch.cat([logits, own[:, None], batch.asked["verdicts"][:, None].float()], dim=1).numpy())
    network.train()
    head.train()
    return np.concatenate(found)


def figures(rows: np.ndarray) -> dict[str, float]:
    verdicts = rows[:, 3]
    both = rows[:, 0] + rows[:, 1] + 0.5 * rows[:, 2]
    top = len(rows) // 20
    return {
        "auc_acceptable": area_under_curve(rows[:, 0], verdicts >= SO_SO),
        "auc_good": area_under_curve(rows[:, 1], verdicts == GOOD),
        "auc_acceptable_p": area_under_curve(rows[:, 2], verdicts >= SO_SO),
        "auc_acceptable_both": area_under_curve(both, verdicts >= SO_SO),
        "auc_good_both": area_under_curve(both, verdicts == GOOD),
        "top5_acceptable": float((verdicts[np.argsort(-rows[:, 0])[:top]] >= SO_SO).mean()),
        "top5_acceptable_both": float((verdicts[np.argsort(-both)[:top]] >= SO_SO).mean()),
        "top5_good_both": float((verdicts[np.argsort(-both)[:top]] == GOOD).mean()),
    }


@torch.no_grad()
def running_text(network: BertForMaskedLM, pieces: Tensor) -> float:
    """Top-1 accuracy with 15 % of the tokens masked."""
    network.eval()
    generator = torch.Generator().manual_seed(7)
    right = total = 0
    for batch in pieces.split(16):
        gaps = (torch.rand(batch.shape, generator=generator) < 0.15) & (batch != CLS) & (batch != SEP)
        states, _ = read(network, plain_batch(batch.masked_fill(gaps, MASK)))
        hits = network.cls(states[gaps]).argmax(-1) == batch[gaps]
        right, total = right + int(hits.sum()), total + len(hits)
    network.train()
    return right / total


def plain_batch(ids: Tensor) -> Batch:
    nothing = torch.zeros(len(ids), 0, dtype=torch.long)
    return Batch(ids, torch.zeros_like(ids), torch.full((len(ids),), ids.shape[1]), nothing, nothing, no_probes(ids))


def soft_loss(logits: Tensor, rows: Tensor, tokens: Tensor, shares: Tensor) -> Tensor:
    log_p = logits.float().log_softmax(-1)
    return -(log_p[rows, tokens] * shares).sum() / max(1, len(logits))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sources", type=Path)
    parser.add_argument("start", type=Path, help="checkpoint, with or without a head")
    parser.add_argument("output", type=Path)
    parser.add_argument("--judgements", type=Path, nargs="+", required=True)
    parser.add_argument("--dev", type=Path, required=True)
    parser.add_argument("--given", type=Path, required=True)
    parser.add_argument("--given-share", type=float, default=0.12, help="of what people gave, in each round")
    parser.add_argument("--rounds", type=float, default=3)
    parser.add_argument("--first", type=float, default=1.0, help="factor of the rates at the beginning")
    parser.add_argument("--last", type=float, default=0.03, help="and at the end")
    parser.add_argument("--layers-rate", type=float, default=5e-5)
    parser.add_argument("--head-rate", type=float, default=1e-3)
    parser.add_argument("--minutes", type=float, default=1e9, help="the schedule ends by then")
    parser.add_argument("--seed", type=int, default=71)
    options = parser.parse_args()
    torch.manual_seed(options.seed)
    chooser = random.Random(options.seed)
    tokenizer = Tokenizer.from_file(str(next((options.sources / "bert").rglob("tokenizer.json"))))
    tokenizer.no_padding()
    tokenizer.no_truncation()
    network = bert_base_cased(options.sources / "bert")
    head = ProbeHead()
    start = load_file(options.start)
    network.load_state_dict({name: one for name, one in start.items() if not name.startswith("head.")}, strict=False)
    network.tie_weights()
    kept = {name.removeprefix("head."): one for name, one in start.items() if name.startswith("head.verdict")}
    if kept:
        head.load_state_dict(kept)
    for module in network.modules():
        if isinstance(module, nn.Dropout):
            module.p = 0.1
    options.output.mkdir(parents=True, exist_ok=True)
    encoder = Encoder(tokenizer)
    judged = list(judgements.read(options.judgements))
    given = [row for row in judgements.given(options.given) if not row.source.startswith("twsi")]  # those are by sense
    dev_rows = [(row.gap, *encoder.of_judged(row), 1.0) for row in judgements.read([options.dev])]
    dev = examples_of(encoder, dev_rows)
    print(f"{len(judged)} judged, {len(given)} given, {len(dev)} sentences of dev", flush=True)
    for parameter in network.parameters():
        parameter.requires_grad_(False)
    layers = tuple(f"bert.encoder.layer.{layer}." for layer in range(UNTOUCHED_LAYERS, 12))
    trained = {
        name: tensor
        for name, tensor in network.state_dict(keep_vars=True).items()
        if name.startswith(("cls.predictions.transform", "cls.predictions.bias", *layers))
    }
    for parameter in trained.values():
        parameter.requires_grad_(True)
    adam = torch.optim.AdamW(
        [
            {"params": [*head.parameters()], "peak": options.head_rate},
            {"params": [*trained.values()], "peak": options.layers_rate},
        ],
        lr=options.layers_rate,
        betas=(0.9, 0.98),
        weight_decay=0.01,
        fused=True,
    )
    plan: list[list[Example]] = []
    left = options.rounds
    while left > 0:
        some = chooser.sample(given, round(len(given) * options.given_share))
        made = batches(one_round(encoder, judged, some, chooser), chooser)
        plan += made[: round(len(made) * min(1.0, left))]
        left -= 1
    articles = corpus.wikipedia(options.sources / "wikipedia", held_out=False)
    chooser.shuffle(articles)
    plain = chunks(tokenizer, articles[:1500], seed=options.seed, total=(len(plan) // PLAIN_EVERY + 1) * PLAIN_CHUNKS)
    wiki = chunks(tokenizer, corpus.wikipedia(options.sources / "wikipedia", held_out=True), seed=8, total=48)
    generator = torch.Generator().manual_seed(options.seed)
    tokens = sum(one.tokens for group in plan for one in group)
    print(f"{len(plan)} steps, {tokens} tokens; running text before: {running_text(network, wiki):.3f}", flush=True)
    print(json.dumps(figures(judge(network, head, dev[::4]))), flush=True)
    network.train()
    averages = np.zeros(3)
    began = time.time()
    learned = {**trained, **{f"head.{name}": value for name, value in head.state_dict(keep_vars=True).items()}}
    averaged = {name: value.detach().clone() for name, value in learned.items()}

    def exchange() -> None:
        """Put the averages in place of the weights, or back."""
        with torch.no_grad():
            for name, value in learned.items():
                kept = averaged[name].clone()
                averaged[name].copy_(value)
                value.copy_(kept)

    def save_and_measure(examples: Sequence[Example]) -> dict[str, float]:
        exchange()
        save_file(
            {name: value.detach().clone() for name, value in learned.items()}, options.output / "masked-lm.safetensors"
        )
        found = {**figures(judge(network, head, examples)), "running_text": running_text(network, wiki)}
        exchange()
        print(json.dumps(found), flush=True)
        return found

    for step, group in enumerate(plan):
        spent = (time.time() - began) / 60
        done = max(step / len(plan), spent / options.minutes)
        if done >= 1:
            break
        factor = min(1.0, (step + 1) / 60) * (options.first + (options.last - options.first) * done)
        for parameters in adam.param_groups:
            parameters["lr"] = parameters["peak"] * factor
        batch = make_batch(group)
        asked = batch.asked
        with torch.autocast("cpu", dtype=torch.bfloat16):
            _, states = read(network, batch)
            logits = network.cls(states[asked["gaps"][:, 0], asked["gaps"][:, 1]])
        p_loss = soft_loss(logits, asked["target_rows"], asked["target_tokens"], asked["target_shares"])
        loss = P_WEIGHT * p_loss
        fitness_loss = torch.tensor(0.0)
        if len(asked["verdicts"]):
            at = asked["verdict_rows"]
            fits = head(states[at[:, 0], at[:, 1]].float())
            truth = torch.stack([asked["verdicts"] >= SO_SO, asked["verdicts"] == GOOD], dim=1).float()
            losses = nn.functional.binary_cross_entropy_with_logits(fits, truth, reduction="none")
            losses[:, 1] *= (asked["weights"] == 1.0).float()  # what people gave may be good or so-so
            fitness_loss = (losses.sum(1) * asked["weights"]).sum() / len(losses)
            loss = loss + fitness_loss
        loss.backward()
        if step % PAIRS_EVERY == PAIRS_EVERY - 1:
            rows, size = [], 0
            while size < PAIR_TOKENS:
                row = chooser.choice(judged if chooser.random() < 0.6 else given)
                gap = judgements.local(row.gap) if chooser.random() < 0.5 else row.gap
                target = (encoder.of_judged(row) if isinstance(row, Judged) else encoder.of_given(row))[0]
                if target and encoder.sentence(gap):
                    rows.append((encoder.pair(gap), target))
                    size += len(rows[-1][0][0])
            pairs = pair_batch([one for one, _ in rows])
            with torch.autocast("cpu", dtype=torch.bfloat16):
                states, _ = read(network, pairs)
                gap_states = states[
                    torch.arange(len(rows)), torch.tensor([ids.index(MASK, first) for (ids, first), _ in rows])
                ]
                logits = network.cls(gap_states)
            flat = [(row, *pair) for row, (_, target) in enumerate(rows) for pair in target]
            columns = [torch.tensor([one[at] for one in flat]) for at in range(3)]
            (PAIRS_EVERY * P_WEIGHT / 2 * soft_loss(logits, *columns)).backward()
        if step % PLAIN_EVERY == PLAIN_EVERY - 1:
            at = step // PLAIN_EVERY * PLAIN_CHUNKS
            whole = plain[at : at + PLAIN_CHUNKS]
            if len(whole):
                inputs, gaps = mask(whole, generator, share=MASKED_SHARE)
                with torch.autocast("cpu", dtype=torch.bfloat16):
                    states, _ = read(network, plain_batch(inputs))
                    logits = network.cls(states[gaps])
                (0.3 * nn.functional.cross_entropy(logits.float(), whole[gaps])).backward()
        nn.utils.clip_grad_norm_([p for g in adam.param_groups for p in g["params"]], 1.0)
        adam.step()
        adam.zero_grad()
        share = 1 / min(step + 2, AVERAGED_STEPS)
        with torch.no_grad():
            for name, value in learned.items():
                averaged[name].lerp_(value, share)
        averages = averages * 0.98 + 0.02 * np.array([fitness_loss.item(), p_loss.item(), 1.0])
        if step % 20 == 0:
            minutes = (time.time() - began) / (step + 1) * (len(plan) - step - 1) / 60
            shown = averages[:2] / averages[2]
            print(
                f"step {step}/{len(plan)} fitness {shown[0]:.4f} P {shown[1]:.3f}, {minutes:.0f} min left", flush=True
            )
        if step % 150 == 149:
            save_and_measure(dev[::4])
    final = save_and_measure(dev)
    (options.output / "figures.json").write_text(json.dumps(final, indent=2), "utf-8")


if __name__ == "__main__":
    main()
