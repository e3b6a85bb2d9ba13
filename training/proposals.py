"""What the stage-1 masked LM would put in place of words it cannot see: plausible, and often wrong in meaning.

These are the mistakes that the NLI model has to learn to refuse.
"""

from __future__ import annotations

import argparse
import json
import random
from pathlib import Path

import torch
from safetensors.torch import load_file
from tokenizers import Tokenizer

from encoders import bert_base_cased
from lexprint.substitution.lexicon import agree, is_form_of_same_word, lexicon
from masked_lm import CLS, MASK, SEP, LowerLayers, predict
from replacements import read_slots

TOP = 12
GAPS_PER_SENTENCE = 4


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sources", type=Path)
    parser.add_argument("teacher", type=Path)
    parser.add_argument("checkpoint", type=Path)
    parser.add_argument("output", type=Path)
    options = parser.parse_args()
    tokenizer = Tokenizer.from_file(str(next((options.sources / "bert").rglob("tokenizer.json"))))
    tokenizer.no_padding()
    tokenizer.no_truncation()
    network = bert_base_cased(options.sources / "bert").eval()
    network.load_state_dict(load_file(options.checkpoint), strict=False)
    lower = LowerLayers(network, options.output.with_suffix(".onnx"))
    vocabulary = sorted(tokenizer.get_vocab(), key=tokenizer.get_vocab().__getitem__)
    allowed = torch.tensor([word in lexicon() for word in vocabulary])
    chooser = random.Random(31)
    asked = []
    for slots in read_slots(options.teacher, stop_words=frozenset()):
        if not slots:
            continue
        chosen = sorted(chooser.sample(slots, min(GAPS_PER_SENTENCE, len(slots))), key=lambda slot: slot.start)
        encoding = tokenizer.encode(slots[0].sentence, add_special_tokens=False)
        places = [
            next((at for at, span in enumerate(encoding.offsets) if span[0] == slot.start), None) for slot in chosen
        ]
        known = [(slot, at) for slot, at in zip(chosen, places, strict=True) if at is not None and at < 94]
        ids = [CLS, *encoding.ids[:94], SEP]
        for _, at in known:
            ids[at + 1] = MASK
        if known:
            asked.append((ids, known))
    asked.sort(key=lambda entry: len(entry[0]))
    found = []
    with torch.no_grad():
        start = 0
        while start < len(asked):
            length = len(asked[start][0])
            batch = [entry for entry in asked[start : start + 32] if len(entry[0]) == length]
            start += len(batch)
            ids = torch.tensor([entry[0] for entry in batch])
            logits = predict(network, lower(ids, torch.zeros_like(ids)), ids == MASK).masked_fill(~allowed, -1e9)
            flat = [slot for entry in batch for slot, _ in entry[1]]
            for slot, row in zip(flat, logits.topk(3 * TOP).indices.tolist(), strict=True):
                words = [vocabulary[token] for token in row]
                fitting = [w for w in words if agree(w, slot.word) and not is_form_of_same_word(w, slot.word)]
                found.append([slot.sentence, slot.start, fitting[:TOP]])
    options.output.write_text(json.dumps(found), "utf-8")
    print(f"{len(found)} gaps")


if __name__ == "__main__":
    main()
