"""NIC as a metric: counts by a known rule, settings, references, and what is unscored."""

import math
from collections.abc import Sequence

import pytest

from globesumm.errors import UnknownName
from metrics import Candidate
from metrics.entailment import Entailer, Hypothesis, LexicalStandIn, Verdict
from metrics.nic import Nic


class Holds(Entailer):
    """Entails a sentence whose first word is in the premise; "unread" cannot be judged."""

    @property
    def identity(self) -> str:
        return "holds"

    def judge(
        self, premise: str, _language: str, hypotheses: Sequence[Hypothesis]
    ) -> list[Verdict]:
        return [
            Verdict(value=float(one.text.split()[0].lower() in premise.lower()))
            if "unread" not in one.text
            else Verdict.unjudged("it is unread")
            for one in hypotheses
        ]


REFERENCE = "Ferry down. Crew safe. King came. Rain fell."


def candidate(text: str, *references: str, **more: object) -> Candidate:
    settings: dict[str, object] = {"id": "x", "language": "en", **more}
    return Candidate(text=text, references=references or (REFERENCE,), **settings)  # type: ignore[arg-type]


def values(metric: Nic, *candidates: Candidate) -> list[tuple[float | None, float | None]]:
    scores = metric.score(candidates)
    return [
        (left.value, right.value) for left, right in zip(scores[::2], scores[1::2], strict=True)
    ]


def test_coverage_and_length_give_the_value_computed_by_hand() -> None:
    ((value, coverage),) = values(Nic(Holds()), candidate("The ferry and the crew of five"))
    assert coverage == 0.5
    assert value == pytest.approx(1 - 5 / math.log(7), abs=1e-12)
    ((other, _),) = values(Nic(Holds(), base="2"), candidate("The ferry and the crew of five"))
    assert other == pytest.approx(1 - 5 / math.log2(7), abs=1e-12)


def test_several_references_are_averaged_or_pooled_as_asked() -> None:
    given = candidate(
        "The ferry sank", "Ferry down. Crew safe.", "King came. Rain fell. Ferry gone. Sun up."
    )
    mean, pooled = (values(Nic(Holds(), references=rule), given)[0] for rule in ("mean", "pooled"))
    assert mean[1] == pytest.approx((1 / 2 + 1 / 4) / 2)
    assert pooled[1] == pytest.approx(2 / 6)
    assert mean[0] == pytest.approx(1 - 10 * 0.375 / math.log(3))


@pytest.mark.parametrize(
    ("text", "references", "why"),
    [
        ("", (REFERENCE,), "no word"),
        ("Ferry", (REFERENCE,), "one word"),
        ("…", (REFERENCE,), "no word"),
        ("The ferry sank", ("",), "no sentence"),
        ("The ferry sank", ("… !",), "no sentence"),
        ("The ferry sank", ("Ferry down. This is unread.",), "1 of 2 reference sentences"),
    ],
)
def test_what_has_no_nic_is_unscored_with_the_reason(
    text: str, references: tuple[str, ...], why: str
) -> None:
    first, second = Nic(Holds()).score([candidate(text, *references)])
    assert first.value is second.value is None
    assert why in str(first.note)


def test_without_a_reference_there_is_no_value() -> None:
    (first, _) = Nic(Holds()).score([Candidate(id="x", text="The ferry sank", language="en")])
    assert first.value is None
    assert first.note == "there is no reference"


def test_only_final_summaries_are_scored_unless_all_are_asked_for() -> None:
    rounds = [
        candidate("The ferry sank", id=f"e#{n}", event="e", recipe="r", round=n) for n in (1, 2, 3)
    ]
    other = candidate("The ferry sank", id="f", event="f", recipe="r", round=1)
    final = Nic(Holds()).score([*rounds, other])
    assert [score.value is None for score in final[::2]] == [True, True, False, False]
    assert "an earlier prefix" in str(final[0].note)
    assert all(score.value is not None for score in Nic(Holds(), summaries="all").score(rounds))


def test_rounds_of_texts_without_an_event_are_told_apart_by_their_ids() -> None:
    given = [candidate("The ferry sank", id=f"{n}", round=n) for n in (1, 2)]
    assert all(score.value is not None for score in Nic(Holds()).score(given))
    rounds = [candidate("The ferry sank", id="a#1", round=1), candidate("It sank", id="a", round=2)]
    assert [score.value is None for score in Nic(Holds()).score(rounds)[::2]] == [True, False]


def test_the_signature_holds_every_setting_that_changes_a_value() -> None:
    made = [
        Nic(Holds()),
        Nic(Holds(), base="2"),
        Nic(Holds(), summaries="all"),
        Nic(Holds(), references="pooled"),
        Nic(Holds(), split="lines"),
        Nic(LexicalStandIn()),
        Nic(LexicalStandIn(threshold=0.9)),
    ]
    assert len({str(one.signature) for one in made}) == len(made)
    assert "words:" in str(made[0].signature)


def test_a_stand_in_shows_in_the_columns_own_name() -> None:
    assert [column.name for column in Nic(Holds()).columns] == ["nic", "nic-coverage"]
    assert [column.name for column in Nic.lexical().columns] == [
        "nic-lexical",
        "nic-lexical-coverage",
    ]
    assert Nic.vector().name == "nic-vectors"


@pytest.mark.parametrize("settings", [{"base": "3"}, {"summaries": "some"}, {"references": "max"}])
def test_an_unknown_setting_is_refused(settings: dict[str, str]) -> None:
    with pytest.raises(UnknownName):
        Nic(Holds(), **settings)  # type: ignore[arg-type]


def test_an_identical_text_covers_everything_in_any_script() -> None:
    for language, text in (
        ("hi", "नाव डूब गई। राजा आया।"),
        ("he", "הספינה טבעה. המלך בא."),
        ("el", "Το πλοίο βυθίστηκε."),
    ):
        given = Candidate(id="x", text=text, language=language, references=(text,))
        ((_, coverage),) = values(Nic.lexical(), given)
        assert coverage == 1.0
