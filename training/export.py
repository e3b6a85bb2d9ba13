"""Writes trained networks as the files that the package ships: graphs, compressed tensors, tokenizers, manifest."""

from __future__ import annotations

import argparse
import hashlib
import json
import shutil
from pathlib import Path

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import numpy_helper
from safetensors.torch import load_file

import graphs
from encoders import bert_base_cased, minilm


def detach(model: onnx.ModelProto) -> dict[str, NDArray[np.generic]]:
    """Take every weight out of the graph; its name and shape stay, as do scalars and shapes."""
    tensors = {}
    for tensor in model.graph.initializer:
        value = numpy_helper.to_array(tensor)
        if value.size <= 1 or value.dtype == np.int64:
            continue
        tensors[tensor.name] = value
        tensor.ClearField("raw_data")
        tensor.data_location = onnx.TensorProto.EXTERNAL
        for key, text in (("location", "npz"), ("offset", "0"), ("length", str(value.nbytes))):
            tensor.external_data.add(key=key, value=text)
    return tensors


def save(output: Path, name: str, model: onnx.ModelProto, parts: dict[str, tuple[str, ...]]) -> dict[str, object]:
    """Write a graph and its tensors; `parts` are files of their own for some of them, by prefix of their names."""
    tensors = detach(model)
    (output / f"{name}.onnx").write_bytes(model.SerializeToString(deterministic=True))
    files = []
    for file, prefixes in parts.items():
        chosen = {key: tensors.pop(key) for key in list(tensors) if key.startswith(prefixes)}
        np.savez_compressed(output / file, **chosen)
        files.append(file)
    np.savez_compressed(output / f"{name}.npz", **tensors)
    return {"graph": f"{name}.onnx", "tensors": [*files, f"{name}.npz"]}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sources", type=Path)
    parser.add_argument("masked_lm", type=Path)
    parser.add_argument("entailment", type=Path)
    parser.add_argument("output", type=Path)
    options = parser.parse_args()
    options.output.mkdir(parents=True, exist_ok=True)
    bert = bert_base_cased(options.sources / "bert")
    trained = load_file(options.masked_lm)
    bert.load_state_dict(trained, strict=False)
    head = {name.removeprefix("head."): tensor for name, tensor in trained.items() if name.startswith("head.")}
    judge, encoder = load_file(options.entailment), minilm(options.sources / "minilm").state_dict()
    models = {
        "masked_lm": save(
            options.output,
            "masked_lm",
            graphs.masked_lm({name: tensor.numpy() for name, tensor in (bert.state_dict() | head).items()}),
            {"masked_lm_words.npz": ("words.", "positions")},
        ),
        "entailment": save(
            options.output,
            "entailment",
            graphs.entailment({name: tensor.float().numpy() for name, tensor in judge.items()}),
            {},
        ),
        "sentence_encoder": save(
            options.output,
            "sentence_encoder",
            graphs.sentence_encoder({name: tensor.numpy() for name, tensor in encoder.items()}),
            {},
        ),
    }
    for source, name, users in (
        ("bert", "cased.json", ["masked_lm"]),
        ("minilm", "uncased.json", ["entailment", "sentence_encoder"]),
    ):
        shutil.copyfile(next((options.sources / source).rglob("tokenizer.json")), options.output / name)
        for user in users:
            models[user]["tokenizer"] = name
    names = sorted(
        {file for model in models.values() for file in (model["graph"], *model["tensors"], model["tokenizer"])}
    )
    digests = {name: hashlib.sha256((options.output / name).read_bytes()).hexdigest() for name in names}
    manifest = {"models": models, "files": digests}
    (options.output / "manifest.json").write_text(json.dumps(manifest, indent=2) + "\n", "utf-8")
    for name in names:
        print(f"{(options.output / name).stat().st_size / 1e6:8.2f} MB  {name}")


if __name__ == "__main__":
    main()
