"""Whole studies on miniature data, and the command."""

from pathlib import Path

import pytest

from annotation.schemas import Context, passages
from baselines.controls import Lead, Random
from baselines.extractive import ExtractiveMerge, choose
from baselines.studies import STUDIES, backgrounds, event_means, wilson
from baselines.studies import conflicts as conflict_study
from baselines.studies import multiling as multiling_study
from baselines.studies.backgrounds_data import Timeline, load
from baselines.studies.page import Page, plain_table
from baselines.summarize import summarize
from globesumm.cli import main
from globesumm.values import Event, Score

ENCODER = "hashed-ngrams"


@pytest.fixture(autouse=True)
def light_encoder(monkeypatch: pytest.MonkeyPatch) -> None:
    """The encoder that needs no model; what is tested here is the studies' own work."""
    from baselines.extractive import encoders

    monkeypatch.setattr(encoders, "ENCODERS", {ENCODER: encoders.ENCODERS[ENCODER]})


def _rows(page: Page, title: str) -> dict[str, tuple[str, ...]]:
    section = next(one for one in page.sections if one.title.startswith(title))
    assert all(len(row) == len(section.table.header) for row in section.table.rows)
    return {row[0]: row[1:] for row in section.table.rows}


def test_the_multiling_study_sets_recipes_beside_systems_and_people(mini_multiling: Path) -> None:
    page = multiling_study.run(mini_multiling, 0)
    for title in ("ROUGE F1 x 100, best", "ROUGE F1 x 100, mean"):
        rows = _rows(page, title)
        assert "crs.none.extractive" in rows
        assert "ID9 (centroid baseline), all texts English" in rows
        assert "people, each against the others" in rows
        assert all(cell.endswith("(2/2)") for row in rows.values() for cell in row)
    assert "crs.none.extractive − crs.none.lead" in _rows(page, "Differences")
    assert list(_rows(page, "By topic")) == ["M000 (developed on)", "M001 (developed on)"]
    shares = _rows(page, "What the summaries are made of")
    assert shares["crs.none.lead, all texts English"][1] == "100 %"
    assert shares["crs.none.lead"][2] == "10"
    assert "rouge\\|tok:" in page.markdown()


def test_a_study_gives_the_same_page_twice(mini_multiling: Path) -> None:
    assert (
        multiling_study.run(mini_multiling, 3).markdown()
        == multiling_study.run(mini_multiling, 3).markdown()
    )


def test_the_backgrounds_study_counts_prefixes_and_those_without_background(
    mini_backgrounds: Path,
) -> None:
    page = backgrounds.run(mini_backgrounds, 0)
    assert set(_rows(page, "ROUGE")) == {
        "crs.none.extractive", "crs.none.lead", "crs.none.random", backgrounds.PEOPLE,
    }  # fmt: skip
    settings = dict(page.settings)
    assert settings["prefixes"].startswith("6 of 6 that have a background")
    assert "2 whole timelines have none" in settings["prefixes"]
    by_event = _rows(page, "By event")
    assert by_event["dam_burst"][1].endswith("6/6)") or "6/6" in by_event["dam_burst"][1]
    assert set(_rows(page, "By annotator")) == {"annotator1", "annotator2"}


def test_a_size_says_how_much_is_drawn(mini_backgrounds: Path, mini_multiling: Path) -> None:
    page = backgrounds.run(mini_backgrounds, 0, 1)
    assert dict(page.settings)["prefixes"].startswith("2 of 6 that have a background")
    pairs = conflict_study.run(mini_multiling, 0, 3)
    assert _rows(pairs, "Precision and recall")["In one language"][0] == "3 + 3"
    mixed = multiling_study.run(mini_multiling, 0, 2)
    assert _rows(mixed, "What the summaries are made of")["crs.none.lead"][2] == "4"


def test_prefixes_are_evenly_spaced_and_hold_the_longest(mini_backgrounds: Path) -> None:
    timeline = load(mini_backgrounds)[0][0]
    assert backgrounds.chosen_prefixes(timeline) == [1, 2, 3]
    long = Timeline(
        event="e", annotator="a", updates=timeline.updates * 25, backgrounds=(None, *"b" * 99)
    )
    assert backgrounds.chosen_prefixes(long, 4) == [24, 49, 74, 99]


