"""Stage 1 of the masked LM: a new head and the upper layers, trained to fill gaps in running text.

The lower layers stay as they are, so they run as the very int8 graph that is shipped, at twice the speed of torch.
"""

from __future__ import annotations

import argparse
import json
import random
import time
from pathlib import Path

import onnxruntime
import torch
from safetensors.torch import load_file, save_file
from tokenizers import Tokenizer
from torch import Tensor, nn
from transformers import BertForMaskedLM

import corpus
import graphs
from encoders import bert_base_cased

FROZEN_LAYERS = 8
CLS, SEP, MASK = 101, 102, 103
CHUNK = 96  # tokens, special ones included
BATCH = 16
MASKED_SHARE = 0.2


class LowerLayers:
    """The frozen part, as it is shipped."""

    def __init__(self, network: BertForMaskedLM, path: Path) -> None:
        weights = {name: tensor.detach().numpy() for name, tensor in network.state_dict().items()}
        model = graphs.lower_layers(weights, layers=FROZEN_LAYERS)
        path.write_bytes(model.SerializeToString())
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = torch.get_num_threads()
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")  # torch needs the cores in between
        self._session = onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])

    def __call__(self, input_ids: Tensor, token_type_ids: Tensor) -> Tensor:
        feed = {"input_ids": input_ids.numpy(), "token_type_ids": token_type_ids.numpy()}
        return torch.from_numpy(self._session.run(None, feed)[0])


def predict(network: BertForMaskedLM, hidden: Tensor, gaps: Tensor) -> Tensor:
    """Logits at the `gaps` (a boolean mask over batch and tokens), from hidden states of the lower layers.

    In the last layer only the gaps are asked for, which saves most of its arithmetic.
    """
    layers = network.bert.encoder.layer
    for layer in layers[FROZEN_LAYERS:-1]:
        output = layer(hidden)
        hidden = output[0] if isinstance(output, tuple) else output
    last = layers[-1]
    attention = last.attention.self
    batch, _, width = hidden.shape

    def heads(states: Tensor) -> Tensor:
        return states.view(batch, -1, 12, 64).transpose(1, 2)

    count = int(gaps.sum(1).max())
    order = torch.argsort(gaps.int(), dim=1, descending=True, stable=True)[:, :count]  # (batch, count), gaps first
    asked = torch.gather(hidden, 1, order[..., None].expand(-1, -1, width))
    mixed = nn.functional.scaled_dot_product_attention(
        heads(attention.query(asked)), heads(attention.key(hidden)), heads(attention.value(hidden))
    )
    attended = last.attention.output(mixed.transpose(1, 2).reshape(batch, count, width), asked)
    states = last.output(last.intermediate(attended), attended)
    return network.cls(states[torch.gather(gaps, 1, order)])  # (gaps, vocabulary), row by row


def chunks(tokenizer: Tokenizer, texts: list[str], *, seed: int, total: int, length: int = CHUNK) -> Tensor:
    """`total` pieces of running text, [CLS] ... [SEP], shuffled: (total, length)."""
    chooser = random.Random(seed)
    pieces: list[list[int]] = []
    for start in range(0, len(texts), 64):
        for encoding in tokenizer.encode_batch(texts[start : start + 64], add_special_tokens=False):
            ids = encoding.ids
            body = length - 2
            pieces += [[CLS, *ids[at : at + body], SEP] for at in range(0, len(ids) - body, body)]
        if len(pieces) > total:
            break
    chooser.shuffle(pieces)
    return torch.tensor(pieces[:total])


def mask(batch: Tensor, generator: torch.Generator, *, share: float) -> tuple[Tensor, Tensor]:
    """Inputs with gaps, and where the gaps are; a few gaps show a random word or the word itself."""
    gaps = torch.rand(batch.shape, generator=generator) < share
    gaps &= (batch != CLS) & (batch != SEP)
    kind = torch.rand(batch.shape, generator=generator)
    inputs = batch.clone()
    inputs[gaps & (kind < 0.9)] = MASK
    noise = torch.randint(1000, 28_000, batch.shape, generator=generator)
    inputs = torch.where(gaps & (kind > 0.95), noise, inputs)
    return inputs, gaps


@torch.no_grad()
def measure(network: BertForMaskedLM, lower: LowerLayers, pieces: Tensor) -> dict[str, float]:
    """Top-1 and top-10 accuracy with 15 % of the tokens masked."""
    network.eval()
    generator = torch.Generator().manual_seed(7)
    right1 = right10 = total = 0
    for batch in pieces.split(32):
        gaps = torch.rand(batch.shape, generator=generator) < 0.15
        gaps &= (batch != CLS) & (batch != SEP)
        inputs = batch.masked_fill(gaps, MASK)
        top = predict(network, lower(inputs, torch.zeros_like(inputs)), gaps).topk(10).indices
        hits = top == batch[gaps][:, None]
        right1, right10, total = right1 + int(hits[:, 0].sum()), right10 + int(hits.sum()), total + len(hits)
    network.train()
    return {"top1": right1 / total, "top10": right10 / total, "positions": total}


