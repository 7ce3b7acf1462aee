"""Tokens of texts, by a counter that says which it is.

The paper counted with tiktoken and worked with GPT-4, whose vocabulary is ``cl100k_base``.
tiktoken downloads that vocabulary unless it lies in its cache; the package ``bpe-openai`` holds
it and counts alike.  Without either, the count is an estimate, and every table says so.
"""

import importlib
import os
from collections.abc import Callable
from dataclasses import dataclass
from hashlib import sha1
from importlib.metadata import version
from pathlib import Path

from globesumm.text.words import words

VOCABULARY = "cl100k_base"
_CACHED_AS = sha1(  # noqa: S324  # tiktoken's own name for the file, no protection
    b"https://openaipublic.blob.core.windows.net/encodings/cl100k_base.tiktoken"
).hexdigest()
_LETTERS_A_TOKEN = 6
_BYTES_A_TOKEN = 2.1


@dataclass(frozen=True, slots=True, kw_only=True)
class TokenCounter:
    """`count` gives the tokens of a text; `name` goes into every table that shows them."""

    name: str
    count: Callable[[str, str], int]


def token_counter() -> TokenCounter:
    """The best counter that works without a network."""
    for module in ("tiktoken", "bpe_openai"):
        if module == "tiktoken" and not _is_cached():
            continue
        try:
            encoding = importlib.import_module(module).get_encoding(VOCABULARY)
        except Exception:  # noqa: BLE001, S112  # not there or not usable here: the next one is
            continue
        encode: Callable[[str], list[int]] = encoding.encode_ordinary

        def count(text: str, _language: str, encode: Callable[[str], list[int]] = encode) -> int:
            return len(encode(text.encode("utf-8", "replace").decode()))

        package = module.replace("_", "-")
        return TokenCounter(name=f"{package} {version(package)} {VOCABULARY}", count=count)
    return ESTIMATE


def _estimate(text: str, language: str) -> int:
    """Words of ASCII letters at one token for each six letters begun, others by their bytes."""
    return sum(
        -(-len(word) // _LETTERS_A_TOKEN)
        if word.isascii()
        else max(1, round(len(word.encode("utf-8", "replace")) / _BYTES_A_TOKEN))
        for word in words(text, language)
    )


ESTIMATE = TokenCounter(name="estimate by words and bytes (no cl100k_base here)", count=_estimate)

NOT_COUNTED = TokenCounter(name="not counted (there are no texts)", count=lambda _text, _code: 0)


def _is_cached() -> bool:
    """Whether tiktoken would find its vocabulary without asking the network."""
    import tempfile

    folder = os.environ.get("TIKTOKEN_CACHE_DIR") or os.environ.get("DATA_GYM_CACHE_DIR")
    where = Path(folder) if folder else Path(tempfile.gettempdir()) / "data-gym-cache"
    return (where / _CACHED_AS).is_file()
