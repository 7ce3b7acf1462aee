"""The check finds metrics that order rightly, and none that only seem to."""

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import pytest

from globesumm.errors import MissingPackage
from metrics.base import Better, Candidate, Column, Description, Measured, Metric, Signature
from metrics.truth import Checked, Known, Subject, check, compose, shipped
from metrics.truth.agreement import Orders
from metrics.truth.tables import check_table

KNOWN = compose(shipped())[0]
BY_ID = {one.id: one for one in KNOWN}
Rule = Callable[[Known], float | None]


@dataclass(frozen=True)
class Ruled(Metric):
    """A metric that knows the truth, as far as its rule lets it."""

    rule: Rule = field(hash=False)
    better: Better = Better.HIGHER

    @property
    def name(self) -> str:
        return "ruled"

    @property
    def columns(self) -> tuple[Column, ...]:
        return (Column(name="ruled", better=self.better),)

    @property
    def signature(self) -> Signature:
        return Signature.of("ruled", v=1)

    def describe(self) -> Description:
        return Description(
            measures="what the rule says",
            formula="the rule",
            range="any number",
            empty="None where the rule has no answer",
            cost="nothing",
            source="this test",
            difference="none",
            weak_spots="none: it knows the truth",
        )

    def measure(self, candidates: Sequence[Candidate]) -> list[Mapping[str, Measured]]:
        values = [self.rule(BY_ID[one.id]) for one in candidates]
        return [{"ruled": Measured(v, None if v is not None else "no answer")} for v in values]


def checked(rule: Rule, better: Better = Better.HIGHER) -> Checked:
    subject = Subject(name="ruled", metric=Ruled(rule, better))
    (row,) = check([subject], KNOWN, lambda _: "all", resamples=60)
    return row


def noise(one: Known) -> float:
    return random.Random(one.id).random()


def counts(one: Known) -> tuple[int, int]:
    assert one.good is not None
    assert one.bad is not None
    return one.good, one.bad


RULES: dict[str, tuple[Rule, str]] = {
    "the true coverage": (lambda one: one.coverage, "coverage"),
    "the true faithfulness": (lambda one: one.faithfulness, "both"),
    "points less what is none": (lambda one: counts(one)[0] - counts(one)[1], "both"),
    "the number of sentences": (lambda one: sum(counts(one)), "neither"),
    "few sentences": (lambda one: -sum(counts(one)), "neither"),
    "the number of characters": (lambda one: len(one.text), "neither"),
    "chance": (noise, "neither"),
    "always 5": (lambda _: 5.0, "says nothing"),
    "the contrary of coverage": (lambda one: -float(one.coverage or 0), "neither"),
}


@pytest.mark.parametrize("what", RULES)
def test_a_metric_is_said_to_order_what_it_orders(what: str) -> None:
    rule, verdict = RULES[what]
    row = checked(rule)
    assert row.verdict == verdict


def test_the_truth_itself_has_perfect_measures() -> None:
    for truth in ("coverage", "faithfulness"):
        row = checked(lambda one, name=truth: getattr(one, name))  # type: ignore[misc]
        assert row.spearman[truth].value == pytest.approx(1)
        assert row.winrate[truth].value == 1
    row = checked(lambda one: one.coverage)
    assert row.held["more"].value == row.held["swapped"].value == 1
    assert row.held["cleaner"].value == 0.5  # it cannot tell these apart, and ties count half


def test_a_metric_that_is_better_low_is_turned_round() -> None:
    up, down = (
        checked(lambda one: one.coverage),
        checked(lambda one: -float(one.coverage or 0), Better.LOWER),
    )
    assert up.spearman == down.spearman
    assert up.winrate == down.winrate


def test_a_metric_that_always_says_the_same_is_said_to_carry_no_information() -> None:
    row = checked(lambda _: 5.0)
    assert row.spearman["coverage"].value is None
    assert row.spearman["coverage"].note == (
        "the metric says the same of every summary: no information"
    )
    assert row.winrate["coverage"].value == 0.5
    assert any("no information" in note for note in check_table([row]).notes)


