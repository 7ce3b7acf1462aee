"""What is asked, in which order and in which conversation, and what a round keeps of it."""

from itertools import pairwise, product

import pytest

from annotation.lists import numbered
from annotation.pipelines import PIPELINES, PROMPTINGS, Method, references
from annotation.plan import plan
from annotation.schemas import ALONE, Context, chronological, passages
from globesumm.errors import UnknownName
from globesumm.prompts import Library
from globesumm.values import ConflictCause, Event, IssueKind, Recipe
from tests.annotation.conftest import Cast, author, blocks, carry_out, document, event

FOUR = event(
    document("a", 0, "fr"), document("b", 1, "en"), document("c", 2, "bg"), document("d", 3, "de")
)
RECIPES = [
    Recipe(schema=schema, pipeline=pipeline, prompting=prompting)
    for schema, pipeline, prompting in product(("sts", "crs"), PIPELINES, PROMPTINGS)
]
BULGARIAN = "Фериботът потъна през нощта. Девет души липсват."


def in_bulgarian(cast: Cast) -> Cast:
    """Bulgarian documents are put into sentences in Bulgarian, as the readers demand."""
    usual = cast._usual

    def kis(request: object) -> str:
        last = cast.requests[-1][1]
        if "Bulgarian" in last.messages[-1].content:
            return '{"sentences": ["Фериботът потъна през нощта.", "Девет души липсват."]}'
        return usual("kis.default", last)

    cast.answers["kis.default"] = kis
    cast.answers["summarize.source"] = lambda request: (
        BULGARIAN if "Bulgarian" in request.messages[-1].content else "It sank. Nine are missing."
    )
    return cast


def test_there_are_twenty_recipes_with_a_model() -> None:
    assert len(RECIPES) == 20


def test_each_rounds_first_list_is_the_key_information_of_the_summary_before() -> None:
    cast = in_bulgarian(Cast({}))
    rounds = carry_out(FOUR, "crs.kis-clp.protocol", author(cast))
    assert len(rounds) == 3
    for before, after in pairwise(rounds):
        assert after.inputs[0] == before.carry
        assert before.carry is not None
        assert before.carry.steps == ("summary", "kis")
    second = cast.of("pgp.where")[1]
    assert blocks(second)[0][1] == numbered([s.text for s in rounds[1].inputs[0].sentences])
    of_summary = cast.of("kis.default")[4]
    assert blocks(of_summary)[0][1] == "Summary 1 of the ferry.\nIt sank."


def test_a_round_asks_where_then_strategies_then_the_summary_then_its_key_information() -> None:
    cast = in_bulgarian(Cast({}))
    carry_out(FOUR, "crs.kis-clp.protocol", author(cast))
    documents = ["kis.default", "clp.default", "kis.default", *["kis.default", "clp.default"] * 2]
    a_round = ["pgp.where", "pgp.strategies", "pgp.summary", "kis.default"]
    assert cast.steps == [*documents, *a_round * 3]


def test_strategies_continue_the_conversation_and_the_summary_starts_a_fresh_one() -> None:
    cast = in_bulgarian(Cast({}))
    [first, *_] = carry_out(FOUR, "crs.kis-clp.protocol", author(cast))
    where, strategies, summary = (
        cast.of(step)[0] for step in ("pgp.where", "pgp.strategies", "pgp.summary")
    )
    assert strategies.messages[:1] == where.messages
    assert [m.role for m in strategies.messages] == ["user", "assistant", "user"]
    assert strategies.messages[1].content == first.answers["where"]
    assert [m.role for m in summary.messages] == ["user"]


def test_the_summary_is_given_both_lists_the_rules_and_both_answers_as_data() -> None:
    cast = in_bulgarian(Cast({}))
    [first, *_] = carry_out(FOUR, "crs.kis-clp.protocol", author(cast))
    summary = cast.of("pgp.summary")[0]
    shown = blocks(summary)
    lists = [numbered([s.text for s in passage.sentences]) for passage in first.inputs]
    assert [text for _, text in shown] == [
        *lists, first.answers["where"], first.answers["strategies"],
    ]  # fmt: skip
    assert [label.split(":")[0] for label, _ in shown[:2]] == ["report 1 of 2", "report 2 of 2"]
    assert "do not mention what it replaces" in summary.messages[0].content
    assert "binding" in summary.messages[0].content


def test_labels_say_when_and_in_which_language_a_report_was_written() -> None:
    cast = in_bulgarian(Cast({}))
    carry_out(FOUR, "crs.kis-clp.protocol", author(cast))
    first, second, _ = cast.of("pgp.where")
    assert blocks(first)[0][0] == (
        "report 1 of 2: published 2023-09-08 22:11 UTC, in English, from French"
    )
    assert blocks(second)[0][0] == (
        "report 1 of 2: a summary of 2 earlier reports, the latest of 2023-09-08 23:11 UTC, "
        "in English"
    )


@pytest.mark.parametrize(
    "languages", [("fr",), ("en", "fr"), ("en", "en"), ("fr",) * 5, ("en",) * 3]
)
def test_calls_are_two_a_document_less_the_target_languages_and_four_a_round(
    languages: tuple[str, ...],
) -> None:
    cast = Cast({})
    happening = event(*(document(f"d{n}", n, code) for n, code in enumerate(languages)))
    carry_out(happening, "crs.kis-clp.protocol", author(cast))
    count, in_target = len(languages), languages.count("en")
    # One document alone is summarized and its summary split: there is nothing to compare.
    rounds = 4 * (count - 1) if count > 1 else 2
    assert len(cast.requests) == 2 * count - in_target + rounds


