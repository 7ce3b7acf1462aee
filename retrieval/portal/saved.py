"""Pages that somebody saved: wikitext or HTML in a folder, a day's page or a month's."""

import json
import re
from collections.abc import Iterator
from datetime import date
from hashlib import sha256
from pathlib import Path
from typing import Any

from globesumm.errors import DataError, UsageError
from globesumm.text.clean import decode_markup
from globesumm.values import Rejected
from retrieval.files import files_below, plain_name, read_bytes
from retrieval.portal.days import day_in
from retrieval.portal.events import Origin
from retrieval.portal.html import days_in_html
from retrieval.portal.store import GONE, DayPage, State, gone_page
from retrieval.portal.wrapper import LARGEST_PAGE, framed

LARGEST_SAVED = 20 * 1024 * 1024
"""Bytes of the largest file read; a month's page as HTML has about 2 million."""

WIKITEXT = frozenset({".wiki", ".wikitext", ".mediawiki", ".txt"})
HTML = frozenset({".html", ".htm", ".xhtml"})

_REVISION = re.compile(r"\.(\d{1,12})$")


def saved_pages(folder: Path) -> tuple[dict[date, DayPage], list[Rejected]]:
    """The days in a folder, and by name the files that are of no day or cannot be read.

    The day is in the file's name, in the ``.json`` beside it, or in the page itself.  Of several
    pages of one day the one of the highest revision counts.  Raises UsageError where there is no
    such folder.
    """
    if not folder.is_dir():
        raise UsageError(f"--saved {folder}: there is no such folder")
    found: dict[date, DayPage] = {}
    rejected: list[Rejected] = []
    for path in files_below(folder):
        if isinstance(path, Rejected):
            rejected.append(path)
            continue
        try:
            for page in _pages(path):
                before = found.get(page.date)
                if before is None or _rank(page) > _rank(before):
                    found[page.date] = page
        except DataError as error:
            rejected.append(Rejected(where=str(path), reason=str(error).removeprefix(f"{path}: ")))
    return found, rejected


def _rank(page: DayPage) -> tuple[bool, int, bool]:
    """What is whole before what is not, newer revisions before older, wikitext before HTML."""
    return page.state is State.HAD, page.revision or 0, page.form == "wikitext"


def _pages(path: Path) -> Iterator[DayPage]:
    name = plain_name(path)
    suffix = Path(name).suffix.lower()
    if name.endswith(GONE):
        yield gone_page(path)
        return
    if suffix not in WIKITEXT | HTML:
        return
    form = "wikitext" if suffix in WIKITEXT else "html"
    stem = name[: -len(suffix)]
    facts = _facts(path.with_name(f"{stem}.json"))
    content = read_bytes(path, LARGEST_PAGE if form == "wikitext" else LARGEST_SAVED)
    digest = sha256(content).hexdigest()
    cause = None
    if facts.get("sha256") not in {None, digest}:
        cause = f"{path}: its SHA-256 is not the one that {stem}.json states"
    in_name = _REVISION.search(stem)
    revision: int | None = facts.get("revision_id") or (int(in_name[1]) if in_name else None)
    for day in _days(path, stem, content, form, facts):
        yield DayPage(
            date=day,
            state=State.FAILED if cause else State.HAD,
            cause=cause,
            path=str(path.resolve()),
            form=form,
            page=facts.get("page"),
            revision=revision,
            revision_time=facts.get("revision_timestamp"),
            sha256=digest,
        )


def _days(path: Path, stem: str, content: bytes, form: str, facts: dict[str, Any]) -> list[date]:
    stated = day_in(str(facts.get("page") or "")) or day_in(stem)
    if form == "html":
        # A browser may have put the day of saving into the name: the page knows better.
        inside = days_in_html(content, Origin(where=str(path)))
    elif stated is None:
        frames, _ = framed(decode_markup(content, "utf-8").text)
        inside = sorted({frame.day for frame in frames if frame.day})
    else:
        inside = []
    if not inside and stated is None:
        raise DataError(f"{path}: nothing says which day it is of")
    return inside or [stated] if stated else inside


def _facts(path: Path) -> dict[str, Any]:
    """What the ``.json`` beside a page says; nothing if there is none that can be read."""
    try:
        found = json.loads(read_bytes(path, 64 * 1024))
    except (DataError, ValueError, RecursionError):
        return {}
    kinds = {"page": str, "revision_id": int, "revision_timestamp": str, "sha256": str}
    if not isinstance(found, dict):
        return {}
    return {key: found[key] for key, kind in kinds.items() if isinstance(found.get(key), kind)}
