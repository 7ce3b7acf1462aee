"""Weights in a GGUF file as a folder that `transformers` opens, so that any backend in process can.

::

    python -m globesumm.llm.pine.weights FILE.gguf FOLDER
"""

import sys
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory

from globesumm.errors import MissingPackage, UsageError
from globesumm.llm.pretrained import opened, why

_MAGIC = b"GGUF"


def dequantise(file: Path, folder: Path) -> None:
    """Write the model and tokenizer of `file` to `folder`, the weights as float32.

    The folder is there whole or not at all.  Raises `UsageError` where it holds something
    already, where there is no such file or it cannot be read as a model, and `MissingPackage`
    without `transformers` or `gguf`.
    """
    if not file.is_file():
        raise UsageError(f"there is no file {file}: name one that is there")
    with file.open("rb") as begins:
        if begins.read(len(_MAGIC)) != _MAGIC:
            raise UsageError(
                f"{file} does not begin with {_MAGIC.decode()}, so it is no GGUF file: name one"
            )
    if folder.is_symlink() or folder.is_file() or (folder.is_dir() and any(folder.iterdir())):
        raise UsageError(f"{folder} is there already: name a new folder, or remove it first")
    for package in ("transformers", "gguf"):
        if find_spec(package) is None:
            raise MissingPackage(package, "reading a GGUF file", "models")
    from transformers import AutoModelForCausalLM, AutoTokenizer

    try:
        read = opened(AutoModelForCausalLM, file.parent, gguf_file=file.name)
        tokenizer = opened(AutoTokenizer, file.parent, gguf_file=file.name)
    except Exception as error:
        raise UsageError(f"{file} cannot be read as a model ({why(error)})") from error
    # The library refuses to save what it read from a quantised file, though it is plain by now.
    weights, config = read.state_dict(), read.config
    if hasattr(config, "quantization_config"):
        del config.quantization_config
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        with TemporaryDirectory(prefix=f".{folder.name}.", dir=folder.parent) as begun:
            unfinished = Path(begun) / "model"
            type(read)(config).save_pretrained(unfinished, state_dict=weights)
            tokenizer.save_pretrained(unfinished)
            unfinished.replace(folder)
    except OSError as error:
        raise UsageError(
            f"the model cannot be written to {folder} ({error}): choose another"
        ) from error


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit("usage: python -m globesumm.llm.pine.weights FILE.gguf FOLDER")
    try:
        dequantise(Path(sys.argv[1]), Path(sys.argv[2]))
    except UsageError as problem:
        sys.exit(str(problem))