def test_summaries_without_a_score_are_counted_and_left_out_of_pairs() -> None:
    row = checked(lambda one: one.coverage if one.bad else None)
    unscored = sum(not one.bad for one in KNOWN)
    assert (row.n, row.expected) == (len(KNOWN) - unscored, len(KNOWN))
    assert row.reasons == (("no answer", unscored),)
    assert row.spearman["coverage"].value == pytest.approx(1)
    assert row.winrate["coverage"].value == 1


def test_a_metric_that_cannot_run_has_a_row_with_the_reason_and_the_others_go_on() -> None:
    from metrics import Rouge

    def refused(_: Known) -> float:
        raise MissingPackage("parrot", "parroting", "models")

    subjects = [
        Subject(name="ruled", metric=Ruled(refused)),
        Subject(name="rouge", metric=Rouge()),
    ]
    few = [one for one in KNOWN if one.pair == "en-en"][:30]
    rows = list(check(subjects, few, lambda one: one.kind, resamples=20))
    assert rows[0].n == 0
    assert "needs the package 'parrot'" in rows[0].reasons[0][0]
    assert [row.n for row in rows[1:]] == [30, 30, 30]
    table = check_table(rows)
    assert [row[0] for row in table.rows] == ["rouge1 ↑", "rouge2 ↑", "rougeL ↑"]
    assert any("nothing scored" in note for note in table.notes)


def labelled(coverage: float | None, article: str = "a", name: str = "x") -> Known:
    return Known(
        id=name,
        article=article,
        source="s",
        source_language="en",
        text="t",
        language="en",
        coverage=coverage,
        faithfulness=None,
    )


def test_winrates_are_means_over_articles_of_shares_of_pairs_unequal_in_truth() -> None:
    # Article a: truths 1, 2, 2, 3, so five pairs are unequal; b: one pair; c: none.
    known = [labelled(t, "a", f"a{p}") for p, t in enumerate([1.0, 2, 2, 3])]
    known += [labelled(t, "b", f"b{p}") for p, t in enumerate([0.0, 1])]
    known += [labelled(t, "c", f"c{p}") for p, t in enumerate([4.0, 4])]
    values: list[float | None] = [1, 2, 1, 9, 5, 4, 1, 2]
    # a: (1,2) right, (1,2') tied, (1,3) right, (2,3) right, (2',3) right; b: wrong.
    half = Orders(known).winrate(values, "coverage", Better.HIGHER)
    wrong = Orders(known, ties="wrong").winrate(values, "coverage", Better.HIGHER)
    assert half.value == pytest.approx((4.5 / 5 + 0) / 2)
    assert wrong.value == pytest.approx((4 / 5 + 0) / 2)
    assert half.n == 2


def test_correlation_equals_that_of_scipy() -> None:
    scipy = pytest.importorskip("scipy.stats")
    known = [labelled(float(p % 5), f"a{p % 3}", str(p)) for p in range(30)]
    values: list[float | None] = [float((p * 7) % 11) for p in range(30)]
    found = Orders(known).spearman(values, "coverage", Better.HIGHER)
    theirs = scipy.spearmanr(values, [one.coverage for one in known]).statistic
    assert found.value == pytest.approx(theirs)


def test_peoples_labels_without_faithfulness_or_counts_leave_those_cells_empty() -> None:
    known = [labelled(float(p), f"a{p % 4}", str(p)) for p in range(20)]
    orders = Orders(known)
    values: list[float | None] = [float(p) for p in range(20)]
    assert orders.spearman(values, "coverage", Better.HIGHER).value == pytest.approx(1)
    none = orders.spearman(values, "faithfulness", Better.HIGHER)
    assert none.value is None
    assert none.note == "fewer than two summaries were scored and have a known faithfulness"
    assert orders.held(values, "swapped", Better.HIGHER).value is None


def test_one_article_gives_values_without_intervals_and_no_verdict() -> None:
    mine = [one for one in KNOWN if one.article == "reactor"]
    subject = Subject(name="ruled", metric=Ruled(lambda one: one.coverage))
    (row,) = check([subject], mine, lambda _: "all")
    assert row.winrate["coverage"].value == 1
    assert row.winrate["coverage"].low is None
    assert row.verdict == "not known"
