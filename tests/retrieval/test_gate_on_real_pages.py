"""The gate on pages saved from the web: every wall is rejected by name, no report is."""

import gzip
import json
import os
from functools import cache
from pathlib import Path

import pytest

from globesumm.values import Document, Rejected
from retrieval.draft import RawPage
from retrieval.extract import extract
from retrieval.extract_page import Extraction

pytestmark = pytest.mark.slow

WALLS = {
    "1566929327": "script-wall",
    "1564637733": "not-an-article",
    "1552005464": "not-an-article",
    "1579141678": "home-page",
}
"""The pages that the origin note names as ones to reject, as far as they are there."""

NO_REPORTS = {
    "1571322029": "not-an-article",  # a difference between two versions of a wiki page
    "1687351353": None,  # an entry of a register of companies
    "1799801548": None,  # an advertisement
    "1587353145": None,  # a library's entry on a paper
}
"""Other pages that are no news: rejecting them is right, and taking them no fault of the gate."""


def folder(name: str) -> Path:
    data = os.environ.get("GLOBESUMM_DATA")
    path = Path(data or "") / "pages" / name
    if not data or not path.is_dir():
        pytest.skip(f"GLOBESUMM_DATA with pages/{name} is absent")
    return path


def results(pages: list[RawPage]) -> dict[str, Document | Rejected]:
    found = extract(pages, settings=Extraction())
    return {page.where: one for page, one in zip(pages, found, strict=True)}


@cache
def of_35_languages() -> dict[str, Document | Rejected]:
    here = folder("htmldate")
    rows = json.loads((here / "index_mediacloud_2020.json").read_text(encoding="utf-8"))
    return results(
        [
            RawPage(
                content=gzip.decompress((here / row["file"]).read_bytes()),
                where=row["file"].split(".")[0],
                url=row["url"],
            )
            for row in rows
            if (here / row["file"]).is_file()
        ]
    )


@cache
def of_40_countries() -> dict[str, Document | Rejected]:
    pages = []
    for facts in sorted(folder("fundus").glob("*/meta.info")):
        addresses = json.loads(facts.read_text(encoding="utf-8"))
        pages += [
            RawPage(
                content=gzip.decompress(path.read_bytes()),
                where=path.name,
                url=addresses.get(path.name, {}).get("url"),
            )
            for path in sorted(facts.parent.glob("*.html.gz"))
        ]
    return results(pages)


def test_every_wall_and_home_page_is_rejected_by_its_name() -> None:
    found = of_35_languages()
    named = {
        name: one.kind for name, one in found.items() if isinstance(one, Rejected) and name in WALLS
    }
    assert named == WALLS


def test_no_report_in_35_languages_is_rejected() -> None:
    found = of_35_languages()
    rejected = {name for name, one in found.items() if isinstance(one, Rejected)}
    assert len(found) >= 110
    assert rejected - set(WALLS) <= set(NO_REPORTS)


def test_no_report_of_40_countries_is_rejected() -> None:
    found = of_40_countries()
    assert len(found) >= 130
    assert [name for name, one in found.items() if isinstance(one, Rejected)] == []


def test_awkward_pages_are_taken_and_a_redirect_is_named() -> None:
    here = folder("newspaper4k") / "data" / "html"
    pages = [
        RawPage(content=gzip.decompress(path.read_bytes()), where=path.name.split(".")[0])
        for path in sorted(here.glob("*.html.gz"))
    ]
    found = results(pages)
    rejected = {name: one.kind for name, one in found.items() if isinstance(one, Rejected)}
    assert rejected == {"google_meta_refresh": "redirect-page"}


def test_a_page_given_anothers_title_is_the_wrong_page_and_its_own_is_not() -> None:
    here = folder("htmldate")
    rows = json.loads((here / "index_mediacloud_2020.json").read_text(encoding="utf-8"))
    taken = [
        (row, one)
        for row in rows
        if isinstance(one := of_35_languages().get(row["file"].split(".")[0]), Document)
        and one.title
        and len(one.title) > 25
    ][:60]
    titles = [str(one.title) for _, one in taken]
    moved = titles[7:] + titles[:7]
    own, others = (
        results(
            [
                RawPage(
                    content=gzip.decompress((here / row["file"]).read_bytes()),
                    where=row["file"],
                    url=row["url"],
                    title=title,
                )
                for (row, _), title in zip(taken, given, strict=True)
            ]
        )
        for given in (titles, moved)
    )
    assert [name for name, one in own.items() if isinstance(one, Rejected)] == []
    wrong = [one.kind for one in others.values() if isinstance(one, Rejected)]
    assert set(wrong) == {"wrong-page"}
    # Measured 60 of 60; two reports may be on one matter.
    assert len(wrong) >= 58
