"""Extraction measured on real pages with gold; the floors can only rise.

Pages and gold are paired as their origin note says: a page whose gold title does not occur in
it is left out, and of several gold versions the one nearest to what was extracted counts.
"""

import gzip
import html
import json
import os
import re
from collections import Counter
from collections.abc import Iterator
from datetime import UTC, date, datetime
from functools import cache
from pathlib import Path
from statistics import fmean
from typing import NamedTuple

import pytest

from globesumm.errors import DataError
from retrieval.draft import Draft
from retrieval.page import draft_of
from retrieval.title import key

pytestmark = pytest.mark.slow

NOW = datetime(2026, 12, 1, tzinfo=UTC)

# Measured on 133 pages: body .9654 (trafilatura alone .9578), title .9457 (.9183), titles exactly
# right 115 (95), dates within a day 132 of 133 (htmldate 131).
BODY, TITLE, EXACT_TITLES, DATES = 0.965, 0.945, 115, 132

# Of 107 dated pages of 2020 in some 35 languages, 103 are right within a day (htmldate 103); the
# other four are a script wall without text, a tweet, a version of a wiki page, and one that
# states another day than the gold.
HTMLDATE = 103

DATE_DIFFERENCES = {
    # Where ours and htmldate's day differ: (ours, htmldate's, gold).  A day's difference is one of
    # zones: ours is the day in UTC.
    "MBN_2025_06_03": ("2025-06-03", "2025-06-04", "2025-06-03"),
    "TaipeiTimes_2024_10_15": ("2024-10-15", "2024-10-16", "2024-10-15"),
    "TheTelegraph_2023_08_30": ("2023-08-30", "2019-02-05", "2023-08-30"),
    "1647262025": ("2020-06-28", "2020-06-29", "2020-06-28"),
    "1579139187": ("2020-04-15", "2020-04-16", "2020-04-16"),
    "1565998355": ("2020-04-01", "2020-04-02", "2020-04-02"),
    "1523780090": ("2020-02-18", "2020-02-17", "2020-02-17"),
    "1676872902": ("2020-07-09", "2020-07-08", "2020-07-09"),
    "1738268651": ("2020-10-13", "2020-10-14", "2020-10-14"),
    "1588233953": ("2020-04-25", "2020-04-24", "2020-04-24"),
    "1784190729": ("2020-11-30", "2020-12-01", "2020-12-01"),
    "1623715966": ("2020-06-02", "2020-06-03", "2020-06-03"),
    "1806793639": ("2020-12-24", "2020-12-25", "2020-12-25"),
}

WRONG_GOLD_DATES = {"AnadoluAjansi_2025_04_05"}
"""The gold is of another version of the page: 4 May for a page of 5 April."""

UNSPACED = re.compile(r"[\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7af\u0e00-\u0e7f]")


class Gold(NamedTuple):
    title: str
    body: str
    published: str | None


class Pair(NamedTuple):
    name: str
    content: bytes
    url: str | None
    draft: Draft | None
    gold: Gold
    plain_body: str
    plain_title: str


def root(folder: str) -> Path:
    data = os.environ.get("GLOBESUMM_DATA")
    path = Path(data or "") / "pages" / folder
    if not data or not path.is_dir():
        pytest.skip(f"GLOBESUMM_DATA with pages/{folder} is absent")
    return path


def tokens(text: str) -> Counter[str]:
    if UNSPACED.search(text):
        return Counter(char for char in text.casefold() if char.isalnum())
    return Counter(re.findall(r"\w+", text.casefold()))


def token_f1(one: str, other: str) -> float:
    left, right = tokens(one), tokens(other)
    shared = (left & right).total()
    return 2 * shared / (left.total() + right.total()) if shared else 0.0


def golds(path: Path) -> Iterator[Gold]:
    for version in json.loads(path.read_text(encoding="utf-8")).values():
        body = version.get("body") or {}
        parts = list(body.get("summary") or [])
        for section in body.get("sections") or []:
            parts += [*(section.get("headline") or []), *(section.get("paragraphs") or [])]
        if version.get("title") and parts:
            yield Gold(version["title"], "\n".join(parts), version.get("publishing_date"))


