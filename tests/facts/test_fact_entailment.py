"""Facts verified by entailment models: tiny ones, trained on the spot to a known rule.

A premise with the word "siren" entails every hypothesis without "quiet".
"""

from pathlib import Path

import pytest

from metrics.entailment import Remembering, ThreeWay, Weights, true_t5
from metrics.facts.entailed import by_entailment
from metrics.facts.pipeline import verified
from metrics.facts.records import Candidate, SummaryFacts
from metrics.facts.sources import Part, Source
from tests.metrics import test_entailment_models as models

tiny_classifier = models.tiny_classifier
tiny_t5 = models.tiny_t5

SOURCE = Source(
    id="ferry",
    parts=(
        Part(id="a", text="the siren rang the crew slept", language="en"),
        Part(id="b", text="the ferry sank a crew slept", language="en"),
        Part(id="c", text="Сирената прозвуча.", language="bg"),
    ),
)
CANDIDATE = Candidate(
    id="ferry", summary="a ferry sank the harbour . a quiet crew slept .", language="en"
)
FACTS = SummaryFacts(
    id="ferry", system="", facts=("a ferry sank the harbour .", "the quiet crew slept a .")
)


@pytest.mark.parametrize("kind", ["two ways", "three ways"])
def test_a_model_says_which_document_supports_which_fact_and_is_asked_once(
    kind: str, tiny_classifier: Path, tiny_t5: Path, tmp_path: Path
) -> None:
    def opened() -> Remembering:
        model = (
            ThreeWay(Weights(model=str(tiny_classifier)))
            if kind == "three ways"
            else true_t5(Weights(model=str(tiny_t5)))
        )
        return Remembering(model, tmp_path / "verdicts.sqlite")

    readable = Source(id="ferry", parts=SOURCE.parts[:2])
    with opened() as first:
        support = verified(by_entailment(first), CANDIDATE, FACTS, readable)
        assert support.supported == (True, False)
        assert support.by_part == ({"a": True, "b": False}, {"a": False, "b": False})
        assert first.judged == 4
    with opened() as again:
        assert verified(by_entailment(again), CANDIDATE, FACTS, readable) == support
        assert again.judged == 0


def test_a_document_the_model_cannot_read_leaves_what_no_other_supports_unjudged(
    tiny_t5: Path,
) -> None:
    entailer = true_t5(Weights(model=str(tiny_t5)))
    support = verified(by_entailment(entailer), CANDIDATE, FACTS, SOURCE)
    assert support.supported == (True, None)
    assert "in bg" in (support.reason or "")
