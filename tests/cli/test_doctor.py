"""`lexprint doctor`: what is there, what is missing, and whether the core works."""

import json
import subprocess
import sys
from importlib import metadata
from pathlib import Path

import pytest
from tests.cli.conftest import Run

import lexprint
from lexprint.cli import doctor
from lexprint.coding.keys import create_key_file
from lexprint.errors import WeightsDamaged
from lexprint.models import weights
from lexprint.registry.protocol import open_registry
from lexprint.testing import fake_families


@pytest.fixture(autouse=True)
def alone(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither a key nor a registry but what the folder has, and a trial for fakes."""
    for variable in ("LEXPRINT_KEY", "LEXPRINT_KEY_FILE", "LEXPRINT_REGISTRY"):
        monkeypatch.delenv(variable, raising=False)
    word = fake_families()[0][0]
    monkeypatch.setattr(doctor, "TRIAL", (f"It was a {word} of the house.", word))  # the fakes know few words


def checks_of(run: Run, *arguments: object, code: int = 0) -> dict[str, dict[str, str]]:
    done = run("doctor", "--json", *arguments)
    found = json.loads(done.output)
    broken = [check for check in found["checks"] if check["is_core"] and check["state"] != "ok"]
    assert (done.code, found["works"]) == (code, code == 0), broken
    return {check["name"]: check for check in found["checks"]}


def test_a_healthy_installation(run: Run) -> None:
    """Versions, verified models and the fingerprint that `capacity` has too; nothing of the user's is needed."""
    checks = checks_of(run)
    assert checks["lexprint"]["found"] == lexprint.__version__
    assert checks["onnxruntime"]["found"] == metadata.version("onnxruntime")
    assert weights.shipped_model("entailment").fingerprint in checks["entailment"]["found"]
    fingerprint = json.loads(run("capacity", "in.txt", "--json").output)["fingerprint"]
    assert fingerprint in checks["profile lexprint@1"]["found"]
    assert {checks[name]["state"] for name in ("key", "registry")} == {"missing"}
    assert set(doctor.FEATURES) <= set(checks)


def test_with_the_shipped_models(folder: Path) -> None:
    """From a shell: the models are as published and answer."""
    command = [sys.executable, "-W", "error", "-m", "lexprint", "doctor", "--json"]
    found = json.loads(subprocess.run(command, cwd=folder, stdout=subprocess.PIPE, check=True).stdout)
    (trial,) = (check for check in found["checks"] if check["name"] == "trial")
    assert trial["found"].endswith("substitutes for large")


def test_for_people(run: Run) -> None:
    """One line for each, with what a missing thing is for and how to get it."""
    done = run("doctor")
    assert done.code == 0
    lines = done.text.splitlines()
    (key,) = (line for line in lines if " key " in line)
    assert "run: lexprint key new (for: issuing, payloads, signed reports)" in key
    assert done.errors == "all that every command needs works\n"


def test_what_is_missing_and_for_which_feature(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """Extras and programs may be missing: that is said, with the command that installs them."""
    version = metadata.version

    def no_server(package: str) -> str:
        if package == "uvicorn":
            raise metadata.PackageNotFoundError(package)
        return version(package)

    monkeypatch.setattr(metadata, "version", no_server)
    monkeypatch.setenv("PATH", "")
    checks = checks_of(run)
    assert checks["server"]["state"] == checks["tesseract"]["state"] == "missing"
    assert checks["server"]["found"] == "lacks uvicorn; run: pip install 'lexprint[server]'"
    assert "apt-get install tesseract-ocr" in checks["tesseract"]["found"]
    assert "scanned" in checks["tesseract"]["purpose"]


def test_a_core_that_does_not_work(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """Exit code 3 for damaged weights or a missing package, and the rest is still looked at."""

    def damaged(name: str) -> weights.ModelFiles:
        raise WeightsDamaged(f"{name}.npz", needed="a" * 64, found="b" * 64)

    monkeypatch.setattr(weights, "shipped_model", damaged)
    checks = checks_of(run, code=3)
    assert checks["masked_lm"]["state"] == "broken"
    assert "SHA-256" in checks["masked_lm"]["found"]
    assert checks["key"]["state"] == "missing"
    done = run("doctor")
    assert "BROKEN" in done.text
    assert done.errors.startswith("lexprint: masked_lm, entailment, sentence_encoder cannot be used; run: pip install")


def test_a_missing_package(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """What the core asks for and is not there breaks it."""
    monkeypatch.setattr(metadata, "requires", lambda name: ["nowhere-to-be-found>=1", "typer>=0.12"])
    checks = checks_of(run, code=3)
    assert (checks["nowhere-to-be-found"]["state"], checks["typer"]["state"]) == ("missing", "ok")


def test_what_the_user_has(run: Run, folder: Path) -> None:
    """A key by its id and a registry by its documents; one that cannot be used is said to be broken, and why."""
    keyring = create_key_file(folder / "lexprint.key")
    open_registry("lexprint.db").close()
    checks = checks_of(run)
    assert checks["key"]["found"] == f"1 key, {keyring.newest.id} writes"
    assert checks["registry"]["found"] == "0 documents in lexprint.db"
    (folder / "lexprint.key").chmod(0o644)
    checks = checks_of(run, "--registry", "in.txt")
    assert checks["key"]["state"] == checks["registry"]["state"] == "broken"
    assert "chmod 600" in checks["key"]["found"]


def test_no_password_is_shown(run: Run) -> None:
    """Of a database only the host and the name are told."""
    found = checks_of(run, "--registry", "postgresql://ann:hunter2@127.0.0.1:1/registry?connect_timeout=2")["registry"]
    assert found["state"] == "broken"
    assert "hunter2" not in json.dumps(found)
