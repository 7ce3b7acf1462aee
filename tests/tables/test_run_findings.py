"""Findings recomputed on runs whose differences are known beforehand."""

import re
from collections.abc import Callable
from dataclasses import replace

import pytest

from baselines.recipes import recipes
from baselines.tables.causes import causes
from baselines.tables.contrasts import matched
from baselines.tables.findings import Found, Verdict, findings, size_of
from baselines.tables.findings_table import findings_table
from baselines.tables.results import Results, Who
from baselines.tables.stated import Contrast, known
from globesumm.values import ConflictCause, Recipe
from metrics.base import Candidate
from metrics.cre import Judged
from metrics.cre_conflicts import Conflict
from metrics.printed import MISSING

MODEL_RECIPES = [str(one) for one in recipes() if one.prompting in ("direct", "protocol")]

Grid = Callable[..., Results]


def wobble(number: int) -> float:
    """The same small spread over events in every cell."""
    return (number % 5) / 50


def found(results: Results, name: str, **more: object) -> list[Found]:
    held = findings(dict.fromkeys((5, 6, 9), results), **more)  # type: ignore[arg-type]
    return [one for one in held if one.id == name]


def crs_leaves_out_less(recipe: Recipe, who: Who, metric: str, number: int) -> float:
    gain = 0.1 if metric == "nic" and recipe.schema == "crs" else 0.0
    return 0.6 + wobble(number) - gain


def test_a_difference_beyond_chance_in_the_stated_direction_holds(grid: Grid) -> None:
    (one,) = found(grid(MODEL_RECIPES, ["m"], crs_leaves_out_less), "crs-omission")
    assert one.verdict is Verdict.HOLDS
    assert one.evidence.difference == pytest.approx(-0.1)
    assert (one.evidence.n, one.evidence.expected) == (12, 12)
    assert one.evidence.pairs == one.evidence.of_pairs == 6
    assert one.p_adjusted is not None
    assert one.p_adjusted < 0.05


def test_one_in_the_other_direction_does_not_hold(grid: Grid) -> None:
    def turned(recipe: Recipe, who: Who, metric: str, number: int) -> float:
        return 1.2 - crs_leaves_out_less(recipe, who, metric, number)

    (one,) = found(grid(MODEL_RECIPES, ["m"], turned), "crs-omission")
    assert one.verdict is Verdict.FAILS
    notes = findings_table([one]).notes
    assert any("crs-omission (4.3 (1)) says more than the numbers" in note for note in notes)


def test_no_difference_is_not_decided_and_never_a_confirmation(grid: Grid) -> None:
    results = grid(MODEL_RECIPES, ["m"], lambda *given: 0.5 + wobble(given[3]))
    verdicts = {one.verdict for one in findings(dict.fromkeys((5, 6, 9), results))}
    assert verdicts == {Verdict.OPEN, Verdict.NONE}
    (one,) = found(results, "crs-redundancy")
    assert one.verdict is Verdict.OPEN


def test_too_few_events_decide_nothing(grid: Grid) -> None:
    results = grid(MODEL_RECIPES, ["m"], crs_leaves_out_less, events=3)
    (one,) = found(results, "crs-omission")
    assert one.verdict is Verdict.OPEN
    assert one.why is not None
    assert "too few events" in one.why


def test_a_finding_rests_on_the_pairs_that_are_there_and_says_how_many(grid: Grid) -> None:
    names = ["crs.kis-clp.direct", "sts.kis-clp.direct", "crs.kis-clp.protocol"]
    (one,) = found(grid(names, ["m"], crs_leaves_out_less), "crs-omission")
    assert (one.evidence.pairs, one.evidence.of_pairs) == (1, 6)
    row = findings_table([one]).rows[0]
    assert "1 of 6 pairs of cells" in row[-1]


def test_an_event_that_failed_in_one_cell_is_in_no_pair_but_in_the_count(grid: Grid) -> None:
    def value(recipe: Recipe, who: Who, metric: str, number: int) -> float | None:
        failed = str(recipe) == "crs.kis-clp.direct" and number == 0
        return None if failed else crs_leaves_out_less(recipe, who, metric, number)

    (one,) = found(grid(MODEL_RECIPES, ["m"], value), "crs-omission")
    assert (one.evidence.n, one.evidence.expected) == (11, 12)


def test_unequal_signatures_make_a_finding_not_computable(grid: Grid) -> None:
    results = grid(MODEL_RECIPES, ["m"], crs_leaves_out_less)
    cells = tuple(
        replace(one, signature="nic|v:2") if one.recipe.schema == "crs" else one
        for one in results.cells
    )
    (one,) = found(replace(results, cells=cells), "crs-omission")
    assert one.verdict is Verdict.NONE
    assert one.why is not None
    assert "unequal signatures" in one.why


