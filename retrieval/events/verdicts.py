"""What people judged, from TREC judgements or JSON Lines, and whose word counts.

A JSON Lines row has ``event``, ``document`` and ``relevant`` (true or false), or the three
criteria; ``judge`` names the person.  Rows whose answers are null are not judged yet, so that a
file of candidates can be handed out, filled in and given back.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from globesumm.errors import DataError, UsageError
from globesumm.records import read_plain_records, to_json, write_text
from globesumm.values import Rejected
from retrieval.events.candidates import Candidate
from retrieval.events.judging import Verdict
from retrieval.index.trec import unquoted

PEOPLE = "people"
_CRITERIA = ("same_event", "cause_or_consequence", "perspective")


@dataclass(slots=True, kw_only=True)
class Judged:
    """The people's verdict on each (event, document); `rejected` names rows that say nothing."""

    verdicts: dict[tuple[str, str], Verdict] = field(default_factory=dict)
    rows: int = 0
    rejected: list[Rejected] = field(default_factory=list)


def people_in(paths: Iterable[Path]) -> Judged:
    """The judgements in all files together.

    Of several people the majority counts; where they are divided, nothing is decided, and that
    is the verdict's note.  Raises `UsageError` for a file that cannot be read.
    """
    judged = Judged()
    said: dict[tuple[str, str], list[Verdict]] = {}
    for path in paths:
        if not path.is_file():
            raise UsageError(
                f"{path}: no file of judgements there: globesumm label results writes one"
            )
        try:
            for one in _rows(path):
                if isinstance(one, Rejected):
                    judged.rejected.append(one)
                elif one.relevant is not None:
                    judged.rows += 1
                    said.setdefault((one.event, one.document), []).append(one)
        except DataError as error:
            raise UsageError(str(error)) from error
    judged.verdicts = {key: _together(verdicts) for key, verdicts in said.items()}
    return judged


def _together(verdicts: list[Verdict]) -> Verdict:
    if len(verdicts) == 1:
        return verdicts[0]
    yes = sum(bool(one.relevant) for one in verdicts)
    no = len(verdicts) - yes
    first = verdicts[0]
    return Verdict(
        event=first.event,
        document=first.document,
        judge=", ".join(dict.fromkeys(one.judge for one in verdicts)),
        relevant=None if yes == no else yes > no,
        same_event=_most(one.same_event for one in verdicts),
        cause_or_consequence=_most(one.cause_or_consequence for one in verdicts),
        perspective=_most(one.perspective for one in verdicts),
        note=f"{yes} yes, {no} no",
    )


def _most(answers: Iterable[bool | None]) -> bool | None:
    given = [answer for answer in answers if answer is not None]
    yes = sum(given)
    return None if 2 * yes == len(given) else 2 * yes > len(given)


def _rows(path: Path) -> Iterator[Verdict | Rejected]:
    with path.open("rb") as file:
        head = file.read(4096).lstrip(b"\xef\xbb\xbf \t\r\n")
    if not head.startswith(b"{"):
        yield from _qrels(path)
        return
    for row in read_plain_records(path):
        yield row if isinstance(row, Rejected) else _of_row(row[0], row[1])


def _qrels(path: Path) -> Iterator[Verdict | Rejected]:
    """TREC's lines: event, an ignored field, document, relevance (above 0 is yes)."""
    text = path.read_text(encoding="utf-8-sig", errors="replace")
    for number, line in enumerate(text.splitlines(), start=1):
        fields = line.split()
        if not fields:
            continue
        where = f"{path}:{number}"
        if len(fields) != 4 or not fields[3].lstrip("-").isdecimal():
            reason = "no judgement: write EVENT 0 DOCUMENT RELEVANCE"
            yield Rejected(where=where, reason=reason, excerpt=line[:200])
            continue
        yield Verdict(
            event=unquoted(fields[0]),
            document=unquoted(fields[2]),
            judge=PEOPLE,
            relevant=int(fields[3]) > 0,
        )


def _of_row(where: str, row: Mapping[str, Any]) -> Verdict | Rejected:
    event, document, judge = row.get("event"), row.get("document"), row.get("judge", PEOPLE)
    if not isinstance(event, str) or not isinstance(document, str):
        return Rejected(where=where, reason="no judgement: event and document are missing")
    answers = {name: row.get(name) for name in ("relevant", *_CRITERIA)}
    for name, answer in answers.items():
        if answer is not None and not isinstance(answer, bool):
            return Rejected(where=where, reason=f"{name} is {answer!r}: write true, false or null")
    criteria = [answers[name] for name in _CRITERIA]
    stated = answers["relevant"]
    met = any(criteria) if any(answer is not None for answer in criteria) else None
    if stated is not None and met is not None and stated is not met:
        reason = "relevant says otherwise than the criteria: one yes among them makes it true"
        return Rejected(where=where, reason=reason)
    return Verdict(
        event=event,
        document=document,
        judge=judge if isinstance(judge, str) and judge.strip() else PEOPLE,
        relevant=met if stated is None else stated,
        same_event=criteria[0],
        cause_or_consequence=criteria[1],
        perspective=criteria[2],
    )


def hand_out(
    path: Path,
    candidates: Sequence[Candidate],
    descriptions: Mapping[str, str],
    by_model: Mapping[tuple[str, str], Verdict],
) -> None:
    """Every candidate as a row of `path` for people to fill in; rows they filled in stay.

    Raises `UsageError` where a row cannot be read, so that no one's work is lost.
    """
    rows: dict[tuple[str, str], dict[str, Any]] = {}
    more: list[dict[str, Any]] = []
    for one in read_plain_records(path) if path.exists() else ():
        if isinstance(one, Rejected):
            raise UsageError(f"{one.where}: {one.reason}: mend that line, or remove it")
        _, row = one
        if any(row.get(name) is not None for name in ("relevant", *_CRITERIA)):
            key = (str(row.get("event")), str(row.get("document")))
            if key in rows:
                # A second person's answer on the same candidate.
                more.append(row)
            else:
                rows[key] = row
    listed = []
    for candidate in candidates:
        key = (candidate.event, candidate.document)
        filled = rows.pop(key) if key in rows else None
        listed.append(filled or _blank(candidate, descriptions, by_model.get(key)))
    new = "".join(f"{to_json(row)}\n" for row in (*listed, *rows.values(), *more))
    if not path.exists() or path.read_text(encoding="utf-8") != new:
        write_text(path, new)


def _blank(
    candidate: Candidate, descriptions: Mapping[str, str], verdict: Verdict | None
) -> dict[str, Any]:
    model = None
    if verdict is not None:
        answer = {True: "yes", False: "no", None: "no answer"}[verdict.relevant]
        model = f"{verdict.judge}: {answer}" + "".join(f", {name}" for name in verdict.met)
    return {
        "event": candidate.event,
        "document": candidate.document,
        "relevant": None,
        **dict.fromkeys(_CRITERIA),
        "judge": None,
        "description": descriptions[candidate.event],
        "language": candidate.language,
        "rank": candidate.rank,
        "title": candidate.title,
        "url": candidate.url,
        "model": model,
    }
