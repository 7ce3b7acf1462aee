"""The language-bias report from documents to tables and plots, with an entailer of known rule."""

import csv
import io
import math
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from globesumm.errors import DataError, UsageError
from globesumm.languages import GLOBESUMM
from globesumm.samples import FIRST, load
from globesumm.values import (
    Document,
    Event,
    IssueKind,
    Passage,
    Round,
    Sentence,
    Statement,
    Summary,
)
from metrics.bias import calibration as calibrating
from metrics.bias.calibration import Calibration, calibrate
from metrics.bias.controlled import (
    Story,
    draws,
    facts_kept,
    preferences,
    run,
    sentences_drawn,
    stories,
)
from metrics.bias.observations import observe, plan, positions
from metrics.bias.plots import bar_plot, heat_map
from metrics.bias.report import BiasReport, bias_report
from metrics.bias.tables import preferences_table, report_table, side_by_side, to_csv
from metrics.bias.tiers import tiers
from metrics.entailment import Entailer, Hypothesis, LexicalStandIn, Pair, Verdict
from retrieval.read import read


class Marks(Entailer):
    """Entails what shares a mark like #7 with the premise, whatever the language."""

    def __init__(self, languages: frozenset[str] | None = None) -> None:
        self.languages = languages
        self.asked = 0

    @property
    def identity(self) -> str:
        return "marks"

    def judge(
        self, premise: str, _language: str, hypotheses: Sequence[Hypothesis]
    ) -> list[Verdict]:
        held = set(re.findall(r"#\d+", premise))
        self.asked += len(hypotheses)
        return [
            Verdict(value=float(bool(held & set(re.findall(r"#\d+", hypothesis.text)))))
            for hypothesis in hypotheses
        ]


START = datetime(2023, 9, 9, tzinfo=UTC)


def document(id_: str, language: str, marks: str, *, hour: int = 0) -> Document:
    return Document(
        id=id_,
        text=" ".join(f"Fact {mark}." for mark in marks.split()),
        language=language,
        published=START + timedelta(hours=hour),
    )


def event(id_: str, *documents: Document) -> Event:
    return Event(id=id_, description="", documents=documents)


def summary(id_: str, text: str, *, rounds: tuple[Round, ...] = ()) -> Summary:
    return Summary(event=id_, recipe="r", model="m", target="en", text=text, rounds=rounds)


ONE = event(
    "one",
    document("a", "en", "#1 #2 #3", hour=0),
    document("b", "en", "#4", hour=2),
    document("c", "he", "#9", hour=4),
)
TWO = event(
    "two",
    document("d", "en", "#1 #2 #3 #4", hour=0),
    document("e", "fr", "#5", hour=1),
    document("f", "he", "#1 #2", hour=2),
)
ITEMS = [
    (ONE, summary("one", "Says #1. Says #2. Says #3. Says #4.")),
    (TWO, summary("two", "Says #1. Says #2. Says #3. Says #4. Says #5.")),
]


def reported(entailer: Entailer | None = None) -> BiasReport:
    entailer = entailer or Marks()
    (found,) = bias_report(
        observe(entailer, ITEMS, "ours"), entailer, permutations=99, resamples=99
    )
    return found


def test_scores_are_those_computed_by_hand() -> None:
    rows = {row.language: row for row in reported().rows}
    scores = {"en": (0.5 + 0.8) / 2, "fr": 0.2, "he": (0 + 0.4) / 2}
    for language, score in scores.items():
        assert rows[language].score.value == pytest.approx(score, abs=1e-9)
        assert rows[language].norm.value == pytest.approx(score / 1.05, abs=1e-9)
    assert (rows["en"].documents, rows["en"].events) == (3, 2)
    assert rows["fr"].score_interval is None
    assert rows["en"].score_interval is not None
    assert rows["en"].tier == 5
    assert rows["en"].plain.difference is not None
    assert rows["en"].plain.difference > 0


