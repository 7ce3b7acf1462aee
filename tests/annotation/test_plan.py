"""The plan's estimates against what is then sent, and its order."""

import pytest

from annotation.plan import estimated_tokens, plan
from globesumm.llm.stored import Replay
from globesumm.values import Event, Recipe
from tests.annotation.conftest import Cast, author, carry_out, document, event

RECIPE = Recipe(schema="crs", pipeline="kis-clp", prompting="protocol")
LONG = event(
    *(
        document(f"d{n}", n, code, f"The ferry number {n} sank off the coast at night. " * 40)
        for n, code in enumerate(("fr", "en", "de", "en"))
    )
)


def test_steps_come_in_the_order_in_which_they_are_taken() -> None:
    assert [step.step for step in plan(LONG, RECIPE, "en")] == [
        "kis", "clp", "where", "strategies", "summary", "kis of the summary",
    ]  # fmt: skip
    assert [step.calls for step in plan(LONG, RECIPE, "en")] == [4, 2, 3, 3, 3, 3]
    assert [step.calls for step in plan(LONG, RECIPE, "bg")][:2] == [4, 4]


def test_a_model_with_a_tokenizer_counts_what_is_then_sent() -> None:
    cast = Cast({})
    writing = author(cast)
    carry_out(LONG, str(RECIPE), writing)
    by_step = {step.step: step for step in plan(LONG, RECIPE, "en", model=writing.model)}
    sent = [writing.model.count_tokens(request.messages) or 0 for request in cast.of("kis.default")]
    assert by_step["kis"].prompt_tokens == pytest.approx(sum(sent[:4]), rel=0.05)


def test_a_longer_summary_and_more_documents_cost_more() -> None:
    def total(happening: Event, words: int = 250) -> int:
        return sum(step.tokens for step in plan(happening, RECIPE, "en", max_words=words))

    assert total(LONG) > total(event(*LONG.documents[:3]))
    assert total(LONG, words=500) > total(LONG)


@pytest.mark.parametrize(
    ("text", "least", "most"),
    [
        ("", 0, 0),
        ("The ferry sank off the coast at night, and nine people are missing.", 12, 24),
        ("Фериботът потъна край брега през нощта, девет души липсват.", 14, 34),
        ("渡轮昨晚沉没，九人失踪。", 6, 20),
    ],
)
def test_tokens_are_estimated_by_script(text: str, least: int, most: int) -> None:
    assert least <= estimated_tokens(text) <= most


def test_a_backend_without_a_tokenizer_is_estimated() -> None:
    silent = Replay("without a tokenizer")
    assert plan(LONG, RECIPE, "en", model=silent) == plan(LONG, RECIPE, "en")
