"""A GGUF file becomes a folder whole or not at all, and what is none is refused."""

from pathlib import Path
from typing import Any

import pytest

from globesumm.errors import UsageError
from globesumm.llm.pine.backend import LocalPine
from globesumm.llm.pine.weights import dequantise
from globesumm.llm.request import Message


@pytest.fixture(scope="module")
def gguf_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A tiny random Llama with a byte-level vocabulary."""
    for package in ("torch", "transformers"):
        pytest.importorskip(package)
    gguf = pytest.importorskip("gguf")
    import numpy as np
    from tokenizers import pre_tokenizers

    draw = np.random.default_rng(0)
    file = tmp_path_factory.mktemp("gguf") / "tiny ü?.gguf"
    known = ["<s>", "</s>", "ab", *sorted(pre_tokenizers.ByteLevel.alphabet())]
    writer = gguf.GGUFWriter(file, "llama")
    writer.add_block_count(1)
    writer.add_context_length(256)
    writer.add_embedding_length(32)
    writer.add_feed_forward_length(32)
    writer.add_head_count(2)
    writer.add_head_count_kv(1)
    writer.add_layer_norm_rms_eps(1e-5)
    writer.add_rope_freq_base(10000.0)
    writer.add_vocab_size(len(known))
    writer.add_tokenizer_model("gpt2")
    writer.add_token_list(known)
    writer.add_token_merges(["a b"])
    writer.add_bos_token_id(0)
    writer.add_eos_token_id(1)
    shapes: dict[str, tuple[int, ...]] = {
        "token_embd": (len(known), 32), "output_norm": (32,), "output": (len(known), 32),
        "blk.0.attn_norm": (32,), "blk.0.attn_q": (32, 32), "blk.0.attn_k": (16, 32),
        "blk.0.attn_v": (16, 32), "blk.0.attn_output": (32, 32), "blk.0.ffn_norm": (32,),
        "blk.0.ffn_gate": (32, 32), "blk.0.ffn_up": (32, 32), "blk.0.ffn_down": (32, 32),
    }  # fmt: skip
    for name, shape in shapes.items():
        writer.add_tensor(f"{name}.weight", draw.normal(size=shape).astype(np.float32))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return file


def test_a_gguf_file_opens_as_a_model(gguf_file: Path, tmp_path: Path) -> None:
    folder = tmp_path / "within" / "a folder ü?x"
    dequantise(gguf_file, folder)
    model = LocalPine(str(folder))
    assert model.count_tokens((Message("user", "Hello."),)) > 0
    assert [place.name for place in folder.parent.iterdir()] == [folder.name]


@pytest.mark.parametrize("error", [OSError("disk full"), KeyboardInterrupt()])
def test_a_folder_that_cannot_be_finished_is_not_begun(
    gguf_file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: BaseException
) -> None:
    from transformers import PreTrainedTokenizerBase

    def fail(*_: Any, **__: Any) -> None:
        raise error

    monkeypatch.setattr(PreTrainedTokenizerBase, "save_pretrained", fail)
    expected = UsageError if isinstance(error, OSError) else KeyboardInterrupt
    with pytest.raises(expected):
        dequantise(gguf_file, tmp_path / "model")
    assert not list(tmp_path.iterdir())


def test_what_is_no_whole_gguf_file_is_refused(gguf_file: Path, tmp_path: Path) -> None:
    whole = gguf_file.read_bytes()
    for number, content in enumerate((b"", b"GG", b"\x00" * 99, whole[:99], whole[:-4000])):
        file = tmp_path / f"{number}.gguf"
        file.write_bytes(content)
        with pytest.raises(UsageError, match=f"{number}.gguf"):
            dequantise(file, tmp_path / "model")
    with pytest.raises(UsageError, match="no file"):
        dequantise(tmp_path, tmp_path / "model")
    assert not (tmp_path / "model").exists()


def test_a_folder_that_holds_something_is_left_as_it_is(gguf_file: Path, tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("mine")
    for place in (tmp_path, tmp_path / "notes.txt"):
        with pytest.raises(UsageError, match="there already"):
            dequantise(gguf_file, place)
    assert [place.name for place in tmp_path.iterdir()] == ["notes.txt"]
