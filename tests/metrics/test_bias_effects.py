"""The test behind the report: values by hand, exact nulls, confounds, and power by simulation."""

import itertools
import math
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from metrics.bias.effects import Case, effects
from metrics.bias.power import Setting, power, simulated


def case(block: str, language: str, value: float, *controls: float | None) -> Case:
    return Case(block=block, language=language, value=value, controls=controls)


TWO_EVENTS = [
    case("a", "en", 0.8),
    case("a", "en", 0.6),
    case("a", "he", 0.1),
    case("b", "en", 0.5),
    case("b", "he", 0.3),
    case("b", "fr", 0.4),
]


def test_with_two_languages_the_effect_is_the_difference_of_means_within_the_event() -> None:
    found = effects([case("a", "en", 0.8), case("a", "en", 0.6), case("a", "he", 0.1)], resamples=0)
    by = {one.language: one.difference for one in found.languages}
    assert by["he"] == pytest.approx(-0.6, abs=1e-9)
    assert by["en"] == pytest.approx(0.6, abs=1e-9)


def test_effects_are_least_squares_coefficients_with_event_dummies() -> None:
    found = effects(TWO_EVENTS, resamples=0)
    for one in found.languages:
        columns = [
            [float(c.block == "a"), float(c.block == "b"), float(c.language == one.language)]
            for c in TWO_EVENTS
        ]
        fitted, *_ = np.linalg.lstsq(np.array(columns), np.array([c.value for c in TWO_EVENTS]))
        assert one.difference == pytest.approx(fitted[2], abs=1e-9)


def test_controls_enter_as_in_a_regression_with_all_columns() -> None:
    generator = np.random.default_rng(3)
    held = [
        case(f"{n % 7}", ("en", "fr", "he")[n % 3], generator.random(), generator.random(), n * 0.1)
        for n in range(60)
    ]
    found = effects(held, resamples=0)
    for one in found.languages:
        columns = np.array(
            [
                [float(c.language == one.language)]
                + [float(c.controls[0] or 0), float(c.controls[1] or 0)]
                + [float(c.block == str(block)) for block in range(7)]
                for c in held
            ]
        )
        fitted, *_ = np.linalg.lstsq(columns, np.array([c.value for c in held]))
        assert one.difference == pytest.approx(fitted[0], abs=1e-9)


def test_p_is_the_share_of_all_rearrangements_that_are_as_extreme() -> None:
    held = [case("a", "en", v) for v in (0.9, 0.8, 0.7)] + [case("a", "he", v) for v in (0.1, 0.2)]
    values = [c.value for c in held]
    observed = abs(np.mean(values[:3]) - np.mean(values[3:]))
    extreme = sum(
        abs(
            np.mean([values[i] for i in range(5) if i not in two])
            - np.mean([values[i] for i in two])
        )
        >= observed - 1e-12
        for two in itertools.combinations(range(5), 2)
    )
    found = effects(held, permutations=20_000, resamples=0)
    assert found.languages[0].p == pytest.approx(extreme / 10, abs=0.01)


@settings(max_examples=20, deadline=None)
@given(st.randoms(use_true_random=False))
def test_the_order_of_the_cases_does_not_matter(random: object) -> None:
    shuffled = TWO_EVENTS[:]
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    assert effects(shuffled, permutations=50, resamples=50) == effects(
        TWO_EVENTS, permutations=50, resamples=50
    )


def test_a_language_that_never_stands_beside_another_cannot_be_told() -> None:
    found = effects([*TWO_EVENTS, case("c", "bg", 0.2), case("c", "bg", 0.9)], permutations=50)
    bg = next(one for one in found.languages if one.language == "bg")
    assert bg.difference is bg.p is bg.p_adjusted is bg.low is None
    assert "beside" in str(bg.reason)
    assert bg.n == 2


def test_a_language_that_a_control_describes_fully_is_not_accused() -> None:
    held = [
        case(str(block), language, value, length)
        for block in range(6)
        for language, value, length in (("en", 0.8, 5.0), ("fr", 0.7, 5.0), ("he", 0.1, 1.0))
    ]
    found = {one.language: one for one in effects(held, permutations=99).languages}
    assert found["he"].difference is None
    assert "controls" in str(found["he"].reason)
    assert found["en"].difference == pytest.approx(0.1)


