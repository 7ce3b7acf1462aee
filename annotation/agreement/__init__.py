"""Pairs of documents with what markers, working apart, marked on them, and no text.

Every marker (`one` to `five`) is a language model that read the documents in their languages,
not a person.  `sample-pairs.jsonl` is on the sample events, by `one` and `two`;
`multiling-pairs.jsonl` on documents of the public MultiLing 2011 pilot, by `three` and `four` (see
`metrics.marks` for the form); each annotator's marks are lines of their own, made without sight
of the others'.  `five` only inspected findings.

What was marked, sentence by sentence: a *redundancy* where two sentences state a fact of the
event alike, a *conflict* where what they state cannot both be so (with its cause), and an
*omission* for every other sentence, whose matter the other document leaves out.  `two`, `three`
and `four` have an omission too where a sentence repeats in passing and its own news is left out.
For `three` and `four` a mere mention of what all reports are about repeats nothing, and headings
and captions have no marks.

The files of inspections say of what the extractive merge finds beyond the marks whether it is
right (see `metrics.where.Inspected`): an omission is, where a sentence that is otherwise told
tells something more of substance, and a second conflict between the same sentences is.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import as_file, files
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Shipped:
    """Marks and inspections that come with the package, and the data set that they are on.

    `data` is None where the documents come with the package too.
    """

    name: str
    data: str | None = None

    @property
    def marks(self) -> Path:
        """The file of marks."""
        return _path(f"{self.name}-pairs.jsonl")

    @property
    def inspections(self) -> Path:
        """The file of inspected findings on the same pairs."""
        return _path(f"{self.name}-inspected.jsonl")


SHIPPED: Mapping[str, Shipped] = {
    "sample": Shipped("sample"),
    "multiling": Shipped("multiling", data="MultiLing 2011 pilot"),
}
"""The shipped marks by what they are called in place of a file's name."""


def _path(name: str) -> Path:
    with as_file(files(__name__).joinpath(name)) as path:
        return path