@cache
def pairs() -> list[Pair]:
    import trafilatura

    found = []
    for gold_path in sorted(root("fundus").glob("*/*.json")):
        for path in sorted(gold_path.parent.glob(f"{gold_path.stem}_*.html.gz")):
            content = gzip.decompress(path.read_bytes())
            letters = key(html.unescape(content.decode("utf-8", errors="replace")))
            fitting = [gold for gold in golds(gold_path) if key(gold.title) in letters]
            if not fitting:
                continue
            facts = json.loads((path.parent / "meta.info").read_text(encoding="utf-8"))
            url = facts.get(path.name, {}).get("url")
            try:
                draft: Draft | None = draft_of(content, path.name, url=url, now=NOW)
            except DataError:
                draft = None
            text = draft.text if draft else ""
            gold = max(fitting, key=lambda gold: token_f1(text, gold.body))
            plain = trafilatura.extract(content, include_comments=False, include_tables=False)
            about = trafilatura.extract_metadata(content)
            title = about.title if about else None
            name = path.name.split(".")[0]
            found.append(Pair(name, content, url, draft, gold, plain or "", title or ""))
    return found


def test_every_page_with_gold_gives_a_document() -> None:
    assert len(pairs()) >= 130
    assert [pair.name for pair in pairs() if pair.draft is None] == []


def test_bodies_are_better_than_the_extractors_alone_and_never_worse_than_before() -> None:
    ours = fmean(
        token_f1(pair.draft.text if pair.draft else "", pair.gold.body) for pair in pairs()
    )
    plain = fmean(token_f1(pair.plain_body, pair.gold.body) for pair in pairs())
    assert ours >= BODY
    assert ours > plain


def test_titles_are_better_than_the_extractors_alone_and_never_worse_than_before() -> None:
    ours = [token_f1((pair.draft and pair.draft.title) or "", pair.gold.title) for pair in pairs()]
    plain = [token_f1(pair.plain_title, pair.gold.title) for pair in pairs()]
    assert fmean(ours) >= TITLE
    assert fmean(ours) > fmean(plain)
    assert sum(score > 0.999 for score in ours) >= EXACT_TITLES


class Dated(NamedTuple):
    ours: date | None
    htmldates: date | None
    gold: date


def by_htmldate(content: bytes, url: str | None) -> date | None:
    from htmldate import find_date

    markup = content.decode("utf-8", errors="replace")
    found = find_date(markup, url=url, original_date=True, max_date=NOW)
    return date.fromisoformat(found) if found else None


def near(found: date | None, gold: date) -> bool:
    return found is not None and abs((found - gold).days) <= 1


@cache
def dated() -> dict[str, Dated]:
    """Both data sets' pages with a gold date."""
    found = {}
    for pair in pairs():
        if pair.gold.published is None:
            continue
        gold = datetime.fromisoformat(pair.gold.published)
        gold = gold.replace(tzinfo=UTC) if gold.tzinfo is None else gold.astimezone(UTC)
        ours = pair.draft.published if pair.draft else None
        theirs = by_htmldate(pair.content, pair.url)
        found[pair.name] = Dated(ours.date() if ours else None, theirs, gold.date())
    return found


@cache
def dated_in_35_languages() -> dict[str, Dated]:
    folder, found = root("htmldate"), {}
    for row in json.loads((folder / "index_mediacloud_2020.json").read_text(encoding="utf-8")):
        path = folder / row["file"]
        if not path.is_file() or not re.fullmatch(r"\d{4}-\d\d-\d\d", str(row["date"])):
            continue
        content = gzip.decompress(path.read_bytes())
        try:
            ours = draft_of(content, row["file"], url=row["url"], now=NOW).published
        except DataError:
            ours = None
        theirs = by_htmldate(content, row["url"])
        gold = date.fromisoformat(row["date"])
        found[path.name.split(".")[0]] = Dated(ours.date() if ours else None, theirs, gold)
    return found


def test_dates_are_within_a_day_of_the_gold_and_no_worse_than_htmldates() -> None:
    ours = {name for name, row in dated().items() if near(row.ours, row.gold)}
    theirs = {name for name, row in dated().items() if near(row.htmldates, row.gold)}
    assert set(dated()) - ours <= WRONG_GOLD_DATES
    assert len(ours) >= max(DATES, len(theirs))


def test_dates_of_pages_in_35_languages_are_right_within_a_day_and_no_worse() -> None:
    rows = dated_in_35_languages()
    assert len(rows) >= 105
    ours = sum(near(row.ours, row.gold) for row in rows.values())
    theirs = sum(near(row.htmldates, row.gold) for row in rows.values())
    assert ours >= max(HTMLDATE, theirs)


def test_every_date_that_differs_from_htmldates_is_listed() -> None:
    differing = {
        name: (str(row.ours), str(row.htmldates), str(row.gold))
        for name, row in {**dated(), **dated_in_35_languages()}.items()
        if row.ours != row.htmldates
    }
    assert differing == DATE_DIFFERENCES


def test_no_text_begins_with_its_own_headline() -> None:
    for pair in pairs():
        if pair.draft and pair.draft.title:
            lines = map(key, pair.draft.text.splitlines())
            assert key(pair.draft.title) not in lines