def test_the_report_does_not_depend_on_the_order_of_observations() -> None:
    held = list(observe(Marks(), ITEMS, "ours"))
    assert bias_report(held[::-1], Marks(), permutations=50, resamples=50) == bias_report(
        held, Marks(), permutations=50, resamples=50
    )


def test_an_english_entailer_without_kis_and_clp_leaves_the_others_unscored_and_says_why() -> None:
    found = reported(Marks(frozenset({"en"})))
    rows = {row.language: row for row in found.rows}
    assert rows["en"].score.value == pytest.approx(0.65)
    assert rows["he"].score.value is None
    assert rows["he"].documents == 0
    assert rows["he"].expected == 2
    assert (found.judged, found.expected) == (3, 6)
    assert {reason for reason, _ in found.reasons} == {
        "it has no KIS+CLP text and is in fr, and marks reads en only",
        "it has no KIS+CLP text and is in he, and marks reads en only",
    }
    assert "none of its 2 documents" in str(rows["he"].score.note)


def test_the_kis_and_clp_text_of_a_round_is_the_premise_where_there_is_one() -> None:
    passage = Passage(
        documents=("c",),
        language="en",
        sentences=(Sentence(text="In English #2.", language="en"),),
        steps=("kis", "clp"),
    )
    merged = replace(passage, documents=("a", "c"))
    only_kis = replace(passage, documents=("b",), steps=("kis",))
    round_ = Round(
        index=1,
        documents=("a", "b", "c"),
        added=("c",),
        summary="",
        inputs=(merged, passage, only_kis),
    )
    held = observe(
        Marks(frozenset({"en"})),
        [(ONE, summary("one", "Says #1. Says #2.", rounds=(round_,)))],
        "ours",
    )
    by_id = {one.document: one for one in held}
    assert by_id["c"].premise == "kis-clp"
    assert by_id["c"].share == 0.5
    assert by_id["c"].facts == 1
    assert by_id["b"].premise == "document"


def test_a_share_of_the_sentences_that_could_be_judged_is_not_taken() -> None:
    mixed = (
        Sentence(text="Fact #1.", language="en"),
        Sentence(text="Un fait #2.", language="fr"),
    )
    round_ = Round(index=1, documents=("a",), added=("a",), summary="", sentences=mixed)
    (found,) = observe(
        LexicalStandIn(),
        [(event("x", document("a", "en", "#1")), summary("x", "", rounds=(round_,)))],
        "ours",
    )
    assert found.share is None
    assert "1 of 2 sentences" in str(found.reason)


@pytest.mark.parametrize("text", ["", " ", "…", "\x00"])
def test_a_summary_without_a_sentence_is_unscored_with_the_reason(text: str) -> None:
    held = list(observe(Marks(), [(ONE, summary("one", text))], "ours"))
    assert [one.share for one in held] == [None] * 3
    (found,) = bias_report(held, Marks(), permutations=9, resamples=9)
    assert found.reasons == (("the summary has no sentence", 3),)
    assert all(row.score.value is None and row.norm.value is None for row in found.rows)
    assert report_table(found).markdown()


def test_where_nothing_is_entailed_scores_are_0_and_shares_unscored() -> None:
    held = observe(Marks(), [(ONE, summary("one", "Says nothing known."))], "ours")
    (found,) = bias_report(held, Marks(), permutations=9, resamples=9)
    assert [row.score.value for row in found.rows] == [0.0, 0.0]
    assert [row.norm.value for row in found.rows] == [None, None]
    assert all("nothing to share out" in str(row.norm.note) for row in found.rows)


def test_events_come_one_at_a_time() -> None:
    seen: list[str] = []

    def stream() -> Iterator[tuple[Event, Summary]]:
        for item in ITEMS:
            seen.append(item[0].id)
            yield item

    observations = observe(Marks(), stream(), "ours")
    next(observations)
    assert seen == ["one"]


def test_the_size_of_the_work_is_known_beforehand() -> None:
    found = plan(iter(ITEMS))
    entailer = Marks()
    list(observe(entailer, ITEMS, "ours"))
    assert found.events == 2
    assert found.pairs == entailer.asked == 3 * 4 + 3 * 5