@pytest.mark.parametrize("recipe", RECIPES, ids=str)
@pytest.mark.parametrize(
    "happening",
    [
        FOUR,
        event(document("a", 0, "fr")),
        event(document("a", 0, "fr"), document("b", 1, "fr", ""), document("c", 2)),
        event(document("a", 0, "fr", ""), document("b", 1, "fr", ""), document("c", 2)),
    ],
    ids=["four", "one", "one empty", "two empty"],
)
def test_the_plan_of_every_recipe_counts_the_calls_that_are_made(
    recipe: Recipe, happening: Event
) -> None:
    cast = in_bulgarian(Cast({}))
    carry_out(happening, str(recipe), author(cast))
    steps = plan(happening, recipe, "en")
    assert sum(step.calls for step in steps) == len(cast.requests)
    by_step = {step.step: step.calls for step in steps}
    assert by_step.get("where", 0) == cast.steps.count("pgp.where")
    assert by_step.get("clp", 0) == cast.steps.count("clp.default")
    assert all(step.prompt_tokens > 0 and step.answer_tokens > 0 for step in steps)


def test_single_turn_makes_one_call_direct_and_three_with_the_protocol() -> None:
    for prompting, calls in (("direct", ["direct.many"]), ("protocol", None)):
        cast = Cast({})
        [done] = carry_out(FOUR, f"sts.none.{prompting}", author(cast))
        assert cast.steps == (calls or ["pgp.where", "pgp.strategies", "pgp.summary"])
        assert len(blocks(cast.requests[0][1])) == 4
        assert done.documents == ("a", "b", "c", "d")


def test_the_protocol_numbers_sentences_that_are_no_list_and_direct_does_not() -> None:
    for prompting, text in (
        ("protocol", "1. The ferry a sank at night.\n2. Nine people of a are missing."),
        ("direct", "The ferry a sank at night.\nNine people of a are missing."),
    ):
        cast = Cast({})
        carry_out(FOUR, f"crs.none.{prompting}", author(cast))
        assert blocks(cast.requests[0][1])[0][1] == text


def test_a_round_keeps_issues_with_places_documents_causes_strategies_and_raw_answers() -> None:
    cast = in_bulgarian(Cast({}))
    writing = author(cast)
    rounds = carry_out(FOUR, "crs.kis-clp.protocol", writing)
    [issue] = rounds[0].issues
    assert (issue.kind, issue.cause, issue.differs) == (
        IssueKind.CONFLICT, ConflictCause.UPDATE, "toll 1",
    )  # fmt: skip
    assert [(s.document, s.index, s.language) for s in issue.statements] == [
        ("a", 1, "fr"), ("b", 2, "en"),
    ]  # fmt: skip
    assert rounds[0].strategies[0].text == "Take the later, 1."
    assert [s.document for s in rounds[1].issues[0].statements] == ["a + b", "c"]
    names = {"where": "pgp.where", "strategies": "pgp.strategies", "summary": "pgp.summary"}
    for step, name in {**names, "kis": "kis.default"}.items():
        assert rounds[0].answers[step]
        assert rounds[0].answers[f"{step}.prompt"] == Library()[name].reference


def test_one_document_is_summarized_directly_and_noted() -> None:
    cast = Cast({})
    [done] = carry_out(event(document("a")), "crs.none.protocol", author(cast))
    assert cast.steps == ["direct.many"]
    assert ALONE in done.notes


@pytest.mark.parametrize("target", ["bg", "ja", "ar"])
def test_any_target_language_is_named_to_the_model(target: str) -> None:
    said = {
        "bg": "Фериботът потъна през нощта.",
        "ja": "フェリーは夜に沈没しました。",
        "ar": "غرقت العبارة ليلا في البحر.",
    }
    cast = Cast({"pgp.summary": said[target], "clp.default": f"1. {said[target]}"})
    cast.answers["kis.default"] = lambda request: (
        f"1. {said[target]}" if said[target] in request.messages[0].content else "1. It sank."
    )
    happening = event(document("a", 0), document("b", 1))
    [done] = carry_out(happening, "crs.kis-clp.protocol", author(cast), target=target)
    assert done.summary == said[target]
    assert len(cast.of("clp.default")) == 2
    names = {"bg": "Bulgarian (български)", "ja": "Japanese (日本語)", "ar": "Arabic (العربية)"}
    assert names[target] in cast.of("pgp.summary")[0].messages[0].content


def test_the_steps_before_the_merge_may_have_another_author() -> None:
    merging, preparing = Cast({}), Cast({})
    recipe = Recipe(schema="crs", pipeline="kis-clp", prompting="direct")
    happening = event(document("a", 0, "fr"), document("b", 1))
    method = Method.of(recipe, author(merging), author(preparing))
    context = Context(event=happening, target="en")
    list(chronological(method.prepare(passages(happening), context), method.merge, context))
    assert sorted(preparing.steps) == ["clp.default", "kis.default", "kis.default"]
    assert merging.steps == ["direct.two", "kis.default"]


def test_what_decides_the_prompts_is_named_with_digests() -> None:
    recipe = Recipe(schema="crs", pipeline="kis-clp", prompting="protocol")
    named = references(recipe, author(Cast({})))
    for name in ("kis.default", "clp.default", "pgp.where", "pgp.summary", "protocol", "retry"):
        assert f"{name}" in named
    assert all("#" in part for part in named.split())


def test_a_recipe_that_no_model_carries_out_is_named() -> None:
    with pytest.raises(UnknownName, match="unknown prompting 'extractive'"):
        plan(FOUR, Recipe(schema="crs", pipeline="none", prompting="extractive"), "en")