def test_what_is_said_of_one_model_alone_needs_that_model(grid: Grid) -> None:
    (one,) = found(grid(MODEL_RECIPES, ["m"], crs_leaves_out_less), "chatglm-under-crs")
    assert one.verdict is Verdict.NONE
    here = found(grid(MODEL_RECIPES, ["chatglm3-6b"], crs_leaves_out_less), "chatglm-under-crs")
    assert {held.model for held in here} == {"chatglm3-6b"}


def test_a_grid_without_models_computes_nothing_and_says_so(grid: Grid) -> None:
    results = grid(["crs.none.extractive"], [""], lambda *_: 0.5)
    held = findings(dict.fromkeys((5, 6, 9), results))
    assert {one.verdict for one in held} == {Verdict.NONE}
    assert all(one.why for one in held)


def better_with_size(recipe: Recipe, who: Who, metric: str, number: int) -> float:
    size = size_of(who.model, {"plain": 70.0}) or 0
    change = {7: 0.1, 13: 0.05, 70: -0.05}.get(int(size), 0.0)
    sign = {"nic": 1, "cre": -1}.get(metric, 0)
    return 0.5 + wobble(number) + (sign * change if recipe.prompting == "protocol" else 0.0)


def test_the_scale_trend_follows_the_sizes_told_or_named(grid: Grid) -> None:
    results = grid(MODEL_RECIPES, ["plain", "llama-2-7b-chat", "llama-2-13b"], better_with_size)
    held = found(results, "scale", sizes={"plain": 70.0})
    assert [one.verdict for one in held] == [Verdict.HOLDS, Verdict.HOLDS]
    nic = held[0]
    assert nic.why is not None
    assert "10.00 → 5.00 → -5.00" in nic.why
    assert nic.evidence.difference == pytest.approx(-0.15)
    (largest,) = {one.model for one in found(results, "protocol-at-scale", sizes={"plain": 70.0})}
    assert largest == "plain"


def test_a_trend_that_turns_back_does_not_hold(grid: Grid) -> None:
    def value(recipe: Recipe, who: Who, metric: str, number: int) -> float:
        change = {"a-7b": 0.1, "a-13b": 0.2, "a-70b": -0.1}[who.model]
        sign = 1 if metric == "nic" else -1
        return 0.5 + wobble(number) + (sign * change if recipe.prompting == "protocol" else 0.0)

    held = found(grid(MODEL_RECIPES, ["a-7b", "a-13b", "a-70b"], value), "scale")
    assert {one.verdict for one in held} == {Verdict.FAILS}
    assert all("not better at every step" in str(one.why) for one in held)


@pytest.mark.parametrize(
    ("name", "size"),
    [("Llama-2-70b-chat-hf", 70), ("qwen2.5-0.5B", 0.5), ("gpt-4o", None), ("vicuna-7b-v1.5", 7)],
)
def test_sizes_are_read_from_names(name: str, size: float | None) -> None:
    assert size_of(name, {}) == size


def test_more_models_do_not_make_a_finding_easier_to_hold(grid: Grid) -> None:
    one = findings(dict.fromkeys((5, 6, 9), grid(MODEL_RECIPES, ["a"], crs_leaves_out_less)))
    two = findings(dict.fromkeys((5, 6, 9), grid(MODEL_RECIPES, ["a", "b"], crs_leaves_out_less)))
    ps = [
        next(f.p_adjusted for f in held if f.id == "crs-omission" and f.model == "a")
        for held in (one, two)
    ]
    assert ps[0] is not None
    assert ps[1] is not None
    assert ps[1] > ps[0]


@pytest.mark.parametrize(
    "contrast", [*known().contrasts, *known().trends], ids=lambda contrast: contrast.id
)
def test_every_contrast_pairs_cells_that_differ_in_one_place(contrast: Contrast) -> None:
    pairs = matched(contrast.left, contrast.right, contrast.pipelines)
    assert pairs
    names = {str(one) for one in recipes()}
    for left, right in pairs:
        assert {str(left), str(right)} <= names
        parts = zip(str(left).split("."), str(right).split("."), strict=True)
        assert sum(a != b for a, b in parts) == 1
    assert len({left for left, _ in pairs}) == len(pairs)


def test_ids_of_findings_are_unique_and_safe() -> None:
    held = known()
    names = [one.id for one in (*held.contrasts, *held.trends)]
    names += [one.id for one in held.shares] + [one.id for one in held.elsewhere]
    assert len(set(names)) == len(names)
    assert all(re.fullmatch(r"[a-z0-9-]+", name) for name in names)


def judged(*verdicts: tuple[ConflictCause | None, int], event: str = "e") -> Judged:
    return Judged(
        candidate=Candidate(id=event, text="t", language="en", event=event),
        conflicts=tuple(Conflict(text=f"c{n}", cause=c) for n, (c, _) in enumerate(verdicts)),
        verdicts=tuple(verdict for _, verdict in verdicts),
    )


