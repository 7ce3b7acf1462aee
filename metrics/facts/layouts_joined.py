"""Corpora whose conversations are put together from several files.

PriMock57 has a transcript of each speaker with times and a note, ECTSum a text and a summary of
the same name in two folders, TweetSumm ids of tweets whose texts lie in the table that it was
drawn from.
"""

import csv
import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from globesumm.errors import DataError, UsageError, cannot_read
from globesumm.values import Rejected
from metrics.facts.sources import Conversation, Turn

Reader = Callable[[Path, "Path | None"], Iterator["Joined | Rejected"]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Joined:
    """A conversation, and the human summaries after its first reference."""

    conversation: Conversation
    further_references: tuple[str, ...] = ()


_INTERVAL = re.compile(
    r'xmin = (?P<start>[\d.]+)\s+xmax = [\d.]+\s+text = "(?P<text>(?:[^"]|"")*)"'
)
_UNHEARD = re.compile(r"<[A-Z_]+/>")
_MARK = re.compile(r"</?[A-Z_]+>")


def primock57(path: Path, _: Path | None) -> Iterator[Joined | Rejected]:
    """A folder of TextGrid files, ``NAME_doctor`` and ``NAME_patient``, or one of the two files.

    Turns are in order of time, without the marks of uncertain words; a stretch that nobody
    understood stays as "(unintelligible)".  The note, ``NAME.json`` in the folder ``notes``
    beside, is the reference.
    """
    for first in _files(path, "*_doctor.TextGrid"):
        name = re.sub(r"_(?:doctor|patient)$", "", first.stem)
        said: list[tuple[float, Turn]] = []
        missing = None
        for speaker in ("doctor", "patient"):
            file = first.with_name(f"{name}_{speaker}{first.suffix}")
            if not file.exists():
                missing = f"{file.name} is not there"
                break
            for one in _INTERVAL.finditer(_text(file)):
                text = _UNHEARD.sub("(unintelligible)", one["text"].replace('""', '"'))
                text = " ".join(_MARK.sub("", text).split())
                if text:
                    start = float(one["start"])
                    said.append((start, Turn(speaker=speaker.capitalize(), text=text)))
        if missing or not said:
            yield Rejected(where=str(first), reason=missing or "no interval with text")
            continue
        note = first.parent.parent / "notes" / f"{name}.json"
        said.sort(key=lambda one: one[0])
        yield Joined(
            conversation=Conversation(
                id=f"PriMock57-{name}",
                turns=tuple(turn for _, turn in said),
                corpus="PriMock57",
                scenario="healthcare",
                reference=_note(note) if note.exists() else None,
            )
        )


def ectsum(path: Path, _: Path | None) -> Iterator[Joined | Rejected]:
    """A folder ``ects`` of texts, one sentence a line without speakers, or one of its files.

    The reference is the file of the same name in the folder ``gt_summaries`` beside.
    """
    for file in _files(path, "*.txt"):
        lines = [line.strip() for line in _text(file).splitlines() if line.strip()]
        if not lines:
            yield Rejected(where=str(file), reason="no text")
            continue
        summary = file.parent.parent / "gt_summaries" / file.name
        yield Joined(
            conversation=Conversation(
                id=f"ECTSum-{file.stem}",
                turns=tuple(Turn(speaker="?", text=line) for line in lines),
                corpus="ECTSum",
                scenario="meeting",
                reference=_text(summary).strip() or None if summary.exists() else None,
            )
        )


def tweetsumm(path: Path, tweets: Path | None) -> Iterator[Joined | Rejected]:
    """Conversations of tweet ids with offsets; the texts are in `tweets`, ``twcs.csv``.

    That is the table Customer Support on Twitter, with the columns tweet_id, inbound and text.
    The first abstractive summary is the reference.  Raises `UsageError` without the table.
    """
    if tweets is None:
        raise UsageError(
            "TweetSumm holds ids of tweets and no text: name the table Customer Support on "
            "Twitter (twcs.csv) with --tweets"
        )
    records = list(_lines(path))
    wanted = {
        str(one.get("tweet_id"))
        for _, record in records
        for one in _objects(record.get("tweet_ids_sentence_offset"))
    }
    texts = _tweets(tweets, wanted)
    for where, record in records:
        given = list(_objects(record.get("tweet_ids_sentence_offset")))
        absent = [
            str(one.get("tweet_id")) for one in given if str(one.get("tweet_id")) not in texts
        ]
        if absent or not given:
            reason = f"tweet {absent[0]} is not in {tweets.name}" if absent else "no tweets"
            yield Rejected(where=where, reason=reason)
            continue
        abstracts = [
            "\n".join(str(sentence) for sentence in held)
            for one in _objects(record.get("annotations"))
            if isinstance(held := one.get("abstractive"), list) and held
        ]
        yield Joined(
            conversation=Conversation(
                id=f"TweetSumm-{record.get('conversation_id') or where}",
                turns=tuple(_turn(one, texts) for one in given),
                corpus="TweetSumm",
                scenario="customer service",
                reference=abstracts[0] if abstracts else None,
            ),
            further_references=tuple(abstracts[1:]),
        )


JOINED: Mapping[str, tuple[str, Reader]] = {
    "primock57": ("PriMock57", primock57),
    "ectsum": ("ECTSum", ectsum),
    "tweetsumm": ("TweetSumm", tweetsumm),
}
"""By corpus, in lower case: its name and its reader."""


def _turn(one: Mapping[str, Any], texts: Mapping[str, tuple[bool, str]]) -> Turn:
    """A tweet's sentences, cut out by their offsets; the whole tweet where none can be read."""
    inbound, text = texts[str(one.get("tweet_id"))]
    offsets = one.get("sentence_offsets")
    pairs = [
        re.fullmatch(r"\[?\s*(\d+)\s*,\s*(\d+)\s*\]?", str(offset))
        for offset in (offsets if isinstance(offsets, list) else [])
    ]
    sentences = [text[int(pair[1]) : int(pair[2])] for pair in pairs if pair]
    return Turn(speaker="Customer" if inbound else "Agent", text=" ".join(sentences) or text)


def _tweets(path: Path, wanted: set[str]) -> dict[str, tuple[bool, str]]:
    """Whether a customer wrote it, and its text, of each wanted tweet."""
    try:
        with path.open(encoding="utf-8-sig", newline="") as stream:
            rows = csv.DictReader(stream)
            if not {"tweet_id", "inbound", "text"} <= set(rows.fieldnames or ()):
                raise DataError(f"{path}: the columns tweet_id, inbound and text are needed")
            return {
                row["tweet_id"]: ((row["inbound"] or "").casefold() == "true", row["text"] or "")
                for row in rows
                if row["tweet_id"] in wanted
            }
    except OSError as error:
        raise DataError(cannot_read(path, error)) from error
    except (UnicodeDecodeError, csv.Error) as error:
        raise DataError(
            f"{path}: cannot be read as a table of tweets ({error}): correct it there, or fetch it "
            "again"
        ) from error


def _lines(path: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    for number, line in enumerate(_text(path).split("\n"), 1):
        if not line.strip():
            continue
        try:
            record = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise DataError(
                f"{path}:{number}: cannot be read as JSON ({error}): correct that line"
            ) from error
        yield f"{path}:{number}", record if isinstance(record, dict) else {}


def _objects(given: object) -> Iterator[dict[str, Any]]:
    return (one for one in given if isinstance(one, dict)) if isinstance(given, list) else iter(())


def _note(path: Path) -> str | None:
    try:
        held = json.loads(_text(path))
    except (ValueError, RecursionError) as error:
        raise DataError(f"{path}: cannot be read as JSON ({error}): correct it there") from error
    note = held.get("note") if isinstance(held, dict) else None
    return note.strip() or None if isinstance(note, str) else None


def _files(path: Path, pattern: str) -> list[Path]:
    found = sorted(path.glob(pattern)) if path.is_dir() else [path]
    if not found:
        raise DataError(f"{path}: no file {pattern}: name the folder that holds some")
    return found


def _text(path: Path) -> str:
    try:
        content = path.read_bytes()
        # Praat writes UTF-16 where a text needs it.
        wide = content.startswith((b"\xff\xfe", b"\xfe\xff"))
        return content.decode("utf-16" if wide else "utf-8-sig")
    except OSError as error:
        raise DataError(cannot_read(path, error)) from error
    except UnicodeDecodeError as error:
        raise DataError(
            f"{path}: cannot be read as text ({error}): write it in UTF-8, or fetch it again"
        ) from error
