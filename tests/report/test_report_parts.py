"""Every part of the report: what it takes from the run folder, what it says where that lacks."""

import html
import json
import re
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from baselines.citations import read_citations, write_citations
from globesumm.report import write_report
from globesumm.report.changes import Change, changes
from globesumm.report.drawing import timeline
from globesumm.report.tables import sort_key
from globesumm.runs import Run
from globesumm.values import Document, Sentence
from tests.report.made_run import RECIPE, START, full_run, many


def page_of(run: Run, out: Path | None = None) -> str:
    return html.unescape(write_report(run, out).read_text(encoding="utf-8"))


def test_the_same_folder_gives_the_same_bytes(tmp_path: Path) -> None:
    run = full_run(tmp_path / "run")
    first = write_report(run).read_bytes()
    assert write_report(run).read_bytes() == first
    assert write_report(run, tmp_path / "elsewhere.html").read_bytes() == first


def test_the_overview_counts_what_is_finished_and_scored(tmp_path: Path) -> None:
    page = page_of(full_run(tmp_path / "run"))
    assert "<b>2 of 4</b> summaries finished" in page
    assert "<b>2 of 4</b> scores have a value" in page
    assert '<td>nic</td><td class="n">0 of 2</td><td>2: <bdi>needs a model' in page
    assert "2 CutOff." in page


def test_what_a_run_does_not_hold_is_named_with_the_command_that_makes_it(tmp_path: Path) -> None:
    page = page_of(many(tmp_path / "run", 1))
    for verb in ("cite", "ledger", "bias"):
        assert f"<code>globesumm {verb} RUN</code>" in page
    whole = page_of(full_run(tmp_path / "whole"))
    for verb in ("cite", "ledger", "bias", "score"):
        assert f"<code>globesumm {verb} RUN</code> makes" not in whole


def test_rounds_say_what_was_added_reworded_and_dropped(tmp_path: Path) -> None:
    page = page_of(full_run(tmp_path / "run", events=1))
    assert "adds document 3, 4 (4 so far); 1 reworded, 1 added, 1 dropped" in page
    assert re.search(r"reworded: </span>At least 2,012 people died", page)
    assert re.search(r"dropped: </span><del>לפחות", page)


def test_citations_give_the_sources_and_say_where_none_was_found(tmp_path: Path) -> None:
    page = page_of(full_run(tmp_path / "run", events=1))
    assert "entailed, 0.93" in page
    assert re.search(
        r'Rescuers are on their way\..*?<span class="badge"[^>]*>no source found', page
    )
    assert "nearest, no source, 0.93" in page


def test_a_citation_that_was_made_for_another_text_is_not_shown(tmp_path: Path) -> None:
    run = full_run(tmp_path / "run", events=1)
    write_citations(run, [replace(one, text="Something else.") for one in read_citations(run)])
    assert "entailed, 0.93" not in page_of(run)


def test_the_ledger_shows_sides_plans_and_what_the_summary_does(tmp_path: Path) -> None:
    page = page_of(full_run(tmp_path / "run", events=1))
    assert "1 conflict: 1 addressed" in page
    assert "Arose in round 1, settled from round 2 on. Judged by rules." in page
    assert "round 2, update: The later one." in page
    assert 'class="dot"' in page


MADE = ("ledger.jsonl", "citations.jsonl", "scores.jsonl", "rejected.jsonl", "failures/x/e1.json")
"""What other commands leave in a run folder, beside summaries."""


@pytest.mark.parametrize("name", MADE)
@pytest.mark.parametrize(
    "content",
    [
        b'{"event": "e1"}\n',
        b"[]\n",
        b"\xff\xfe\x00",
        b'{"event": NaN}',
        b'{"event": "e',
        b"[" * 9999,
    ],
)
def test_a_broken_file_of_another_command_is_named_and_hides_no_summary(
    tmp_path: Path, name: str, content: bytes
) -> None:
    run = full_run(tmp_path / "run", events=1)
    (run.folder / name).parent.mkdir(exist_ok=True)
    (run.folder / name).write_bytes(content)
    page = page_of(run)
    where = f"the run folder</bdi>: <bdi>{re.escape(name)}:"
    assert re.search(rf"{where} ?.*; delete it and repeat the command that made it", page)
    assert "Rescuers are on their way." in page


