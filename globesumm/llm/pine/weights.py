"""Weights in a GGUF file as a folder that `transformers` opens, so that any backend in process can.

::

    python -m globesumm.llm.pine.weights FILE.gguf FOLDER
"""

import sys
from importlib.util import find_spec
from pathlib import Path

from globesumm.errors import MissingPackage, UsageError
from globesumm.llm.errors import excerpt


def dequantise(file: Path, folder: Path) -> None:
    """Write the model and tokenizer of `file` to `folder`, the weights as float32.

    Raises `UsageError` where there is no such file or it cannot be read as a model, and
    `MissingPackage` without `transformers` or `gguf`.
    """
    if not file.is_file():
        raise UsageError(f"there is no file {file}")
    for package in ("transformers", "gguf"):
        if find_spec(package) is None:
            raise MissingPackage(package, "reading a GGUF file", "models")
    from transformers import AutoModelForCausalLM, AutoTokenizer

    try:
        read = AutoModelForCausalLM.from_pretrained(file.parent, gguf_file=file.name)
        tokenizer = AutoTokenizer.from_pretrained(file.parent, gguf_file=file.name)
    except Exception as error:
        reason = excerpt(str(error), 200)
        raise UsageError(f"{file} cannot be read as a model ({reason})") from error
    # The library refuses to save what it read from a quantised file, though it is plain by now.
    weights, config = read.state_dict(), read.config
    if hasattr(config, "quantization_config"):
        del config.quantization_config
    type(read)(config).save_pretrained(folder, state_dict=weights)
    tokenizer.save_pretrained(folder)


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit("usage: python -m globesumm.llm.pine.weights FILE.gguf FOLDER")
    try:
        dequantise(Path(sys.argv[1]), Path(sys.argv[2]))
    except UsageError as problem:
        sys.exit(str(problem))