@pytest.mark.parametrize("name", ["extractive", "lead", "random"])
def test_the_round_that_ends_a_prefix_is_what_one_turn_over_the_prefix_gives(
    name: str, mini_multiling: Path
) -> None:
    from baselines.studies.multiling_data import load as load_pilot

    pilot = load_pilot(mini_multiling)
    event = multiling_study.event_of(
        pilot, "000", [pilot.texts["000", number, "en"] for number in range(3)]
    )
    for prefix, done in enumerate(summarize(event, f"crs.none.{name}", max_words=30).rounds, 2):
        part = Event(id=event.id, description="", documents=event.documents[:prefix])
        assert summarize(part, f"sts.none.{name}", max_words=30).text == done.summary


def test_controls_restricted_to_readable_sentences_stay_in_the_target_language(
    mini_multiling: Path,
) -> None:
    from baselines.studies.multiling_data import load as load_pilot

    pilot = load_pilot(mini_multiling)
    event = multiling_study.event_of(pilot, "000", multiling_study.drawn(pilot, "000", 0, 0))
    inputs = passages(event)
    context = Context(event=event, target="en", sources=tuple(inputs))
    for merge in (Lead(readable=True), Random(0, readable=True)):
        told = merge(inputs, context).sentences
        assert told
        assert {sentence.language for sentence in told} == {"en"}
    assert ExtractiveMerge(choose(ENCODER))(inputs, context).sentences


def test_the_conflict_study_reports_every_kind_and_language_with_counts(
    mini_multiling: Path,
) -> None:
    page = conflict_study.run(mini_multiling, 0)
    overall = _rows(page, "Precision and recall")
    assert list(overall) == [
        "In one language",
        "In one language, held-out topics",
        "Across languages",
        "Across languages, held-out topics",
    ]
    assert overall["In one language, held-out topics"][0] == "0 + 0", "the miniature has none"
    kinds = _rows(page, "In one language, by kind")
    assert {"number", "date", "negation", "unaltered"} <= set(kinds)
    assert set(_rows(page, "In one language, by languages")) == {"en", "fr"}
    assert set(_rows(page, "Across languages, by languages")) == {"en–fr"}


def test_a_table_without_rows_says_so() -> None:
    assert plain_table(("event", "what", "why"), ()).rows == (("none", "–", "–"),)


def test_means_of_an_event_leave_out_what_is_unscored_and_say_so() -> None:
    scores = [
        Score(id=f"a{n}", event="a", metric="m", value=value, signature="s", note=note)
        for n, (value, note) in enumerate([(0.2, None), (0.4, None), (None, "no reference")])
    ] + [Score(id="b", event="b", metric="m", value=None, signature="s", note="no reference")]
    first, second = event_means.event_means(scores)
    assert first.value == pytest.approx(0.3)
    assert first.note == "2 of 3 summaries scored: no reference"
    assert (second.value, second.note) == (None, "no reference")


@pytest.mark.parametrize(
    ("hits", "total", "low", "high"),
    # Newcombe (1998), table I, method 3.
    [(81, 263, 0.2553, 0.3662), (15, 148, 0.0624, 0.1605), (0, 20, 0.0, 0.1611),
     (1, 29, 0.0061, 0.1718)],
)  # fmt: skip
def test_wilson_intervals_agree_with_the_published_ones(
    hits: int, total: int, low: float, high: float
) -> None:
    assert wilson.wilson(hits, total) == pytest.approx((low, high), abs=5e-5)
    assert wilson.wilson(0, 0) is None
    assert wilson.share(0, 0) == "– (0/0)"


def test_the_command_prints_the_page_or_writes_it(
    mini_backgrounds: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "page.md"
    assert main(["study", "backgrounds", "--data", str(mini_backgrounds)]) == 0
    printed = capsys.readouterr().out
    command = ["study", "backgrounds", "--data", str(mini_backgrounds), "--out", str(out)]
    assert main(command) == 0
    assert capsys.readouterr().out == ""
    assert out.read_text(encoding="utf-8") == printed
    assert printed.startswith("## background-summaries")


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["multilng"], "did you mean 'multiling'?"),
        (["multiling"], "--data PATH"),
        (["multiling", "--size", "0"], "from 1 up"),
        (["samples", "--size", "3"], "draws nothing"),
        (["backgrounds", "--data", "/nonexistent"], "does not exist"),
        (["samples", "--out", "/nonexistent/page.md"], "does not exist"),
    ],
)
def test_a_study_that_cannot_run_says_why_in_one_line(
    arguments: list[str], told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["study", *arguments]) == 2
    error = capsys.readouterr().err
    assert told in error
    assert error.count("\n") == 1


def test_every_study_is_named_in_the_help(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["study", "--help"])
    told = capsys.readouterr().out
    for name, row in STUDIES.items():
        assert f"{name} " in told
        assert row.about in told