def test_positions_run_from_first_to_last_and_undated_has_none() -> None:
    undated = replace(document("u", "en", "#1"), published=None)
    held = [*ONE.documents, replace(ONE.documents[1], id="twin"), undated]
    assert positions(held) == {"a": 0.0, "b": 0.5, "twin": 0.5, "c": 1.0, "u": None}
    assert positions([ONE.documents[0]]) == {"a": 0.0}


def test_a_correction_undoes_known_error_rates() -> None:
    known = Calibration(language="he", hit=0.6, false=0.1, n=10, expected=10)
    assert known.corrected(0.35) == pytest.approx(0.5)
    assert replace(known, hit=0.12).corrected(0.3) is None
    assert replace(known, hit=None).corrected(0.3) is None


def test_rates_are_counted_on_known_pairs() -> None:
    reports = [
        {"en": document("a", "en", "#1 #2"), "he": document("a", "he", "#1")},
        {"en": document("b", "en", "#3 #4"), "he": document("b", "he", "#3 #4 #1")},
    ]
    found = calibrate(Marks(), calibrating.from_translations(reports, "en"))
    assert list(found) == ["he"]
    assert found["he"].hit == 3 / 4
    assert found["he"].false == 1 / 4
    assert found["he"].n == 8


def test_own_sentences_are_found_in_their_document_and_not_in_another() -> None:
    documents = [document("a", "en", "#1 #2"), document("b", "en", "#3 #4")]
    found = calibrate(Marks(), calibrating.from_own_sentences(documents))
    assert (found["en"].hit, found["en"].false) == (1.0, 0.0)


def test_unequal_calibration_is_told_and_comparisons_are_corrected() -> None:
    known = {
        "en": Calibration(language="en", hit=1.0, false=0.0, n=9, expected=9),
        "fr": Calibration(language="fr", hit=1.0, false=0.0, n=9, expected=9),
        "he": Calibration(language="he", hit=0.5, false=0.0, n=9, expected=9),
    }
    (found,) = bias_report(
        observe(Marks(), ITEMS, "ours"), Marks(), calibration=known, permutations=9, resamples=9
    )
    he = next(row for row in found.rows if row.language == "he")
    assert he.score.value == pytest.approx(0.2)
    assert he.corrected.value == pytest.approx(0.4)
    assert any("finds 50% of what is known to be entailed in he" in note for note in found.notes)
    assert any("are corrected for it" in note for note in found.notes)
    del known["fr"]
    (part,) = bias_report(
        observe(Marks(), ITEMS, "ours"), Marks(), calibration=known, permutations=9, resamples=9
    )
    plain = reported()
    assert [row.plain.difference for row in part.rows] == [
        row.plain.difference for row in plain.rows
    ]
    assert any("could not be corrected" in note for note in part.notes)
    assert any("not calibrated in en, fr, he" in note for note in plain.notes)


def story(languages: str = "en fr he bg", reports: int = 6) -> Story:
    versions = {
        f"r{place}": {
            code: document(f"r{place}.{code}", code, f"#{2 * place} #{2 * place + 1}")
            for code in languages.split()
        }
        for place in range(reports)
    }
    return Story(event=event("told"), reports=versions)


FACTS = {("told", f"r{place}"): (f"A #{2 * place}.", f"A #{2 * place + 1}.") for place in range(6)}


def test_draws_are_the_same_for_a_seed_and_use_every_language_about_equally() -> None:
    told = list(draws(story(), 200, seed=3))
    assert told == list(draws(story(), 200, seed=3))
    assert told != list(draws(story(), 200, seed=4))
    counts = dict.fromkeys("en fr he bg".split(), 0)  # noqa: SIM905
    for draw in told:
        for document_ in draw.event.documents:
            counts[document_.language] += 1
            assert draw.languages[document_.id] == document_.language
    assert all(240 < count < 360 for count in counts.values())


