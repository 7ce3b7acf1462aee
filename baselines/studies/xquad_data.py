"""Questions about paragraphs in the layout of SQuAD, as XQuAD has them in twelve languages.

A file is ``{"data": [{"paragraphs": [{"context": …, "qas": [{"id", "question", "answers":
[{"text"}]}]}]}]}``, plain or gzipped; it does not say its language.
"""

import gzip
import json
import zlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from globesumm.errors import DataError, UnknownName, UsageError
from globesumm.languages import UNKNOWN, parse

LARGEST = 256 * 1024 * 1024
"""Bytes of the largest file read, unpacked."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """One question; `answers` are the texts that are right, in the file's language."""

    id: str
    text: str
    answers: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Paragraph:
    """One paragraph and what is asked about it; `place` counts from 1 in its file."""

    language: str
    place: int
    context: str
    questions: tuple[Question, ...]

    @property
    def name(self) -> str:
        """As errors and results call it: ``de-17``."""
        return f"{self.language}-{self.place}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Questions:
    """One file: its language, its paragraphs, and how many questions had nothing to answer."""

    language: str
    paragraphs: tuple[Paragraph, ...]
    left_out: int = 0


def read_questions(source: str) -> Questions:
    """The file that `source` names, ``FILE`` or ``LANGUAGE=FILE``.

    Without a language the file's name must hold one between dots (``xquad.de.json.gz``).
    Questions without an id, a text or an answer are left out and counted.  Raises `UsageError`
    where there is no file or no language, `DataError` where it is not in the layout.
    """
    code, equals, rest = source.partition("=")
    path = Path(rest if equals else source)
    language = parse(code) if equals else _language_of(path)
    if language == UNKNOWN:
        raise UsageError(f"{source}: 'und' is no language: name it, for instance de={path}")
    return _questions(_plain(path), language, path)


def cut(
    files: Sequence[Questions], paragraphs: int | None, questions: int | None
) -> list[Questions]:
    """The first `paragraphs` of every file, and of each the first `questions`."""
    return [
        Questions(
            language=one.language,
            paragraphs=tuple(
                Paragraph(
                    language=held.language,
                    place=held.place,
                    context=held.context,
                    questions=held.questions[:questions],
                )
                for held in one.paragraphs[:paragraphs]
            ),
            left_out=one.left_out,
        )
        for one in files
    ]


def _language_of(path: Path) -> str:
    for part in path.name.split(".")[:-1]:
        try:
            found = parse(part)
        except UnknownName:
            continue
        if found != UNKNOWN:
            return found
    raise UsageError(f"{path}: its name says no language: write it before it, as in de={path}")


def _plain(path: Path) -> Any:
    try:
        with path.open("rb") as file:
            packed = file.read(2) == b"\x1f\x8b"
        with gzip.open(path) if packed else path.open("rb") as file:
            content = file.read(LARGEST + 1)
    except (OSError, EOFError, zlib.error) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise DataError(f"{path}: cannot be read ({reason})") from error
    if len(content) > LARGEST:
        raise DataError(f"{path}: larger than {LARGEST} bytes: name a file of XQuAD")
    try:
        return json.loads(content)
    except (ValueError, RecursionError) as error:
        raise DataError(f"{path}: not JSON ({error}): take the file anew") from error


def _questions(plain: Any, language: str, path: Path) -> Questions:
    paragraphs: list[Paragraph] = []
    left_out = 0
    try:
        contexts = [
            (str(paragraph["context"]), list(paragraph["qas"]))
            for article in plain["data"]
            for paragraph in article["paragraphs"]
        ]
    except (TypeError, KeyError) as error:
        raise DataError(
            f"{path}: not in the layout of SQuAD (data, paragraphs, context, qas; {error}): "
            "name a file that is"
        ) from error
    seen: set[str] = set()
    for place, (context, asked) in enumerate(contexts, start=1):
        found = [one for entry in asked if (one := _question(entry)) and one.id not in seen]
        seen |= {one.id for one in found}
        left_out += len(asked) - len(found)
        if not context.strip():
            left_out += len(found)
            continue
        paragraphs.append(
            Paragraph(language=language, place=place, context=context, questions=_merged(found))
        )
    if not any(one.questions for one in paragraphs):
        raise DataError(f"{path}: no question in it has a text and an answer")
    return Questions(language=language, paragraphs=tuple(paragraphs), left_out=left_out)


def _merged(found: Sequence[Question]) -> tuple[Question, ...]:
    """Questions in the same words about one paragraph have each other's right answers.

    XQuAD asks two of them twice, and no answer tells which of the two was meant.
    """
    answers: dict[str, dict[str, None]] = {}
    for one in found:
        answers.setdefault(one.text, {}).update(dict.fromkeys(one.answers))
    return tuple(replace(one, answers=tuple(answers[one.text])) for one in found)


def _question(entry: Any) -> Question | None:
    try:
        answers = tuple(dict.fromkeys(str(one["text"]) for one in entry["answers"]))
        name, text = str(entry["id"]), str(entry["question"])
    except (TypeError, KeyError):
        return None
    answers = tuple(one for one in answers if one.strip())
    return Question(id=name, text=text, answers=answers) if text.strip() and answers else None