@pytest.mark.parametrize(
    "held",
    [
        [],
        [case("a", "en", 0.5)],
        [case("a", "en", 0.5), case("b", "he", 0.5)],
        [case("a", "en", 0.5), case("a", "he", 0.5)],
        [case("a", "en", 0.5, None), case("a", "he", 0.2, None)],
        [case("a", "en", 0.5, 1.0), case("a", "he", 0.2, None), case("b", "he", 0.2, 2.0)],
        [case("a", "en", math.nextafter(0, 1)), case("a", "he", 0.0)],
    ],
)
def test_degenerate_cases_give_finite_values_or_none(held: list[Case]) -> None:
    found = effects(held, permutations=19, resamples=19)
    for one in found.languages:
        for value in (one.difference, one.low, one.high, one.p, one.p_adjusted):
            assert value is None or math.isfinite(value)
    assert found.p_any is None or 0 < found.p_any <= 1


def test_bootstrap_intervals_hold_the_effect_and_narrow_with_events() -> None:
    few, many = (
        effects(simulated(Setting(events=n), 5), permutations=19, resamples=500) for n in (15, 120)
    )
    for name in ("en", "he"):
        wide, narrow = (
            next(one for one in found.languages if one.language == name) for found in (few, many)
        )
        assert narrow.low is not None
        assert narrow.high is not None
        assert wide.low is not None
        assert wide.high is not None
        assert narrow.low < (narrow.difference or 0) < narrow.high
        assert narrow.high - narrow.low < wide.high - wide.low


FAIR = Setting(events=40, left=1.0)
IGNORING = Setting(events=40, left=0.3)


def test_ignored_languages_are_found_in_one_study() -> None:
    found = effects(simulated(IGNORING, 1), permutations=499, resamples=0)
    under = {
        one.language
        for one in found.languages
        if (one.p_adjusted or 1) < 0.05 and (one.difference or 0) < 0
    }
    assert under == {"he", "hi", "el"}
    assert found.p_any == 1 / 500


@pytest.mark.slow
def test_a_fair_summarizer_is_accused_no_more_often_than_the_level() -> None:
    found = power(FAIR, trials=200, permutations=199)
    # 5 % expected; 200 studies exceed 10 % with a chance below .002.
    assert found.found_any <= 0.10
    assert found.accused <= 0.10


@pytest.mark.slow
@pytest.mark.parametrize(("events", "least"), [(20, 0.8), (40, 0.95)])
def test_the_stated_power_holds_by_number_of_documents(events: int, least: float) -> None:
    """With 20 events of 12 documents (24 documents a language) languages that are never drawn
    on are found in over 80 % of studies, with 40 events in over 95 %.
    """
    found = power(Setting(events=events, left=0.0), trials=40, permutations=199)
    assert found.found_any >= least
    assert found.found_each is not None
    assert found.found_each >= least


def confounded(setting: Setting, seed: int) -> Iterator[Case]:
    """Documents in the "ignored" languages are only shorter; length alone decides the share."""
    generator = np.random.default_rng(seed)
    for event in range(setting.events):
        for _ in range(setting.documents):
            language = str(generator.choice(setting.languages))
            length = generator.lognormal(4.6 if language in setting.ignored else 5.6, 0.5)
            chance = 0.5 * length / (length + 200)
            value = generator.binomial(setting.sentences, chance) / setting.sentences
            controls = (math.log1p(length), math.log1p(length) ** 2)
            yield case(f"{event:04}", language, value, *controls)


def test_a_confound_by_length_alone_looks_like_bias_only_without_the_control() -> None:
    setting = Setting(events=60)
    held = list(confounded(setting, 11))
    plain = effects((replace(one, controls=()) for one in held), permutations=499, resamples=0)
    controlled = effects(held, permutations=499, resamples=0)
    assert plain.p_any == 1 / 500
    assert controlled.p_any is not None
    assert controlled.p_any > 0.05


@pytest.mark.slow
def test_a_confound_by_length_is_reported_no_more_often_than_the_level() -> None:
    found = power(Setting(events=60, left=1.0), trials=100, permutations=199, study=confounded)
    assert found.found_any <= 0.12
    assert found.accused <= 0.12


@pytest.mark.parametrize(("events", "documents"), [(1, 10), (2, 8), (2, 15)])
def test_many_controls_beside_few_documents_accuse_no_more_often_than_the_level(
    events: int, documents: int
) -> None:
    accused = 0
    for trial in range(100):
        chance = np.random.default_rng(trial)
        held = [
            case(str(event), str(chance.integers(4)), chance.normal(), *chance.normal(size=4))
            for event in range(events)
            for _ in range(documents)
        ]
        found = effects(held, permutations=99, resamples=0)
        accused += any((one.p_adjusted or 1.0) < 0.05 for one in found.languages)
    # 5 expected; more than 12 of 100 has a chance below .002.
    assert accused <= 12
