"""The layouts in which the corpora named by OmniCSEval (appendix A) are published.

One row a layout; written from the corpora's own descriptions and published files.  Those that are
put together from several files are in `metrics.facts.layouts_joined`.
"""

import csv
import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from html import unescape
from itertools import cycle, islice
from pathlib import Path
from typing import Any

from globesumm.errors import DataError, UnknownName, cannot_read
from globesumm.values import Rejected
from metrics.facts.layouts_joined import JOINED
from metrics.facts.sources import Conversation, Source, Turn, of_conversation

NOBODY = "?"
"""The speaker of what nobody is named for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Layout:
    """Where a record of a corpus holds what: `turns` text or a list, `speakers` beside it.

    `file` is how records lie in a file: ``json`` (a list, or one object), ``jsonl`` or ``csv``.
    `alternating` names who speaks in turn where nobody is named; `markup` says that the turns are
    a screenplay in tags.
    """

    corpus: str
    scenario: str
    file: str
    id: tuple[str, ...]
    turns: str
    reference: str
    speakers: str | None = None
    alternating: tuple[str, ...] = ()
    markup: bool = False


LAYOUTS = {
    row.corpus.casefold(): row
    for row in (
        Layout(corpus="SAMSum", scenario="daily life", file="json", id=("id",),
               turns="dialogue", reference="summary"),
        Layout(corpus="DialogSum", scenario="daily life", file="jsonl", id=("fname",),
               turns="dialogue", reference="summary"),
        Layout(corpus="MediaSum", scenario="media interview", file="json", id=("id",),
               turns="utt", speakers="speaker", reference="summary"),
        Layout(corpus="SummScreen", scenario="screenplay", file="jsonl",
               id=("Show Title", "Episode Number", "filename"), turns="Transcript",
               reference="Recap"),
        Layout(corpus="MovieSum", scenario="screenplay", file="jsonl", id=("movie_name",),
               turns="script", reference="summary", markup=True),
        Layout(corpus="TODSum", scenario="customer service", file="json", id=("dialog_id",),
               turns="text", reference="summary", alternating=("User", "Agent")),
        Layout(corpus="ACI-Bench", scenario="healthcare", file="csv", id=("encounter_id",),
               turns="dialogue", reference="note"),
        Layout(corpus="MTS-Dialog", scenario="healthcare", file="csv", id=("ID",),
               turns="dialogue", reference="section_text"),
        Layout(corpus="MeetingBank", scenario="meeting", file="jsonl", id=("uid", "id"),
               turns="transcript", reference="summary"),
        Layout(corpus="QMSum", scenario="meeting", file="jsonl", id=("id",),
               turns="meeting_transcripts", reference="general_query_list"),
    )
}  # fmt: skip
"""By corpus, in lower case."""

_SPOKEN = re.compile(
    r"\s*+(?:\[(?P<square>[^\]\n]{1,60})\]|(?P<name>[^:\n]{1,60}?)\s*+:)\s*(?P<text>.*)"
)


_TAGGED = re.compile(
    r"<(stage_direction|scene_description|character|dialogue|parenthetical)>(.*?)</\1>", re.DOTALL
)


def corpora() -> list[str]:
    """Every corpus that can be read."""
    return [row.corpus for row in LAYOUTS.values()] + [name for name, _ in JOINED.values()]


def read_corpus(path: Path, corpus: str, tweets: Path | None = None) -> Iterator[Source | Rejected]:
    """The conversations of a corpus's file or folder; a record without turns is `Rejected`.

    `tweets` is the table that TweetSumm's texts are in.  Raises `UnknownName` for a corpus that is
    in no row, `DataError` for a file of another kind, `UsageError` where `tweets` is missing.
    """
    joined = JOINED.get(corpus.casefold())
    if joined is not None:
        for one in joined[1](path, tweets):
            if isinstance(one, Rejected):
                yield one
            else:
                source = of_conversation(one.conversation)
                yield replace(source, further_references=one.further_references)
        return
    layout = LAYOUTS.get(corpus.casefold())
    if layout is None:
        raise UnknownName("corpus", corpus, corpora())
    for number, record in enumerate(_records(path, layout.file), 1):
        where = f"{path}: record {number}"
        if not isinstance(record, dict):
            yield Rejected(where=where, reason="no object")
            continue
        turns = tuple(_given_turns(record, layout))
        if not any(turn.text.strip() for turn in turns):
            yield Rejected(where=where, reason=f"no text in {layout.turns!r}")
            continue
        names = [str(record[key]) for key in layout.id if record.get(key) not in (None, "")]
        yield of_conversation(
            Conversation(
                id=f"{layout.corpus}-{' '.join(names) or f'{path.stem}-{number}'}",
                turns=turns,
                corpus=layout.corpus,
                scenario=layout.scenario,
                reference=_reference(record.get(layout.reference)),
            )
        )


def _records(path: Path, kind: str) -> Iterator[Any]:
    try:
        text = path.read_text(encoding="utf-8-sig")
        if kind == "csv":
            yield from csv.DictReader(text.splitlines(keepends=True))
        elif kind == "json":
            whole = json.loads(text)
            yield from whole if isinstance(whole, list) else [whole]
        elif isinstance(whole := _whole(text), list | dict):
            yield from whole if isinstance(whole, list) else [whole]
        else:
            yield from (json.loads(line) for line in text.split("\n") if line.strip())
    except OSError as error:
        raise DataError(cannot_read(path, error)) from error
    except (ValueError, csv.Error, RecursionError) as error:
        raise DataError(
            f"{path}: cannot be read as {kind} ({error}): correct it there, or fetch it again"
        ) from error


def _whole(text: str) -> Any:
    """A file of one JSON value, as some copies of corpora in JSON Lines are; None for others."""
    try:
        return json.loads(text)
    except ValueError:
        return None


def _given_turns(record: dict[str, Any], layout: Layout) -> Iterator[Turn]:
    given = record.get(layout.turns)
    if layout.markup:
        return _screenplay(given)
    if layout.alternating and isinstance(given, list):
        return _turns(given, list(islice(cycle(layout.alternating), len(given))))
    return _turns(given, record.get(layout.speakers or ""))


def _screenplay(given: Any) -> Iterator[Turn]:
    """What characters say, and what is told of scenes, by nobody.

    The tags are looked for and not parsed: some screenplays are no well-formed XML, and no entity
    of theirs is to be expanded.
    """
    speaker = NOBODY
    for tag, text in _TAGGED.findall(given if isinstance(given, str) else ""):
        said = " ".join(unescape(text).split())
        if tag == "character":
            speaker = said or NOBODY
        elif said:
            yield Turn(speaker=speaker if tag == "dialogue" else NOBODY, text=said)


def _turns(given: Any, speakers: Any) -> Iterator[Turn]:
    if isinstance(given, str):
        given = given.splitlines()
    if not isinstance(given, list):
        return
    names: Iterable[Any] = speakers if isinstance(speakers, list) else [None] * len(given)
    for said, speaker in zip(given, names, strict=False):
        if isinstance(said, dict):
            text = said.get("content", said.get("text", ""))
            yield Turn(speaker=str(said.get("speaker") or NOBODY), text=str(text))
        elif not isinstance(said, str) or not said.strip():
            continue
        elif speaker is not None:
            yield Turn(speaker=str(speaker), text=said)
        else:
            found = _SPOKEN.fullmatch(said)
            if found:
                name = found["square"] or found["name"]
                yield Turn(speaker=name.strip("# ") or NOBODY, text=found["text"])
            else:
                yield Turn(speaker=NOBODY, text=said)


def _reference(given: Any) -> str | None:
    if isinstance(given, list):
        parts = [one.get("answer", "") if isinstance(one, dict) else str(one) for one in given]
        given = "\n".join(part for part in parts if part)
    return given.strip() or None if isinstance(given, str) else None
