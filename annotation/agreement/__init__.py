"""Pairs of documents of the sample events with what two markers, working apart, marked on them.

Both markers (`one` and `two`) are language models that read the documents, not people.

`sample-pairs.jsonl` holds the marks (see `metrics.marks` for the form), each annotator's in lines
of their own.  What was marked, sentence by sentence: a *redundancy* where two sentences state a
fact of the event alike, a *conflict* where what they state cannot both be so (with its cause),
and an *omission* for every other sentence, whose matter the other document leaves out; the second
marker has an omission too where a sentence repeats in passing and its own news is left out.

`sample-inspected.jsonl` says of what the extractive merge finds beyond them whether it is right
(see `metrics.where.Inspected`): an omission is, where a sentence that is otherwise told tells
something more of substance, and a second conflict between the same sentences is.
"""

from importlib.resources import as_file, files
from pathlib import Path

SAMPLE = "sample"
"""What the shipped marks are called in place of a file's name."""


def sample_marks() -> Path:
    """The file of marks on pairs of the sample events."""
    with as_file(files(__name__).joinpath("sample-pairs.jsonl")) as path:
        return path


def sample_inspections() -> Path:
    """The file of inspected findings on the same pairs."""
    with as_file(files(__name__).joinpath("sample-inspected.jsonl")) as path:
        return path