def test_figure_4_from_known_verdicts() -> None:
    perspective, update = ConflictCause.PERSPECTIVE, ConflictCause.UPDATE
    held = causes(
        {
            # Three errors of four from perspectives, and none settled counts as an error.
            "a": [
                judged((perspective, -1), (perspective, -1), (update, 1)),
                judged((perspective, -1), (update, -1), (update, 0)),
            ],
            # One of four.
            "b": [judged((perspective, -1), (update, -1), (update, -1), (update, -1))],
            # No error: in no mean.
            "c": [judged((perspective, 1), (update, 0))],
        }
    )
    shares = {one.cause: one.share for one in held.shares}
    assert shares == {update: pytest.approx((1 / 4 + 3 / 4) / 2), perspective: pytest.approx(0.5)}
    counts = {one.cause: dict(one.counts) for one in held.shares}
    assert counts[perspective] == {"a": (3, 4), "b": (1, 4), "c": (0, 0)}
    assert (held.judged, held.expected) == (4, 4)


def test_what_no_model_wrote_is_beside_the_mean_over_models() -> None:
    perspective, update = ConflictCause.PERSPECTIVE, ConflictCause.UPDATE
    held = causes({"a": [judged((perspective, -1))], "(no model)": [judged((update, -1))]})
    assert {one.cause: one.share for one in held.shares} == {perspective: 1, update: 0}


def test_summaries_without_verdicts_are_counted_with_their_reason() -> None:
    without = replace(judged(), verdicts=None, reason="the judge gave no answer")
    held = causes({"a": [without, judged((None, -1))]})
    assert (held.judged, held.expected) == (1, 2)
    assert held.reasons == (("the judge gave no answer", 1),)
    assert [one.cause for one in held.shares] == [None]


@pytest.mark.parametrize(
    ("errors", "events", "verdict"),
    [
        (3, 8, Verdict.HOLDS),
        (1, 8, Verdict.FAILS),
        (2, 8, Verdict.OPEN),
        (3, 1, Verdict.OPEN),
    ],
)
def test_the_finding_on_perspectives_follows_figure_4(
    grid: Grid, errors: int, events: int, verdict: Verdict
) -> None:
    pairs = [(ConflictCause.PERSPECTIVE, -1)] * errors + [(ConflictCause.UPDATE, -1)] * 2
    held = causes({"m": [judged(*pairs, event=f"e{number}") for number in range(events)]})
    (one,) = found(grid(["crs.none.direct"], ["m"], lambda *_: 0.5), "perspectives", causes=held)
    assert one.verdict is verdict


def test_the_interval_of_a_share_spans_what_the_events_say() -> None:
    perspective, update = ConflictCause.PERSPECTIVE, ConflictCause.UPDATE
    held = causes({"m": [judged((perspective, -1), event="a"), judged((update, -1), event="b")]})
    assert [(one.low, one.high) for one in held.shares] == [(0, 1), (0, 1)]
    (same,) = causes({"m": [judged((update, -1), event=name) for name in "abc"]}).shares
    assert (same.low, same.high) == (1, 1)


def test_sizes_of_each_language_are_compared_by_themselves(grid: Grid) -> None:
    results = grid(MODEL_RECIPES, ["llama-2-7b", "llama-2-13b"], better_with_size, events=20)
    german = {who: replace(who, target="de") for who in results.who}
    both = replace(
        results,
        cells=(*results.cells, *(replace(one, who=german[one.who]) for one in results.cells)),
        who=(*results.who, *german.values()),
    )
    held = found(both, "scale")
    assert [one.model for one in held] == ["by size in en"] * 2 + ["by size in de"] * 2
    assert {one.verdict for one in held} == {Verdict.HOLDS}


def test_two_models_of_one_size_are_no_trend(grid: Grid) -> None:
    names = ["llama-2-7b", "vicuna-7b", "llama-2-13b"]
    (one,) = found(grid(MODEL_RECIPES, names, better_with_size), "scale")
    assert one.verdict is Verdict.NONE


def test_what_cannot_be_computed_for_one_reason_is_one_row(grid: Grid) -> None:
    held = findings(dict.fromkeys((5, 6, 9), grid(["crs.none.direct"], ["a", "b"], wobbling)))
    rows = [row for row in findings_table(held).rows if row[0] == "protocol-under-crs"]
    assert [row[2:5] for row in rows] == [("a, b", "R-L ↑, Red ↓, NIC ↓, CRE ↑", "not computable")]


def wobbling(recipe: Recipe, who: Who, metric: str, number: int) -> float:
    return 0.5 + wobble(number)


def test_nothing_in_a_table_of_findings_is_blank(grid: Grid) -> None:
    held = findings(dict.fromkeys((5, 6, 9), grid(MODEL_RECIPES[:3], ["m"], crs_leaves_out_less)))
    for row in findings_table(held).rows:
        assert all(row)
        assert row[4] != MISSING