@pytest.mark.parametrize(
    ("field", "value"),
    [("history", []), ("published", "2023-09-01T00:00:00"), ("published", "yesterday"),
     ("value", "9" * 5000), ("text", 7)],
)  # fmt: skip
def test_an_entry_of_the_ledger_edited_by_hand_hides_no_summary(
    tmp_path: Path, field: str, value: object
) -> None:
    run = full_run(tmp_path / "run", events=1)
    path = run.folder / "ledger.jsonl"
    entry = json.loads(path.read_text(encoding="utf-8"))
    (entry if field in entry else entry["voices"][0])[field] = value
    path.write_text(json.dumps(entry) + "\n", encoding="utf-8")
    assert "Rescuers are on their way." in page_of(run)


@pytest.mark.parametrize("value", ["1e308", "-1e300", "1e17", "NaN", "Infinity"])
def test_a_score_that_no_metric_gives_hides_no_summary(tmp_path: Path, value: str) -> None:
    run = full_run(tmp_path / "run", events=1)
    path = run.folder / "scores.jsonl"
    path.write_text(
        re.sub(r'"value": 0\.\d+', f'"value": {value}', path.read_text("utf-8")), "utf-8"
    )
    assert "Rescuers are on their way." in page_of(run)


def test_summaries_whose_events_are_gone_are_said_to_be_there(tmp_path: Path) -> None:
    run = full_run(tmp_path / "run", events=1)
    run.events_path.unlink()
    assert "events.jsonl is not there" in page_of(run)


def test_what_steps_made_of_a_report_stands_beside_the_original(tmp_path: Path) -> None:
    page = page_of(full_run(tmp_path / "run", events=1))
    assert re.search(r"KIS then CLP.*?2,012 dead.*?ارتفعت", page, re.DOTALL)
    assert "not linked to a sentence of the report" in page


def test_bias_becomes_bars_with_intervals_and_a_table(tmp_path: Path) -> None:
    page = page_of(full_run(tmp_path / "run"))
    assert "English (9) 60.0; Hebrew (9) 15.0" in page
    assert 'class="whisker"' in page
    assert "60 of 60 documents judged" in page


@pytest.mark.parametrize(
    "content",
    [b"", b"language,norm\n", b"x,y\n1,2\n", b"language,norm\nen\n", b"\xff\xfe\x00",
     b"language,documents,norm,finding\nen,1,nan,x\n", b'language,"norm\n',
     b"language,documents,norm,finding\nen,1,1e999,x\n"],
)  # fmt: skip
def test_a_broken_bias_table_is_named_and_the_rest_is_shown(tmp_path: Path, content: bytes) -> None:
    run = full_run(tmp_path / "run")
    (run.folder / "bias" / "report-broken.csv").write_bytes(content)
    page = page_of(run)
    assert "English (9) 60.0; Hebrew (9) 15.0" in page
    assert "bias/report-broken.csv cannot be read" in page or "No language has a score" in page
    assert not re.search(r'="[^"]*\b(nan|inf)\b', page)


def test_a_grid_shows_the_summaries_of_all_its_parts(tmp_path: Path) -> None:
    whole = Run.start(tmp_path / "grid", {"kind": "grid", "recipes": RECIPE, "targets": "en,he"})
    for name in ("first--en", "second--en"):
        part = full_run(tmp_path / "grid" / "parts" / name)
        (part.folder / "events.jsonl").rename(whole.folder / "events.jsonl")
        (part.folder / "rejected.jsonl").unlink()
    page = page_of(whole)
    assert "<b>4 of 8</b> summaries finished" in page
    assert "some-model, first--en" in page
    assert f"By {RECIPE} <small>(some-model, second--en" in page
    assert "target language English, Hebrew" in page


