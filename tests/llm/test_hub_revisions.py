"""A hub's model is the one of the revision that was stated, and says which commit it is."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from globesumm.errors import UsageError
from globesumm.llm.model_files import model_folder
from globesumm.llm.pretrained import named
from tests.llm.hub import Hub

MODEL, NLI = "nobody/tiny", "nobody/nli"

PROGRAM = """
import json, sys
from globesumm.errors import UsageError
from globesumm.llm.backends import open_model
from metrics.entailment import Pair
from metrics.entailment.presets import open_entailer
from metrics import encoders

def had(what):
    kind, _, name = what.partition(" ")
    if kind == "model":
        backend = open_model("transformers:" + name).backend
        row = backend._model.get_input_embeddings().weight
        return [backend.name, backend.facts()["revision"], float(row[0, 0])]
    if kind == "encoder":
        return [encoders.load(name, None, 1, "cpu").name]
    made = open_entailer("three-way:" + name, download=kind == "download")
    return [made.name, made.entails([Pair(premise="a", hypothesis="a")])[0].value is not None]

def tried(what):
    try:
        return had(what)
    except UsageError as error:
        return str(error)

print(json.dumps([tried(what) for what in sys.argv[1:]]))
"""


@pytest.fixture(scope="module")
def hub() -> Iterator[Hub]:
    running = Hub()
    yield running
    running.stop()


@pytest.fixture(scope="module")
def commits(hub: Hub, tmp_path_factory: pytest.TempPathFactory) -> tuple[str, str]:
    """Two commits of one model: the older one is tagged, the newer one is on the main branch."""
    torch = pytest.importorskip("torch", reason="the extra 'models' is not installed")
    transformers = pytest.importorskip("transformers", reason="needs the extra 'models'")
    from tokenizers import Tokenizer, models

    made = []
    for number, revisions in ((1.0, ("v1", "main")), (2.0, ("main",))):
        for name in (MODEL, NLI):
            folder = tmp_path_factory.mktemp("commit")
            words = Tokenizer(models.WordLevel({"[UNK]": 0, "[PAD]": 1, "a": 2}, unk_token="[UNK]"))
            transformers.PreTrainedTokenizerFast(
                tokenizer_object=words, unk_token="[UNK]", pad_token="[PAD]",
                cls_token="[UNK]", sep_token="[UNK]", model_max_length=512,
            ).save_pretrained(folder)  # fmt: skip
            config = transformers.LlamaConfig(
                vocab_size=4, hidden_size=4, intermediate_size=4, num_hidden_layers=1,
                num_attention_heads=1, num_key_value_heads=1, max_position_embeddings=512,
                pad_token_id=1, id2label={0: "entailment", 1: "neutral", 2: "contradiction"},
            )  # fmt: skip
            kind = "LlamaForCausalLM" if name == MODEL else "LlamaForSequenceClassification"
            model = getattr(transformers, kind)(config)
            torch.nn.init.constant_(model.get_input_embeddings().weight, number)
            model.save_pretrained(folder)
            made.append(hub.add(name, folder, *revisions))
    return made[0], made[2]


def tried(hub: Hub, cache: Path, *asked: str, offline: bool) -> list[list[Any] | str]:
    """What a new process gets, or the one line that it says instead."""
    env = os.environ | {
        "HF_ENDPOINT": hub.url,
        "HF_HUB_CACHE": str(cache),
        "HF_HUB_OFFLINE": "1" if offline else "0",
        "HF_HUB_DISABLE_XET": "1",
        "HF_HUB_DISABLE_TELEMETRY": "1",
    }
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, *asked], capture_output=True, text=True, env=env,
        check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    found: list[list[Any] | str] = json.loads(done.stdout.splitlines()[-1])
    return found


@pytest.mark.slow
def test_the_stated_revision_is_had_from_the_hub_and_again_without_it(
    hub: Hub, commits: tuple[str, str], tmp_path: Path
) -> None:
    old, new = commits
    first = tried(
        hub, tmp_path, f"model {MODEL}@{old}", f"model {MODEL}@v1", f"model {MODEL}",
        f"encoder {MODEL}@{old}", f"model {MODEL}@v9", f"download {NLI}", offline=False,
    )  # fmt: skip
    assert first[:3] == [
        [f"{MODEL}@{old}", old, 1.0],
        [f"{MODEL}@v1", old, 1.0],
        [MODEL, new, 2.0],
    ]
    assert first[3] == [f"{MODEL}@{old}"]
    assert "did not give it" in first[4]
    assert not isinstance(first[5], str), first[5]
    newest = hub.revisions[NLI, "main"]
    assert f"{NLI}@{newest}@fp32" in str(first[5][0])
    assert first[5][1] is True
    again = tried(
        hub, tmp_path, f"model {MODEL}@{old}", f"model {MODEL}", f"entailer {NLI}",
        f"entailer {NLI}@{newest}", f"entailer {NLI}@v1", offline=True,
    )  # fmt: skip
    assert again[0] == first[0]
    assert again[1] == first[2]
    assert again[2] == again[3] == first[5]
    assert "cannot be loaded" in again[4]
    wanted = {path.rpartition("/")[2] for path in hub.asked if "/resolve/" in path}
    assert "model.safetensors" in wanted
    assert not {name for name in wanted if name.endswith((".py", ".bin", ".pkl"))} - {
        "pytorch_model.bin"  # asked for by its name, as a form that the weights might have
    }


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("a/b", ("a/b", None)),
        ("a/b@main", ("a/b", "main")),
        ("a/b@0123abc", ("a/b", "0123abc")),
        ("a@b/c@v1", ("a@b/c", "v1")),
    ],
)
def test_a_name_bears_its_revision(written: str, read: tuple[str, str | None]) -> None:
    assert named(written) == read


def test_a_folder_whose_name_has_the_sign_is_a_folder(tmp_path: Path) -> None:
    folder = tmp_path / "model@v1"
    folder.mkdir()
    (folder / "config.json").write_text("{}")
    assert named(str(folder)) == (str(folder), None)
    assert model_folder(str(folder)) == folder


@pytest.mark.parametrize("name", ["a/b@", "@v1", "./x@v1", "/no/such@v1", "a/b@ "])
def test_a_revision_of_nothing_is_refused(name: str) -> None:
    with pytest.raises(UsageError, match="no model with a revision"):
        model_folder(name)


def test_two_revisions_of_one_model_are_refused() -> None:
    with pytest.raises(UsageError, match="two revisions"):
        model_folder("a/b@v1", "v2")