def test_documents_named_by_report_and_language_become_stories() -> None:
    documents = [document(f"M00{n}.{c}", c, "#1") for n in (10, 11, 20) for c in ("en", "he")]
    found = stories(documents)
    assert [one.event.id for one in found] == ["M001", "M002"]
    assert [sorted(one.reports) for one in found] == [["M0010", "M0011"], ["M0020"]]
    assert sorted(found[0].reports["M0010"]) == ["en", "he"]
    with pytest.raises(DataError, match=r"two versions in en: M0010\.en and M0010\.x: remove one"):
        stories([*documents, document("M0010.x", "en", "#1")])


def test_a_report_is_only_told_in_languages_it_exists_in() -> None:
    for draw in draws(story("en he"), 20, seed=0, languages=("he", "bg")):
        assert set(draw.languages.values()) == {"he"}
    assert all(not draw.languages for draw in draws(story("en"), 2, seed=0, languages=("bg",)))


def summarizer(ignored: frozenset[str]) -> Callable[[Event], Summary]:
    """Keeps every fact of documents that are not in an ignored language."""

    def summarize(told: Event) -> Summary:
        kept = [d for d in told.documents if d.language not in ignored]
        sentences = tuple(
            Sentence(
                text=d.text,
                language=d.language,
                statements=(Statement(document=d.id, index=1, language=d.language, text=d.text),),
            )
            for d in kept
        )
        round_ = Round(index=1, documents=(), added=(), summary="", sentences=sentences)
        return summary(told.id, " ".join(d.text for d in kept), rounds=(round_,))

    return summarize


@pytest.mark.parametrize("measure", ["facts", "sentences"])
def test_the_controlled_test_finds_what_is_ignored_and_nothing_else(measure: str) -> None:
    by = facts_kept(Marks(), FACTS, "en") if measure == "facts" else sentences_drawn
    kept = run([story()], summarizer(frozenset({"he"})), by, count=30)
    found = preferences(kept, permutations=199, resamples=99)
    assert found.shares["he"] == 0.0
    effects = {one.language: one for one in found.effects.languages}
    assert effects["he"].difference is not None
    assert effects["he"].difference < 0
    assert (effects["he"].p_adjusted or 1) < 0.05
    assert found.n == found.expected == 180
    fair = preferences(
        run([story()], summarizer(frozenset()), by, count=30), permutations=199, resamples=99
    )
    everything = 1.0 if measure == "facts" else 1 / 6
    assert all(share == pytest.approx(everything) for share in fair.shares.values())
    assert all((one.p_adjusted or 1) > 0.05 for one in fair.effects.languages)
    assert "he" in preferences_table(found).markdown()


def test_what_cannot_be_measured_is_counted_with_the_reason() -> None:
    kept = list(run([story()], lambda told: summary(told.id, "Text #1."), sentences_drawn, count=2))
    found = preferences(kept, permutations=9, resamples=9)
    assert (found.n, found.expected) == (0, 12)
    assert found.reasons == ("the summary does not say what its sentences rest on",)
    none = run(
        [story()], lambda told: summary(told.id, "T #1."), facts_kept(Marks(), {}, "en"), count=1
    )
    assert {one.reason for one in none} == {"no facts of it are known"}


def test_every_language_of_the_data_set_has_a_resource_tier() -> None:
    assert set(GLOBESUMM) <= set(tiers())
    assert set(tiers().values()) <= set(range(6))
    assert tiers()["en"] == 5
    assert tiers()["he"] < tiers()["es"]


def test_csv_holds_bare_numbers_and_nothing_a_spreadsheet_would_run() -> None:
    held = list(observe(Marks(), ITEMS, '=HYPERLINK("x"),\n"y"'))
    (found,) = bias_report(held, Marks(), permutations=9, resamples=9)
    rows = list(csv.DictReader(io.StringIO(to_csv(report_table(found)))))
    assert [row["language"] for row in rows] == ["en", "fr", "he"]
    assert float(rows[0]["score"]) == pytest.approx(0.65)
    assert rows[1]["score_low"] == ""
    text = to_csv(side_by_side([found]))
    (header, *_) = csv.reader(io.StringIO(text))
    assert header[1].startswith("'=HYPERLINK")