@pytest.mark.parametrize("name", ["report.html", "no-suffix", "a #1?.html"])
def test_many_events_become_files_of_their_own_that_links_reach(tmp_path: Path, name: str) -> None:
    from urllib.parse import unquote

    out = tmp_path / name
    page = page_of(many(tmp_path / "run", 41), out)
    links = re.findall(r'href="([^"#]+)">', page)
    assert len(links) == 41
    for link in links:
        text = (tmp_path / unquote(link)).read_text(encoding="utf-8")
        [back] = re.findall(r'href="(\.\./[^"]+)#events"', text)
        assert (tmp_path / "x" / unquote(html.unescape(back))).resolve() == out.resolve()
    assert "At least 296" not in page


def test_files_of_an_earlier_report_go_and_others_stay(tmp_path: Path) -> None:
    out = tmp_path / "report.html"
    write_report(many(tmp_path / "more", 43), out)
    (tmp_path / "report" / "event-9999.html").write_text("mine", encoding="utf-8")
    write_report(many(tmp_path / "fewer", 42), out)
    assert not (tmp_path / "report" / "event-0043.html").exists()
    write_report(many(tmp_path / "few", 2), out)
    assert [path.name for path in (tmp_path / "report").iterdir()] == ["event-9999.html"]


texts = st.lists(st.sampled_from(["a b c d", "a b c e", "x", "x y", "long words here"]), max_size=6)


@given(texts, texts)
def test_every_sentence_is_kept_reworded_added_or_dropped_once(
    earlier: list[str], later: list[str]
) -> None:
    told = changes(*([Sentence(text=t, language="en") for t in some] for some in (earlier, later)))
    assert len(told.marks) == len(told.before) == len(later)
    used = [mark for mark in told.marks if mark is not Change.ADDED]
    assert len(used) + len(told.dropped) == len(earlier)
    assert all(
        (before is not None) == (mark is Change.REWORDED)
        for mark, before in zip(told.marks, told.before, strict=True)
    )
    if earlier == later:
        assert set(told.marks) <= {Change.KEPT}


def test_of_very_many_sentences_the_same_ones_are_known_and_rewordings_not_looked_for(
    tmp_path: Path,
) -> None:
    told = [
        [
            Sentence(text=f"Town {n}, {place if n % 2 else 0} hurt.", language="en")
            for n in range(4000)
        ]
        for place in (1, 2)
    ]
    found = changes(*told)
    assert not found.looked
    assert found.marks.count(Change.KEPT) == len(found.dropped) == 2000
    run = full_run(tmp_path / "run", events=1)
    [summary] = run.summaries()
    rounds = tuple(
        replace(one, sentences=tuple(some)) for one, some in zip(summary.rounds, told, strict=True)
    )
    run.write_summary(replace(summary, rounds=rounds))
    assert "too many sentences changed to tell which are others reworded" in page_of(run)


def test_a_rewording_stays_within_its_language() -> None:
    told = changes(
        [Sentence(text="296 people died", language="en")],
        [Sentence(text="297 people died", language="de")],
    )
    assert told.marks == (Change.ADDED,)


@given(st.lists(st.datetimes(), min_size=2, max_size=8))
def test_the_timeline_keeps_the_order_of_time_whatever_the_years(times: list[object]) -> None:
    documents = [
        Document(id=str(n), text="x", language="en", published=time.replace(tzinfo=START.tzinfo))  # type: ignore[attr-defined]
        for n, time in enumerate(times)
    ]
    held = timeline(documents)
    if held is None:
        assert len(set(times)) == 1
        return
    dots = [dot for lane in held.lanes for dot in lane.dots]
    at = {dot.number: dot.x for dot in dots}
    ordered = sorted(documents, key=lambda one: one.published or START)
    xs = [at[int(one.id) + 1] for one in ordered]
    assert xs == sorted(xs)
    assert all(held.left <= dot.x <= held.width and dot.y < held.height for dot in dots)
    assert len(held.ticks) <= 9


@pytest.mark.parametrize(
    ("text", "key"),
    [("45.18 [32.66, 57.71] (2/2)", "45.18"), ("–", ""), ("−3.1", "-3.1"), ("<0.001", "0.001"),
     ("", ""), ("12 calls", "12"), ("n/a", "")],
)  # fmt: skip
def test_a_cell_is_sorted_by_the_number_it_begins_with(text: str, key: str) -> None:
    assert sort_key(text) == key
