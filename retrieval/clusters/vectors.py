"""What a report begins with, as a vector that is the same story's in every language.

Encoding is what takes time, so each beginning is encoded once and kept in a file.
"""

from collections.abc import Sequence
from hashlib import sha256
from io import BytesIO
from pathlib import Path
from typing import Protocol
from zipfile import BadZipFile

import numpy as np
from numpy.typing import NDArray

from globesumm.errors import DataError
from globesumm.progress import track
from globesumm.records import write_bytes
from globesumm.values import Document

LEAD = 300
"""Characters of title and text that are encoded."""

_BATCH = 16
_SAVE_EVERY = 32

Vectors = NDArray[np.float32]


class Encoder(Protocol):
    """Texts to vectors of length 1 in one space for all languages."""

    @property
    def name(self) -> str: ...

    def encode(self, texts: Sequence[str]) -> Vectors:
        """(number of texts, dimensions) vectors."""
        ...


def lead(document: Document) -> str:
    """The title and as much of the text as stands in the first `LEAD` characters."""
    text = f"{document.title or ''}\n{' '.join(document.text[: 2 * LEAD].split())}"
    return text.strip()[:LEAD]


def vectors(documents: Sequence[Document], encoder: Encoder, kept: Path | None = None) -> Vectors:
    """(documents, dimensions) vectors of the documents' beginnings.

    `kept` is a file of vectors made before; it is read, and completed as the work goes on, so
    that a stopped run loses little.  Vectors of another encoder in it are not used.
    """
    known = _read(kept, encoder.name) if kept is not None else {}
    leads = [lead(document) for document in documents]
    keys = [sha256(text.encode("utf-8", "replace")).hexdigest() for text in leads]
    missing = list(
        {key: text for key, text in zip(keys, leads, strict=True) if key not in known}.items()
    )
    batches = [missing[start : start + _BATCH] for start in range(0, len(missing), _BATCH)]
    for number, batch in enumerate(track(batches, "beginnings encoded"), start=1):
        rows = encoder.encode([text for _, text in batch])
        known |= {key: row for (key, _), row in zip(batch, rows, strict=True)}
        if kept is not None and (number % _SAVE_EVERY == 0 or number == len(batches)):
            _write(kept, encoder.name, known)
    if not keys:
        return np.zeros((0, 1), dtype=np.float32)
    return np.stack([known[key] for key in keys]).astype(np.float32)


def _read(path: Path, name: str) -> dict[str, NDArray[np.float32]]:
    if not path.exists():
        return {}
    try:
        with np.load(path, allow_pickle=False) as held:
            if str(held["encoder"]) != f"{name}|{LEAD}":
                return {}
            return dict(zip(map(str, held["keys"]), held["vectors"], strict=True))
    except (OSError, ValueError, KeyError, EOFError, BadZipFile) as error:
        raise DataError(f"{path}: no file of vectors ({error}); delete it") from error


def _write(path: Path, name: str, known: dict[str, NDArray[np.float32]]) -> None:
    out = BytesIO()
    keys = np.array(list(known))
    rows = np.stack(list(known.values()))
    np.savez(out, encoder=np.array(f"{name}|{LEAD}"), keys=keys, vectors=rows)
    write_bytes(path, out.getvalue())
