"""The page of facts: what it shows, and that nothing in the data can act on its reader."""

import json
import re
from html.parser import HTMLParser
from pathlib import Path

import pytest

from globesumm.cli import main
from globesumm.errors import UsageError
from globesumm.records import write_records
from globesumm.report.facts import write_facts_page
from globesumm.values import KeyFact
from metrics.facts.records import Candidate, Matched, SourceFacts, SummaryFacts, Supported
from metrics.facts.sources import Part, Source

HOSTILE = (
    "</td><script>alert(1)</script><img src=x onerror=alert(2)>"
    '"\'><a href="javascript:alert(3)">x</a>{{ 7 * 7 }}<style>*{}</style>\ud800\x00'
)


class Seen(HTMLParser):
    """Every element with its attributes, and all text."""

    def __init__(self) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.text += data


def seen(path: Path) -> Seen:
    found = Seen()
    found.feed(path.read_text(encoding="utf-8"))
    return found


def study(folder: Path, text: str = "", name: str = "flood") -> Path:
    """One summary of an event of an English and a Spanish document; `text` lies everywhere."""
    folder.mkdir()
    system = f"mine{text}"
    key = (f"The river rose.{text}", f"El agua llega.{text}", f"Ten fled.{text}")
    facts = (
        KeyFact(text=key[0], language="en", documents=("a", "b")),
        KeyFact(text=key[1], language="es", documents=("b",)),
        KeyFact(text=key[2], language="en", documents=("a",)),
    )
    write_records(folder / "key_facts.jsonl", [SourceFacts(source=name, facts=facts)])
    write_records(
        folder / "summary_facts.jsonl",
        [SummaryFacts(id=name, system=system, facts=("x",), discarded=(f"Aliens came.{text}",))],
    )
    write_records(
        folder / "summaries.jsonl",
        [Candidate(id=name, system=system, summary="The river rose. It rained.", language="en")],
    )
    write_records(
        folder / "matches.jsonl",
        [
            Matched(
                id=name, system=system, sentences=(f"The river rose.{text}", "It rained."),
                key_facts=key, matches=((1,), (), None), reason=f"no verdict {text}",
            )
        ],
    )  # fmt: skip
    write_records(
        folder / "support.jsonl",
        [
            Supported(
                id=name, system=system, facts=(f"River rose{text}", f"It rained{text}", "Open"),
                supported=(True, False, None),
                by_part=({"a": True, "b": False}, {"a": False, "b": False}, {"a": None, "b": None}),
                evidence=(f"line 1{text}", None, None),
                notes=(f"summary in en, source in es{text}",), reason=f"too slow {text}",
            )
        ],
    )  # fmt: skip
    return folder


def event() -> Source:
    parts = (
        Part(id="a", text="The river rose.", language="en"),
        Part(id="b", text="El agua llega.", language="es"),
    )
    return Source(id="flood", parts=parts)


def rows(path: Path) -> list[list[str]]:
    """The cells of every line of every table."""
    content = path.read_text(encoding="utf-8")
    lines = re.findall(r"<tr>(.*?)</tr>", content, re.DOTALL)
    return [
        [re.sub(r"<[^>]*>", "", cell).strip() for cell in re.findall(r"<t[dh].*?</t[dh]>", line)]
        for line in lines
    ]


def test_every_key_fact_and_fact_is_there_with_its_verdict_by_document_and_language(
    tmp_path: Path,
) -> None:
    out = tmp_path / "facts.html"
    assert write_facts_page(study(tmp_path / "s"), out, [event()]) == 1
    found = rows(out)
    assert ["✓ in the summary", "The river rose.", "1", "a, b"] in found
    assert ["✗ not in the summary", "El agua llega.", "", "b"] in found
    assert ["? not judged", "Ten fled.", "", "a"] in found
    assert ["✓ supported", "River rose", "a", "line 1"] in found
    assert ["✗ not supported", "It rained", "", ""] in found
    assert ["? not judged", "Open", "", ""] in found
    assert ["a", "English", "1 of 1", "1 of 2"] in found
    assert ["b", "Spanish", "1 of 2", "0 of 2"] in found
    assert ["all", "Spanish", "1 of 2", "0 of 2"] in found
    page = seen(out)
    assert "1 of 3 in the summary" in page.text
    assert "Aliens came." in page.text
    assert "summary in en, source in es" in page.text
    assert "(states no key fact)" in page.text
    assert {"lang": "es", "dir": "ltr"} in [attributes for _, attributes in page.elements]


def test_nothing_in_the_data_becomes_part_of_the_page(tmp_path: Path) -> None:
    plain, hostile = tmp_path / "plain.html", tmp_path / "hostile.html"
    write_facts_page(study(tmp_path / "a"), plain)
    write_facts_page(study(tmp_path / "b", HOSTILE), hostile)
    one, other = seen(plain), seen(hostile)
    assert [tag for tag, _ in other.elements] == [tag for tag, _ in one.elements]
    assert not any(tag in ("script", "img", "iframe") for tag, _ in other.elements)
    assert not any(name.startswith("on") for _, held in other.elements for name in held)
    links = [held["href"] for tag, held in other.elements if tag == "a"]
    assert links == ["#s1"]
    assert "{{ 7 * 7 }}" in other.text
    assert "<script>alert(1)</script>" in other.text
    assert "\ufffd" in other.text
    policy = next(h["content"] for t, h in other.elements if t == "meta" and "content" in h)
    assert policy == "default-src 'none'; style-src 'unsafe-inline'"


def test_the_command_writes_the_page_and_can_be_narrowed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = study(tmp_path / "s")
    sources = tmp_path / "sources.jsonl"
    write_records(sources, [event()])
    command = ["facts", "report", str(folder), "--sources", str(sources)]
    assert main(command) == 0
    assert "facts.html: 1 summary" in capsys.readouterr().out
    assert (folder / "facts.html").exists()
    assert main([*command, "--system", "mine", "--id", "flood"]) == 0
    assert main([*command, "--system", "nobody"]) == 2
    assert main(["facts", "report", str(tmp_path)]) == 2


def test_a_run_of_a_study_is_shown_with_what_lies_beside_it(tmp_path: Path) -> None:
    folder = study(tmp_path / "s")
    run = folder / "run-0"
    run.mkdir()
    for name in ("matches.jsonl", "support.jsonl"):
        (folder / name).rename(run / name)
    out = tmp_path / "facts.html"
    write_facts_page(run, out, [event()])
    assert ["✓ in the summary", "The river rose.", "1", "a, b"] in rows(out)
    with pytest.raises(UsageError, match="neither matches nor support"):
        write_facts_page(folder, out)


def test_a_study_without_key_facts_or_verification_is_shown_as_far_as_it_went(
    tmp_path: Path,
) -> None:
    folder, out = study(tmp_path / "s"), tmp_path / "facts.html"
    (folder / "support.jsonl").unlink()
    (folder / "key_facts.jsonl").unlink()
    write_facts_page(folder, out)
    assert "faithfulness: not verified" in seen(out).text.replace("the facts were ", "")
    lines = [json.loads(line) for line in (folder / "matches.jsonl").read_text().splitlines()]
    write_records(
        folder / "matches.jsonl",
        [
            Matched(
                id=lines[0]["id"], system="mine", sentences=(), key_facts=(), matches=None,
                reason="no key facts of its source",
            )
        ],
    )  # fmt: skip
    write_facts_page(folder, out)
    assert "no key facts of its source" in seen(out).text
