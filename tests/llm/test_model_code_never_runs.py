"""What lies in a model's folder is data: its code is not imported, its pickles call nothing."""

import io
import json
import os
import pickle
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from baselines.preference.model_sizes import parameters_of, stored_dtype
from globesumm.errors import UsageError
from globesumm.llm.local_transformers import LocalTransformers
from globesumm.llm.model_files import load_model, model_folder
from globesumm.llm.pine.backend import LocalPine
from globesumm.llm.tokenizers import Counter
from metrics import encoders
from metrics.entailment.loading import Weights, load

torch = pytest.importorskip("torch", reason="the extra 'models' is not installed")
transformers = pytest.importorskip("transformers", reason="needs the extra 'models'")

CLASSIFIER = "AutoModelForSequenceClassification"
LOADERS: dict[str, Callable[[Path], Any]] = {
    "transformers": lambda folder: LocalTransformers(str(folder)),
    "pine": lambda folder: LocalPine(str(folder)),
    "weights": lambda folder: load_model(model_folder(str(folder)), "cpu", "float32"),
    "tokenizer": lambda folder: Counter(str(folder)),
    "entailer": lambda folder: load(Weights(model=str(folder)), CLASSIFIER),
    "encoder": lambda folder: encoders.load("mine", str(folder), 1, "cpu"),
    "sizes": parameters_of,
    "dtype": stored_dtype,
}
"""Every way in which the project opens a folder with a model."""

OF_WEIGHTS = ("transformers", "pine", "weights", "entailer", "encoder")

CODE = """\
from pathlib import Path
Path({canary!r}).write_text("run")
from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast
class C(LlamaConfig):
    model_type = "own"
class M(LlamaForCausalLM):
    config_class = C
class T(PreTrainedTokenizerFast):
    pass
"""


class _Acts:
    """Unpickled, it writes a file."""

    def __init__(self, canary: Path) -> None:
        self.canary = canary

    def __reduce__(self) -> tuple[Any, tuple[Any, ...]]:
        return os.mkdir, (str(self.canary),)


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A tiny Llama that every loader opens."""
    from tokenizers import Tokenizer, models, pre_tokenizers

    folder = tmp_path_factory.mktemp("whole")
    vocabulary = {"[UNK]": 0, "[PAD]": 1, "[CLS]": 2, "[SEP]": 3, "a": 4}
    words = Tokenizer(models.WordLevel(vocabulary, unk_token="[UNK]"))
    words.pre_tokenizer = pre_tokenizers.Whitespace()
    transformers.PreTrainedTokenizerFast(
        tokenizer_object=words, unk_token="[UNK]", pad_token="[PAD]", cls_token="[CLS]",
        sep_token="[SEP]", eos_token="[SEP]", bos_token="[CLS]",
    ).save_pretrained(folder)  # fmt: skip
    torch.manual_seed(0)
    config = transformers.LlamaConfig(
        vocab_size=8, hidden_size=8, intermediate_size=8, num_hidden_layers=1,
        num_attention_heads=1, num_key_value_heads=1, max_position_embeddings=32, pad_token_id=1,
    )  # fmt: skip
    transformers.LlamaForCausalLM(config).save_pretrained(folder)
    return folder


def with_code(whole: Path, folder: Path, canary: Path, model_type: str | None) -> Path:
    """A copy that names code of its own, as a model of a type that is known or unknown."""
    shutil.copytree(whole, folder)
    (folder / "own.py").write_text(CODE.format(canary=str(canary)))
    config = json.loads((folder / "config.json").read_text())
    kinds = ("Model", "ModelForCausalLM", CLASSIFIER.removeprefix("Auto"))
    config["auto_map"] = {"AutoConfig": "own.C"} | {f"Auto{kind}": "own.M" for kind in kinds}
    config["auto_map"]["AutoTokenizer"] = ["own.T", "own.T"]
    if model_type:
        config |= {"model_type": model_type, "architectures": ["M"]}
    (folder / "config.json").write_text(json.dumps(config))
    of_words = json.loads((folder / "tokenizer_config.json").read_text())
    of_words["auto_map"] = {"AutoTokenizer": ["own.T", "own.T"]}
    if model_type:
        of_words["tokenizer_class"] = "T"
    (folder / "tokenizer_config.json").write_text(json.dumps(of_words))
    return folder


@pytest.fixture(autouse=True)
def willing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever is asked whether to run the code would say yes."""
    monkeypatch.setattr("sys.stdin", io.StringIO("y\n" * 20))
    monkeypatch.setattr("builtins.input", lambda *_: "y")


@pytest.mark.parametrize("loader", LOADERS)
def test_a_model_that_needs_code_of_its_own_is_refused_in_words(
    loader: str, whole: Path, tmp_path: Path
) -> None:
    canary = tmp_path / "canary"
    folder = with_code(whole, tmp_path / "model", canary, "own")
    with pytest.raises(UsageError) as caught:
        LOADERS[loader](folder)
    assert "trust_remote_code" not in str(caught.value)
    assert "\n" not in str(caught.value)
    assert not canary.exists()
    if loader != "tokenizer":
        assert "code that it brings, and such code is never run" in str(caught.value)


@pytest.mark.parametrize("loader", LOADERS)
def test_code_beside_a_model_of_a_known_kind_is_not_looked_at(
    loader: str, whole: Path, tmp_path: Path
) -> None:
    canary = tmp_path / "canary"
    LOADERS[loader](with_code(whole, tmp_path / "model", canary, None))
    assert not canary.exists()


@pytest.mark.parametrize("loader", OF_WEIGHTS)
def test_pickled_weights_that_would_act_are_refused_and_do_not(
    loader: str, whole: Path, tmp_path: Path
) -> None:
    canary, folder = tmp_path / "canary", tmp_path / "model"
    shutil.copytree(whole, folder)
    (folder / "model.safetensors").unlink()
    weights = {"model.embed_tokens.weight": torch.zeros(8, 8), "more": _Acts(canary)}
    torch.save(weights, folder / "pytorch_model.bin")
    with pytest.raises(UsageError) as caught:
        LOADERS[loader](folder)
    assert not canary.exists()
    assert "take safetensors" in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("loader", OF_WEIGHTS)
def test_safetensors_are_taken_where_pickled_weights_lie_beside_them(
    loader: str, whole: Path, tmp_path: Path
) -> None:
    canary, folder = tmp_path / "canary", tmp_path / "model"
    shutil.copytree(whole, folder)
    (folder / "pytorch_model.bin").write_bytes(pickle.dumps(_Acts(canary)))
    LOADERS[loader](folder)
    assert not canary.exists()


def test_the_canaries_sing_where_the_guards_are_off(
    whole: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else the tests above would prove nothing."""
    copied = "transformers.dynamic_module_utils.HF_MODULES_CACHE"
    monkeypatch.setattr(copied, str(tmp_path / "modules"))
    first, second = tmp_path / "code", tmp_path / "pickle"
    folder = with_code(whole, tmp_path / "model", first, "own")
    transformers.AutoConfig.from_pretrained(folder, trust_remote_code=True)
    assert first.exists()
    torch.save({"more": _Acts(second)}, tmp_path / "w.bin")
    torch.load(tmp_path / "w.bin", weights_only=False)
    assert second.exists()
