"""Which sentences of documents are cited for a summary sentence, and how that is shown."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from baselines.citations import (
    Basis,
    Citation,
    Citer,
    Standing,
    by_document,
    by_language,
    markdown,
    read_citations,
    text,
    write_citations,
)
from baselines.citations.escaping import markdown as escaped
from baselines.citations.escaping import when
from globesumm.runs import Run
from globesumm.values import Document, Event, Round, Sentence, Statement, Summary
from metrics.entailment import Entailer, Hypothesis, LexicalStandIn, Verdict

EVENT = Event(
    id="ferry",
    description="A ferry sinks.",
    documents=(
        Document(
            id="a",
            language="en",
            source="The Post",
            published=datetime(2024, 5, 1, 8, tzinfo=UTC),
            text="The ferry sank on Monday night. Nine people died. The captain was saved.",
        ),
        Document(
            id="b",
            language="de",
            published=datetime(2024, 5, 2, 8, tzinfo=UTC),
            text="Vierzehn Menschen starben.",
        ),
        Document(
            id="c", language="en", text="The ferry sank on Monday night. Fourteen people died."
        ),
    ),
)
IDS = ("a", "b", "c")


def summary(*told: str, sentences: Sequence[Sentence] = (), ids: tuple[str, ...] = IDS) -> Summary:
    last = Round(
        index=2, documents=ids, added=("c",), summary=" ".join(told), sentences=tuple(sentences)
    )
    return Summary(
        event="ferry",
        recipe="crs.none.direct",
        model="m",
        target="en",
        text=last.summary,
        rounds=(last,),
    )


class AllWords(Entailer):
    """Entailed where the premise holds every word of the hypothesis: a judge of known rules."""

    languages = frozenset({"en", "de"})

    def __init__(self) -> None:
        self.asked: list[str] = []

    @property
    def identity(self) -> str:
        return "all-words"

    def judge(self, premise: str, language: str, hypotheses: Sequence[Hypothesis]) -> list[Verdict]:
        del language
        self.asked.append(premise)
        held = set(premise.casefold().replace(".", "").split())
        return [
            Verdict(value=len(held & wanted) / (len(wanted) + 0.5) + 0.01)
            for one in hypotheses
            if (wanted := set(one.text.casefold().replace(".", "").split()))
        ]


ENTAILER = AllWords()
ENTAILER.threshold = 0.8


def places(citation: Citation) -> list[tuple[str, int]]:
    return [(one.document, one.index) for one in citation.supports]


def test_a_sentence_is_cited_to_every_sentence_that_says_so() -> None:
    (found,) = Citer(LexicalStandIn()).cite(summary("The ferry sank on Monday night."), EVENT)
    assert found.standing is Standing.SUPPORTED
    assert places(found) == [("a", 1), ("c", 1)]
    assert {one.basis for one in found.supports} == {Basis.ENTAILED}


def test_what_nobody_says_is_marked_with_the_nearest_sentence_beside_it() -> None:
    (found,) = Citer(LexicalStandIn()).cite(summary("The ferry belonged to a bank."), EVENT)
    assert found.standing is Standing.UNSUPPORTED
    assert found.supports == ()
    assert found.nearest is not None
    assert found.nearest.document == "a"


def test_a_stand_in_does_not_cite_a_sentence_with_another_figure() -> None:
    told = summary("Fourteen people died.")
    strict = Citer(LexicalStandIn(0.5)).cite(told, EVENT)[0]
    loose = Citer(LexicalStandIn(0.5), check_figures=False).cite(told, EVENT)[0]
    assert places(strict) == [("c", 2)]
    assert ("a", 2) in places(loose)
    assert strict.note == "left out for other figures: 1 near sentence"


def test_a_figure_that_no_cited_sentence_gives_is_named() -> None:
    told = summary("The ferry sank on Monday night, 40 kilometres from the port of Alma there.")
    (found,) = Citer(LexicalStandIn(0.3)).cite(told, EVENT)
    assert found.supports
    assert [one.split()[0] for one in found.figures] == ["40"]


def test_documents_after_the_round_are_not_cited() -> None:
    told = summary("The ferry sank on Monday night.", ids=("a", "b"))
    (found,) = Citer(LexicalStandIn()).cite(told, EVENT)
    assert places(found) == [("a", 1)]


def test_what_the_merge_took_from_documents_is_cited_exactly_and_costs_no_judging() -> None:
    own = Statement(document="a", index=2, language="en", text="Nine people died.")
    other = Statement(document="b", index=1, language="de", text="Vierzehn Menschen starben.")
    told = summary(sentences=[Sentence(text=own.text, language="en", statements=(other, own))])
    judge = AllWords()
    (found,) = Citer(judge).cite(told, EVENT)
    assert [(one.document, one.basis, one.score) for one in found.supports] == [
        ("a", Basis.OWN, None),
        ("b", Basis.MERGE, None),
    ]
    assert judge.asked == []


def test_sentences_fused_from_two_reports_are_entailed_by_both_together() -> None:
    told = summary("The ferry sank on Monday night and vierzehn menschen starben.")
    (found,) = Citer(ENTAILER, nearest=0).cite(told, EVENT)
    assert {one.basis for one in found.supports} == {Basis.JOINTLY}
    assert {one.document for one in found.supports} <= {"a", "b", "c"}
    assert "b" in found.documents


def test_without_an_entailer_a_written_sentence_is_not_judged_rather_than_unsupported() -> None:
    (found,) = Citer(None).cite(summary("The ferry sank."), EVENT)
    assert found.standing is Standing.UNJUDGED
    assert found.note


def test_a_sentence_that_no_entailer_could_read_is_not_judged_and_says_why() -> None:
    told = replace(summary("Le ferry a coulé lundi soir."), target="fr")
    (found,) = Citer(LexicalStandIn()).cite(told, EVENT)
    assert (found.standing, found.judged, found.pairs) == (Standing.UNJUDGED, 0, 6)
    assert "compares words" in (found.note or "")


def test_each_prefix_is_cited_against_its_own_documents() -> None:
    told = summary("The ferry sank on Monday night.")
    first = replace(told.rounds[0], index=1, documents=("a",), added=("a",))
    found = Citer(LexicalStandIn()).cite(
        replace(told, rounds=(first, *told.rounds)), EVENT, prefixes=True
    )
    assert [(one.round, places(one)) for one in found] == [
        (1, [("a", 1)]),
        (2, [("a", 1), ("c", 1)]),
    ]


def test_shares_of_documents_and_of_languages_each_add_up_to_one() -> None:
    told = summary("The ferry sank on Monday night. The captain was saved. A bank owned it all.")
    found = Citer(LexicalStandIn()).cite(told, EVENT)
    documents = {one.name: one.share for one in by_document(found, EVENT)}
    languages = {one.name: one.share for one in by_language(found, EVENT)}
    assert documents == {"a": 0.75, "b": 0.0, "c": 0.25}
    assert languages == {"en": 1.0, "de": 0.0}


def test_nothing_supported_gives_no_share_rather_than_zero() -> None:
    found = Citer(LexicalStandIn()).cite(summary("A bank owned it all."), EVENT)
    assert {one.share for one in by_document(found, EVENT)} == {None}


def test_citing_again_replaces_what_was_cited_of_the_same_summary_only(tmp_path: Path) -> None:
    run = Run(tmp_path)
    one = Citer(None).cite(summary("The ferry sank."), EVENT)
    other = [replace(one[0], recipe="sts.none.direct")]
    write_citations(run, [*one, *other])
    again = Citer(LexicalStandIn()).cite(summary("The captain was saved."), EVENT)
    write_citations(run, again)
    assert read_citations(run) == [*other, *again]


HOSTILE = (
    "<script>x</script> [click](http://evil.example) `a` | \x1b[2J \u202e *b* www.evil.example"
)


def test_outside_text_becomes_neither_markup_nor_a_link_nor_steers_a_terminal() -> None:
    own = Statement(document="a", index=1, language="en", text=HOSTILE)
    told = summary(sentences=[Sentence(text=HOSTILE, language="en", statements=(own,))])
    found = Citer(None).cite(told, EVENT)
    marked, shown = markdown(found, EVENT), text(found, EVENT)
    for written in (marked, shown):
        assert "\x1b" not in written
        assert "\u202e" not in written
    assert "<script" not in marked.replace("\\<", "")
    assert "](http" not in marked.replace("\\]", "")
    assert "http://" not in marked
    assert "www.evil" not in marked


@given(st.text(max_size=60))
def test_escaped_text_stays_on_one_line_and_opens_no_markup(outside: str) -> None:
    written = escaped(outside)
    assert len(written.splitlines()) == 1
    bare = written.replace("\\\\", "")
    for mark in "`*_[<|":
        assert bare.count(mark) == bare.count(f"\\{mark}")


@pytest.mark.parametrize("form", [text, markdown])
def test_unsupported_sentences_are_marked_where_people_read(form: object) -> None:
    found = Citer(LexicalStandIn()).cite(summary("A bank owned it all."), EVENT)
    assert callable(form)
    assert "no source found" in form(found, EVENT)


@pytest.mark.parametrize(
    ("time", "said"),
    [(datetime(1, 1, 1, tzinfo=UTC), "0001-01-01 00:00Z"),
     (datetime(9999, 12, 31, 23, 59, 59, tzinfo=UTC), "9999-12-31 23:59Z"), (None, "undated")],
)  # fmt: skip
def test_a_time_is_written_whatever_its_year(time: datetime | None, said: str) -> None:
    assert when(time) == said
