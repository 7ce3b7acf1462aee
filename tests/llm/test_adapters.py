"""Folders with a LoRA adapter: what they are for, and those that are refused unread."""

import json
from pathlib import Path
from typing import Any

import pytest

from globesumm.errors import DataError, UsageError
from globesumm.llm.adapters import adapter_base, is_adapter
from globesumm.llm.model_files import model_folder, weights_folder


def adapter(folder: Path, **changes: Any) -> Path:
    folder.mkdir(parents=True)
    config = {"peft_type": "LORA", "base_model_name_or_path": "base", **changes}
    (folder / "adapter_config.json").write_text(json.dumps(config))
    (folder / "adapter_model.safetensors").write_bytes(b"")
    return folder


def test_an_adapter_beside_its_model_finds_it_wherever_both_lie(tmp_path: Path) -> None:
    folder = adapter(tmp_path / "a", base_model_name_or_path="../base")
    (tmp_path / "base").mkdir()
    (tmp_path / "base" / "config.json").write_text("{}")
    assert is_adapter(folder)
    assert model_folder(str(folder)) == folder
    assert weights_folder(folder).resolve() == tmp_path / "base"


def test_a_whole_model_is_no_adapter(tmp_path: Path) -> None:
    folder = adapter(tmp_path / "a")
    (folder / "config.json").write_text("{}")
    assert not is_adapter(folder)
    assert weights_folder(folder) == folder


def test_the_hub_is_not_asked_for_the_model_of_an_adapter(tmp_path: Path) -> None:
    folder = adapter(tmp_path / "a", base_model_name_or_path="nobody/has-this")
    with pytest.raises(UsageError, match=r"the adapter in .* cannot be used.*hub was not asked"):
        weights_folder(folder)


REFUSED: dict[str, tuple[dict[str, Any], str]] = {
    "another kind": ({"peft_type": "IA3"}, "of the kind 'IA3'"),
    "no model": ({"base_model_name_or_path": None}, "lacks base_model_name_or_path"),
    "code": ({"megatron_config": {"a": 1}}, "names code of its own"),
    "a package": ({"auto_mapping": {"parent_library": "os"}}, "names code of its own"),
}


@pytest.mark.parametrize("kind", REFUSED)
def test_an_adapter_that_cannot_be_trusted_is_refused(tmp_path: Path, kind: str) -> None:
    changes, reason = REFUSED[kind]
    with pytest.raises(UsageError, match=reason):
        adapter_base(adapter(tmp_path / "a", **changes))


def test_pickled_weights_are_refused(tmp_path: Path) -> None:
    folder = adapter(tmp_path / "a")
    (folder / "adapter_model.safetensors").rename(folder / "adapter_model.bin")
    with pytest.raises(UsageError, match=r"has no adapter_model\.safetensors"):
        adapter_base(folder)


def test_a_damaged_configuration_is_named(tmp_path: Path) -> None:
    folder = adapter(tmp_path / "a")
    (folder / "adapter_config.json").write_bytes(b"\xff{")
    with pytest.raises(DataError, match=r"adapter_config\.json"):
        adapter_base(folder)


def test_an_adapter_of_an_adapter_is_refused(tmp_path: Path) -> None:
    under = adapter(tmp_path / "under")
    folder = adapter(tmp_path / "a", base_model_name_or_path=str(under))
    with pytest.raises(UsageError, match="is for another adapter"):
        weights_folder(folder)
