"""The torch networks that training works on, started from the encoders of `sources`."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import onnx
import torch
from onnx import numpy_helper
from safetensors.torch import load_file
from torch import Tensor, nn
from transformers import BertConfig, BertForMaskedLM, BertModel

BERT_CASED_VOCABULARY = 28_996
MATMUL = re.compile(r"/bert/encoder/layer\.(\d+)/(.+/(?:query|key|value|dense))/MatMul_quant$")


def bert_base_cased(source: Path) -> BertForMaskedLM:
    """bert-base-cased with int8 weights made float again; its head is new and starts as the identity."""
    graph = onnx.load(next(source.rglob("model_quantized.onnx"))).graph
    tensors = {tensor.name: numpy_helper.to_array(tensor) for tensor in graph.initializer}
    weights = {name: value for name, value in tensors.items() if name.startswith("bert.") and "_" not in name[-6:]}
    state = {name: torch.tensor(value) for name, value in weights.items() if value.dtype == np.float32}
    for node in graph.node:
        if node.op_type != "MatMulInteger" or not (match := MATMUL.match(node.name)):
            continue
        layer, part = match.groups()
        dense = _dequantise(tensors, node.input[1].removesuffix("_quantized"))
        state[f"bert.encoder.layer.{layer}.{part.replace('/', '.')}.weight"] = torch.tensor(dense.T.copy())
    for table in ("word_embeddings", "position_embeddings", "token_type_embeddings"):
        name = f"bert.embeddings.{table}.weight"
        state[name] = torch.tensor(_dequantise(tensors, name))
    network = BertForMaskedLM(BertConfig(vocab_size=BERT_CASED_VOCABULARY, attn_implementation="sdpa"))
    missing, unexpected = network.load_state_dict(state, strict=False)
    if unexpected or any(not name.startswith("cls.") for name in missing):
        raise ValueError(f"the encoder did not load whole: missing {missing}, unexpected {unexpected}")
    with torch.no_grad():
        network.cls.predictions.transform.dense.weight.copy_(torch.eye(768))
        network.cls.predictions.transform.dense.bias.zero_()
    network.tie_weights()
    return network


def _dequantise(tensors: dict[str, np.ndarray], name: str) -> np.ndarray:
    quantised = tensors[f"{name}_quantized"].astype(np.float32)
    return (quantised - tensors[f"{name}_zero_point"].astype(np.float32)) * tensors[f"{name}_scale"]


class EntailmentNetwork(nn.Module):
    """MiniLM over a sentence pair; [CLS] and the place that changed, in both sentences, feed a three-way head.

    Logits are entailment, neutral, contradiction. Pairs that do not differ in one place look at [CLS] three times.
    """

    def __init__(self, encoder: BertModel) -> None:
        super().__init__()
        self.encoder = encoder
        width = encoder.config.hidden_size
        self.dense = nn.Linear(3 * width, width)
        self.classes = nn.Linear(width, 3)

    def forward(self, input_ids: Tensor, token_type_ids: Tensor, attention_mask: Tensor, places: Tensor) -> Tensor:
        hidden = self.encoder(input_ids, attention_mask, token_type_ids).last_hidden_state  # (batch, tokens, width)
        rows = torch.arange(len(hidden))
        pooled = torch.cat([hidden[:, 0], hidden[rows, places[:, 0]], hidden[rows, places[:, 1]]], dim=-1)
        logits: Tensor = self.classes(nn.functional.gelu(self.dense(pooled)))
        return logits


def minilm(source: Path) -> BertModel:
    """all-MiniLM-L6-v2 as published."""
    folder = next(source.rglob("model.safetensors")).parent
    network = BertModel(BertConfig.from_pretrained(folder), add_pooling_layer=False)
    state = {name.removeprefix("bert."): tensor for name, tensor in load_file(folder / "model.safetensors").items()}
    missing, _ = network.load_state_dict(state, strict=False)
    if missing:
        raise ValueError(f"the encoder did not load whole: missing {missing}")
    return network