def trainable(network: BertForMaskedLM) -> dict[str, Tensor]:
    prefixes = ("cls.", *(f"bert.encoder.layer.{layer}." for layer in range(FROZEN_LAYERS, 12)))
    return {
        name: tensor
        for name, tensor in network.state_dict(keep_vars=True).items()
        if name.startswith(prefixes) and "decoder" not in name
    }


def optimiser(network: BertForMaskedLM, *, head: float, layers: float) -> torch.optim.AdamW:
    for parameter in network.parameters():
        parameter.requires_grad_(False)
    groups: dict[float, list[Tensor]] = {head: [], layers: []}
    for name, parameter in trainable(network).items():
        parameter.requires_grad_(True)
        groups[head if name.startswith("cls.") else layers].append(parameter)
    return torch.optim.AdamW(
        [{"params": parameters, "lr": rate, "peak": rate} for rate, parameters in groups.items()],
        betas=(0.9, 0.98),
        weight_decay=0.01,
    )


def set_rate(adam: torch.optim.AdamW, step: int, steps: int, *, first: int = 0, warm_up: int = 60) -> None:
    factor = min(1.0, (step - first + 1) / warm_up) * max(0.02, 1 - step / steps)
    for group in adam.param_groups:
        group["lr"] = group["peak"] * factor


def unigram_bias(network: BertForMaskedLM, pieces: Tensor) -> None:
    counts = torch.bincount(pieces.flatten(), minlength=network.config.vocab_size).float() + 0.1
    with torch.no_grad():
        network.cls.predictions.bias.copy_((counts / counts.sum()).log())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sources", type=Path)
    parser.add_argument("output", type=Path)
    parser.add_argument("--steps", type=int, default=1000)
    parser.add_argument("--resume", type=Path)
    options = parser.parse_args()
    torch.manual_seed(1)
    tokenizer = Tokenizer.from_file(str(next((options.sources / "bert").rglob("tokenizer.json"))))
    tokenizer.no_padding()
    tokenizer.no_truncation()
    network = bert_base_cased(options.sources / "bert")
    network.config.hidden_dropout_prob = network.config.attention_probs_dropout_prob = 0.0
    for module in network.modules():
        if isinstance(module, nn.Dropout):
            module.p = 0.0
    options.output.mkdir(parents=True, exist_ok=True)
    lower = LowerLayers(network, options.output / "lower.onnx")
    total = options.steps * BATCH
    articles = random.Random(3).sample(
        wiki := corpus.wikipedia(options.sources / "wikipedia", held_out=False), len(wiki)
    )
    prose = chunks(tokenizer, corpus.novels(options.sources / "wordnet"), seed=5, total=total // 8)
    pieces = torch.cat([chunks(tokenizer, articles, seed=4, total=total - len(prose)), prose])
    pieces = pieces[torch.randperm(len(pieces), generator=torch.Generator().manual_seed(6))]
    unseen = chunks(tokenizer, corpus.wikipedia(options.sources / "wikipedia", held_out=True), seed=8, total=320)
    unigram_bias(network, pieces)
    network.tie_weights()
    adam = optimiser(network, head=6e-4, layers=1.2e-4)
    first = 0
    if options.resume:
        network.load_state_dict(load_file(options.resume), strict=False)
        first = int(options.resume.stem.split("-")[-1])
    generator = torch.Generator().manual_seed(9)
    network.train()
    began, running = time.time(), 0.0
    log = (options.output / "log.jsonl").open("a")
    print(f"{len(pieces)} chunks, {options.steps} steps", flush=True)
    for step in range(first, len(pieces) // BATCH):
        set_rate(adam, step, options.steps, first=first)
        batch = pieces[step * BATCH : (step + 1) * BATCH]
        inputs, gaps = mask(batch, generator, share=MASKED_SHARE)
        logits = predict(network, lower(inputs, torch.zeros_like(inputs)), gaps)
        loss = nn.functional.cross_entropy(logits, batch[gaps])
        loss.backward()
        nn.utils.clip_grad_norm_([p for g in adam.param_groups for p in g["params"]], 1.0)
        adam.step()
        adam.zero_grad()
        running = 0.98 * running + 0.02 * loss.item() if step > first else loss.item()
        if step % 20 == 0:
            speed = (step - first + 1) * BATCH * CHUNK / (time.time() - began)
            print(f"step {step} loss {running:.3f} tokens/s {speed:.0f}", flush=True)
        if step % 200 == 199 or step == len(pieces) // BATCH - 1:
            figures = {"step": step + 1, "loss": running, **measure(network, lower, unseen[:96])}
            print(json.dumps(figures), file=log, flush=True)
            print(figures, flush=True)
            state = {name: tensor.detach().contiguous() for name, tensor in trainable(network).items()}
            save_file(state, options.output / f"masked-lm-{step + 1}.safetensors")
    print(measure(network, lower, unseen), flush=True)


if __name__ == "__main__":
    main()
