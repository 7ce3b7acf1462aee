"""The names and numbers by which two reports of one event give themselves away.

A name is a word with a capital that does not begin a sentence; it is compared as it is
written, so only within one script.  A number has two digits or more, in any script's digits, and
separators make no difference.  How much a shared one says falls with the documents that have it
(inverse document frequency; Spärck Jones, 1972).
"""

import unicodedata
from collections import Counter
from collections.abc import Sequence
from importlib import import_module
from typing import Any

import numpy as np
import regex

from globesumm.values import Document

READ = 1500
"""Characters that are looked at: a report names its event early."""

_NAME = regex.compile(
    r"(?<=[\p{Ll}\p{N},;:)»”\"]\s{1,2}[«“\"(]?)\p{Lu}[\p{L}\p{M}’'-]{2,40}", regex.VERSION1
)
_NUMBER = regex.compile(r"\p{Nd}{1,20}(?:[.,'’\u00a0\u202f ]\p{Nd}{3}){0,6}(?:[.,]\p{Nd}{1,4})?")
_LEAST_WEIGHT = 0.1


def names(document: Document) -> frozenset[str]:
    """The names (folded) and numbers (``#296``) in the title and the beginning of the text."""
    text = f"{document.title or ''}. {document.text[:READ]}"
    found = {match[0].casefold().rstrip("s’'-") for match in _NAME.finditer(text)}
    for match in _NUMBER.finditer(text):
        digits = "".join(str(unicodedata.digit(one)) for one in match[0] if one.isdecimal())
        if len(digits) > 1:
            found.add(f"#{digits}")
    return frozenset(found - {""})


def weighted(sets: Sequence[frozenset[str]]) -> Any:
    """(documents, names) sparse rows of length 1 (or 0), for cosines between documents."""
    sparse: Any = import_module("scipy.sparse")

    counts = Counter(name for names_ in sets for name in names_)
    place = {name: at for at, name in enumerate(sorted(n for n in counts if counts[n] > 1))}
    rows, columns, values = [], [], []
    for row, names_ in enumerate(sets):
        for name in sorted(names_ & place.keys()):
            rows.append(row)
            columns.append(place[name])
            values.append(max(_LEAST_WEIGHT, float(np.log(len(sets) / counts[name]))))
    shape = (len(sets), max(1, len(place)))
    matrix = sparse.csr_matrix((values, (rows, columns)), shape=shape, dtype=np.float32)
    lengths = np.sqrt(np.asarray(matrix.multiply(matrix).sum(axis=1)).ravel())
    scale = np.divide(1.0, lengths, out=np.zeros_like(lengths), where=lengths > 0)
    return (sparse.diags(scale) @ matrix).tocsr().astype(np.float32)