def test_tables_print_in_every_form_and_say_what_was_not_judged() -> None:
    found = reported(Marks(frozenset({"en"})))
    table = report_table(found)
    for text in (table.markdown(), table.latex(), table.tsv()):
        assert "none of its" not in text or "he" in text
        assert "3 of 6 documents judged" in text
        assert "no KIS+CLP text" in text
    both = side_by_side([found, replace(reported(), system="theirs")])
    assert both.header == ("language", "ours", "theirs")
    assert len(both.rows) == 3


@pytest.mark.parametrize("suffix", [".png", ".svg"])
def test_plots_are_the_same_bytes_each_time_and_hold_no_date(suffix: str, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib", reason="the extra 'plots' is not installed")
    found = reported()
    paths = [tmp_path / f"{number}{suffix}" for number in range(4)]
    bar_plot(found, paths[0])
    bar_plot(found, paths[1])
    heat_map([found, replace(found, system="$theirs$ <b>")], paths[2])
    heat_map([found, replace(found, system="$theirs$ <b>")], paths[3])
    contents = [path.read_bytes() for path in paths]
    assert contents[0] == contents[1]
    assert contents[2] == contents[3]
    assert min(map(len, contents)) > 3000
    assert b"date" not in contents[0].lower() or suffix == ".png"


def test_a_plot_of_nothing_or_to_another_format_is_refused(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib", reason="the extra 'plots' is not installed")
    with pytest.raises(UsageError, match="written as"):
        bar_plot(reported(), tmp_path / "x.gif")
    empty = reported(Marks(frozenset({"bg"})))
    with pytest.raises(UsageError, match="nothing to draw"):
        bar_plot(empty, tmp_path / "x.png")
    with pytest.raises(UsageError, match="nothing to draw"):
        heat_map([empty], tmp_path / "x.png")


class Planted(Entailer):
    """Entails the English wording of a planted redundancy if the page holds its sentence."""

    def __init__(self, quotes: dict[str, list[str]]) -> None:
        self._quotes = quotes

    @property
    def identity(self) -> str:
        return "planted"

    def judge(
        self, premise: str, _language: str, hypotheses: Sequence[Hypothesis]
    ) -> list[Verdict]:
        text = " ".join(premise.split())
        return [
            Verdict(value=float(any(quote in text for quote in self._quotes[hypothesis.text])))
            for hypothesis in hypotheses
        ]


def test_the_report_on_the_sample_event_is_the_value_that_its_planted_facts_give() -> None:
    sample = load(FIRST)
    told = [issue for issue in sample.issues if issue.kind is IssueKind.REDUNDANCY and issue.note]
    assert len(told) > 3
    quotes = {str(one.note): [" ".join(s.text.split()) for s in one.statements] for one in told}
    documents = tuple(one for one in read(sample.pages) if isinstance(one, Document))
    assert len(documents) == len(sample.rows)
    sentences = tuple(Sentence(text=text, language="en") for text in quotes)
    round_ = Round(index=1, documents=(), added=(), summary="", sentences=sentences)
    entailer = Planted(quotes)
    held = observe(
        entailer, [(event(FIRST, *documents), summary(FIRST, "", rounds=(round_,)))], "ours"
    )
    (found,) = bias_report(held, entailer, permutations=9, resamples=9)
    ids = {document.id: document.language for document in documents}
    holders = [{statement.document for statement in one.statements} for one in told]
    for row in found.rows:
        shares = [
            sum(id_ in some for some in holders) / len(holders)
            for id_, language in ids.items()
            if language == row.language
        ]
        assert row.score.value == pytest.approx(math.fsum(shares) / len(shares), abs=1e-9)


def test_pairs_are_equal_by_content() -> None:
    entailer = Marks()
    pair = Pair(premise="A #1.", hypothesis="B #1.")
    assert len(entailer.entails([pair, replace(pair)])) == 2
    assert entailer.asked == 1
