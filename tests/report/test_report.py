"""The report shows what the run holds, sets every script right, and lets nothing hostile act."""

import html
import html.parser
import re
from datetime import UTC, datetime
from pathlib import Path

import pytest

from globesumm.report import write_report
from globesumm.runs import Failure, Run
from globesumm.values import (
    Document,
    Event,
    Issue,
    IssueKind,
    Rejected,
    Round,
    Score,
    Sentence,
    Statement,
    Summary,
)

HOSTILE = "<script>alert(1)</script><img src=x onerror=alert(1)>{{ 7*7 }}\"'><style>*{}</style>"


def run_with(tmp_path: Path, text: str, url: str | None = None) -> Run:
    run = Run.start(tmp_path / "run", {"recipes": "crs.none.lead", "target": "en",
                                       "max_words": 250, "seed": 0, "data": "0"})  # fmt: skip
    document = Document(
        id=text, text=text, language="he", title=text, source=text, url=url,
        published=datetime(2023, 9, 9, tzinfo=UTC), notes=(text,),
    )  # fmt: skip
    statement = Statement(document=text, index=1, language="ar", text=text)
    issues = tuple(
        Issue(kind=kind, statements=(statement,), differs=text, note=text) for kind in IssueKind
    )
    sentence = Sentence(text=text, language="he", statements=(statement,))
    round_ = Round(
        index=1, documents=(text,), added=(text,), summary=text, sentences=(sentence,),
        issues=issues, notes=(text,),
    )  # fmt: skip
    event = Event(id="e", description=text, documents=(document,), references=(text,))
    run.write_events([event], [Rejected(where=text, reason=text)])
    run.write_summary(
        Summary(event="e", recipe="crs.none.lead", model=text, target="en", text=text,
                rounds=(round_,))
    )  # fmt: skip
    run.write_failure(Failure(recipe="crs.none.random", event="e", reason=text))
    run.write_scores(
        [Score(id="e", metric="rouge1", value=None, signature=text, note=text, event=text,
               recipe="crs.none.lead")]
    )  # fmt: skip
    return run


class Tags(html.parser.HTMLParser):
    def __init__(self, page: str) -> None:
        super().__init__()
        self.seen: list[tuple[str, dict[str, str | None]]] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.append((tag, dict(attrs)))


def test_hostile_text_in_every_field_stays_text(tmp_path: Path) -> None:
    page = write_report(run_with(tmp_path, HOSTILE)).read_text(encoding="utf-8")
    tags = Tags(page)
    assert {tag for tag, _ in tags.seen} & {"img", "iframe", "object", "form", "link"} == set()
    assert [tag for tag, _ in tags.seen].count("style") == 1
    assert [tag for tag, _ in tags.seen].count("script") == 1
    assert {name for _, attrs in tags.seen for name in attrs} & {"style", "src", "srcset"} == set()
    assert not [name for _, attrs in tags.seen for name in attrs if name.startswith("on")]
    assert "{{ 7*7 }}" in page
    assert "default-src 'none'" in html.unescape(page)


@pytest.mark.parametrize(
    ("url", "linked"),
    [
        ("https://outlet.example/story", True),
        ("http://outlet.example/story?a=1&b=2", True),
        ("javascript:alert(1)", False),
        ("data:text/html,<script>alert(1)</script>", False),
        ("file:///etc/passwd", False),
        ("//outlet.example/x", False),
        ("http://[bad", False),
        ("JaVaScRiPt:alert(1)", False),
        (None, False),
    ],
)
def test_only_web_addresses_become_links(tmp_path: Path, url: str | None, linked: bool) -> None:
    page = write_report(run_with(tmp_path, "plain", url)).read_text(encoding="utf-8")
    links = [attrs["href"] for tag, attrs in Tags(page).seen if tag == "a"]
    outside = [link for link in links if link and not link.startswith("#")]
    assert outside == ([url] if linked else [])


def test_a_right_to_left_text_says_so_to_the_browser(tmp_path: Path) -> None:
    page = write_report(run_with(tmp_path, "שלום")).read_text(encoding="utf-8")
    assert re.search(r'<p lang="he" dir="rtl">שלום', page)
    assert re.search(r'<dd lang="ar" dir="rtl">', page)


def test_an_unscored_value_is_a_dash_with_its_reason(tmp_path: Path) -> None:
    page = write_report(run_with(tmp_path, "because of this")).read_text(encoding="utf-8")
    assert re.search(r'<td class="n" data-key="">– \(0/1\)</td>|data-key="">–</td>', page)
    assert re.search(r"<td>rouge1</td><td class=\"n\">0 of 1</td><td>1: <bdi>because of", page)


def test_the_report_of_an_empty_run_says_what_is_missing(tmp_path: Path) -> None:
    run = Run.start(tmp_path / "run", {"recipes": "r", "target": "en", "max_words": 1,
                                       "seed": 0, "data": "0"})  # fmt: skip
    run.write_events([Event(id="e", description="d", documents=())])
    page = write_report(run).read_text(encoding="utf-8")
    assert "No summary of this event was finished." in page
    assert "Not scored yet" in page
