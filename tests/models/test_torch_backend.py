"""Hub models answer through the same protocols; tiny ones with random weights stand in for them here."""

from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("torch", reason="run `make hub` for the tests of hub models")
pytest.importorskip("transformers")

import huggingface_hub
import torch
from transformers import (
    BertConfig,
    BertForMaskedLM,
    BertForSequenceClassification,
    BertModel,
    BertTokenizerFast,
    RobertaConfig,
    RobertaForMaskedLM,
    RobertaForSequenceClassification,
    RobertaTokenizerFast,
)

from lexprint.cli.console import build_engine
from lexprint.engine import Engine
from lexprint.errors import ModelError
from lexprint.models.protocols import Gap
from lexprint.models.torch_backend import HubEntailment, HubMaskedLM, HubSentenceEncoder
from lexprint.settings import ModelNames

WORDS = [
    "[PAD]",
    "[UNK]",
    "[CLS]",
    "[SEP]",
    "[MASK]",
    *"the a he she big large small house dog sees finds . ##s".split(),
]
SMALL = {"hidden_size": 16, "num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 16}
GAPS = [Gap("he sees a ", "big", " house."), Gap("the ", "large", " dog."), Gap("she finds the ", "small", " dog.")]

pytestmark = [pytest.mark.extra, pytest.mark.filterwarnings("ignore")]


def bert_tokenizer(folder: Path) -> None:
    (folder / "vocab.txt").write_text("\n".join(WORDS), encoding="utf-8")
    BertTokenizerFast(vocab=str(folder / "vocab.txt"), do_lower_case=True).save_pretrained(folder)


@pytest.fixture
def masked_lm_folder(tmp_path: Path) -> Path:
    torch.manual_seed(1)
    BertForMaskedLM(BertConfig(vocab_size=len(WORDS), **SMALL)).save_pretrained(tmp_path)
    bert_tokenizer(tmp_path)
    return tmp_path


def entailment_folder(folder: Path, labels: list[str]) -> Path:
    torch.manual_seed(2)
    names = dict(enumerate(labels))
    config = BertConfig(
        vocab_size=len(WORDS),
        num_labels=len(labels),
        id2label=names,
        label2id={v: k for k, v in names.items()},
        **SMALL,
    )
    BertForSequenceClassification(config).save_pretrained(folder)
    bert_tokenizer(folder)
    return folder


def test_a_masked_lm_gives_distributions(masked_lm_folder: Path) -> None:
    """Rows are log-probabilities over its own vocabulary, whatever the batch size."""
    one, many = HubMaskedLM(str(masked_lm_folder), batch_size=1), HubMaskedLM(str(masked_lm_folder), batch_size=8)
    rows = many.predict(GAPS)
    assert rows.shape == (3, len(many.vocabulary))
    assert np.exp(rows).sum(axis=1) == pytest.approx([1, 1, 1], abs=1e-4)
    assert one.predict(GAPS) == pytest.approx(rows, abs=1e-5)
    assert one.fingerprint == many.fingerprint


def test_a_masked_lm_reads_two_segments(masked_lm_folder: Path) -> None:
    """The word in the gap matters when it was read, and not when it was not."""
    model = HubMaskedLM(str(masked_lm_folder))
    other = Gap(GAPS[0].left, "small", GAPS[0].right)
    assert not np.array_equal(model.predict([GAPS[0]]), model.predict([other]))
    assert np.array_equal(model.predict_blind([GAPS[0]]), model.predict_blind([other]))


@pytest.mark.parametrize(
    "labels", [["entailment", "neutral", "contradiction"], ["CONTRADICTION", "NEUTRAL", "ENTAILMENT"]]
)
def test_the_label_order_is_read(tmp_path: Path, labels: list[str]) -> None:
    """Entailment is where the model's configuration says, not where it usually is."""
    folder = entailment_folder(tmp_path, labels)
    pair = ("he sees a dog.", "she sees a dog.")
    network = BertForSequenceClassification.from_pretrained(folder).eval()
    tokenizer = BertTokenizerFast.from_pretrained(folder)
    with torch.inference_mode():
        expected = network(**tokenizer(*pair, return_tensors="pt")).logits.softmax(-1)[0]
    column = next(index for index, label in enumerate(labels) if label.lower() == "entailment")
    assert HubEntailment(str(folder)).entails([pair])[0] == pytest.approx(float(expected[column]), abs=1e-5)


def test_a_model_without_entailment_is_refused(tmp_path: Path) -> None:
    """A classifier of something else is no NLI model, and the message says what it found."""
    with pytest.raises(ModelError, match=r"negative.*positive.*needed: one named entailment"):
        HubEntailment(str(entailment_folder(tmp_path, ["negative", "positive"])))


def test_roberta_gets_a_real_pair(tmp_path: Path) -> None:
    """RoBERTa's own separators stand between the sentences, so swapping them changes the answer."""
    torch.manual_seed(3)
    merges: list[str] = []
    characters = sorted({*"abcdefghijklmnopqrstuvwxyz.", "Ġ"})
    vocabulary = {
        token: number for number, token in enumerate(["<s>", "<pad>", "</s>", "<unk>", "<mask>", *characters])
    }
    tokenizer = RobertaTokenizerFast(vocab=vocabulary, merges=merges)
    tokenizer.save_pretrained(tmp_path)
    labels = {0: "CONTRADICTION", 1: "NEUTRAL", 2: "ENTAILMENT"}
    config = RobertaConfig(
        vocab_size=len(vocabulary), num_labels=3, id2label=labels, max_position_embeddings=64, pad_token_id=1, **SMALL
    )
    network = RobertaForSequenceClassification(config).eval()
    network.save_pretrained(tmp_path)
    model = HubEntailment(str(tmp_path))
    encoded = tokenizer("a dog.", "a cat.", return_tensors="pt")
    assert (encoded["input_ids"] == tokenizer.sep_token_id).sum() == 3  # one after the first, two around the second
    with torch.inference_mode():
        expected = network(**encoded).logits.softmax(-1)[0, 2]
    assert model.entails([("a dog.", "a cat.")])[0] == pytest.approx(float(expected), abs=1e-5)


@pytest.fixture
def byte_level_folder(tmp_path: Path) -> Path:
    """A tiny RoBERTa whose tokens mark the beginning of a word and spell letters as bytes."""
    torch.manual_seed(4)
    tokens = ["<s>", "<pad>", "</s>", "<unk>", "<mask>", *sorted({*"abcdefghijklmnopqrstuvwxyz.", "Ġ", "Ã", "©"})]
    merges = ["Ġ b", "Ġb i", "Ġbi g", "i g", "b ig", "Ã ©", "Ġ c", "Ġc a", "Ġca f", "Ġcaf Ã©"]
    tokens += [merge.replace(" ", "") for merge in merges]
    vocabulary = {token: number for number, token in enumerate(tokens)}
    RobertaTokenizerFast(vocab=vocabulary, merges=[tuple(merge.split()) for merge in merges]).save_pretrained(tmp_path)
    config = RobertaConfig(vocab_size=len(vocabulary), max_position_embeddings=64, pad_token_id=1, **SMALL)
    RobertaForMaskedLM(config).save_pretrained(tmp_path)
    return tmp_path


def test_byte_level_vocabularies_keep_the_beginning_of_words(byte_level_folder: Path) -> None:
    """ "Ġbig" is the word big and "big" a piece, each in its own column; letters beyond ASCII are spelled out."""
    model = HubMaskedLM(str(byte_level_folder))
    numbers = RobertaTokenizerFast.from_pretrained(byte_level_folder).get_vocab()
    assert model.vocabulary[numbers["Ġbig"]] == "big"
    assert model.vocabulary[numbers["big"]] == "##big"
    assert model.vocabulary[numbers["ĠcafÃ©"]] == "café"
    assert model.vocabulary[numbers["<mask>"]] == "##<mask>"
    assert model.vocabulary.count("big") == 1
    gap = Gap("a ", "big", " cafe.")
    rows = model.predict([gap])
    assert np.exp(rows).sum(axis=1) == pytest.approx([1], abs=1e-4)


def test_settings_and_options_reach_hub_models(
    masked_lm_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Named by option, file or environment, the models are loaded, and the profile is `paper` unless another is asked for."""
    by_option = build_engine(masked_lm=str(masked_lm_folder))
    (tmp_path / "own.toml").write_text(f'[models]\nmasked_lm = "{masked_lm_folder.as_posix()}"\n', "utf-8")
    by_file = build_engine(settings=tmp_path / "own.toml")
    monkeypatch.setenv("LEXPRINT_MODELS_MASKED_LM", str(masked_lm_folder))
    for engine in (by_option, by_file, build_engine()):
        assert isinstance(engine.masked_lm, HubMaskedLM)
        assert engine.settings.profile == "paper@1"
        assert engine.substituter.most_probable([GAPS[0]])


def test_sentence_vectors_have_length_one(tmp_path: Path) -> None:
    """Any encoder gives unit vectors."""
    BertModel(BertConfig(vocab_size=len(WORDS), **SMALL)).save_pretrained(tmp_path)
    bert_tokenizer(tmp_path)
    vectors = HubSentenceEncoder(str(tmp_path)).encode(["he sees a dog.", "the house."])
    assert np.linalg.norm(vectors, axis=1) == pytest.approx([1, 1], abs=1e-5)


def test_the_engine_takes_a_folder(masked_lm_folder: Path) -> None:
    """A hub model stands behind the same engine, and changes its fingerprint."""
    engine = Engine(models=ModelNames(masked_lm=str(masked_lm_folder)))
    assert engine.masked_lm.predict(GAPS).shape[0] == 3
    assert engine.fingerprint != Engine().fingerprint


def test_a_hub_out_of_reach_is_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    """No network, no such folder: one clear sentence says what to do."""
    monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_OFFLINE", True)  # the variable is read at import
    with pytest.raises(ModelError, match=r"neither as a folder nor on a hub .* give its folder"):
        HubMaskedLM("lexprint/no-such-model")
