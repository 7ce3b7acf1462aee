"""Leaderboards: the published one recomputed, and one made of verdicts."""

import json
from pathlib import Path

import pytest

from globesumm.cli import main
from metrics.facts.belief import robustness
from metrics.facts.groups import findings, groups, misprints
from metrics.facts.leaderboard import NAMES, Traits, board, published, table
from metrics.facts.records import Candidate
from metrics.facts.verdicts import Verdicts


def test_the_published_table_has_its_systems_kinds_and_scenarios() -> None:
    rows = published()
    assert len(rows) == 28
    assert sum(row.traits.reasoning == "yes" for row in rows) == 14
    assert sum(row.traits.size == "small" for row in rows) == 15
    assert sum(row.traits.weights == "proprietary" for row in rows) == 13
    assert {len(row.scenarios) for row in rows} == {6}
    named = {one.name: one.systems for one in groups(rows)}
    assert named["large reasoning"] == 7
    assert named["small instruction"] == 8


def test_every_printed_overall_score_is_the_mean_of_its_scenarios_within_rounding() -> None:
    assert misprints(published()) == []
    worst = max(
        abs(printed - (row.computed(name) or 0))
        for row in published()
        for name, printed in row.printed.items()
    )
    assert worst < 0.0007
    assert len(misprints(published(), 0.0006)) == 2


def test_the_findings_on_groups_hold_and_one_sentence_on_the_weakest_model_does_not() -> None:
    found = findings(published())
    differing = [one.said for one in found if not one.holds]
    assert len(found) == 33
    assert differing == [
        "GPT-4.1-nano is the small instruction model weakest in completeness",
        "GPT-4.1-nano is the small instruction model weakest in faithfulness",
    ]
    said = {one.said: one.figures for one in found}
    assert said["large: reasoning models do not gain faithfulness"] == "95.31 / 95.50"
    assert (
        said["large: reasoning models lead instruction models in completeness"] == "70.60 / 58.83"
    )


def test_finding_what_does_not_hold_is_possible() -> None:
    """Turned round, the table bears none of the findings on reasoning out."""
    turned = [
        type(row)(
            system=row.system,
            cells=row.cells,
            printed=row.printed,
            traits=Traits(
                reasoning="no" if row.traits.reasoning == "yes" else "yes",
                size=row.traits.size,
                weights=row.traits.weights,
            ),
        )
        for row in published()
    ]
    assert not any(one.holds for one in findings(turned) if ": reasoning models" in one.said)


def test_the_printed_sigma_is_the_spread_over_systems() -> None:
    """Printed for 300 sources a system: .095, .049 and .012."""
    rows = published()
    verdicts = {
        name: [
            Verdicts(
                id="all",
                system=row.system,
                key_facts=None,
                sentences=1,
                supported=tuple(n < round(1000 * (row.overall(name) or 0)) for n in range(1000)),
            )
            for row in rows
        ]
        for name in NAMES
    }
    spreads = []
    for held in verdicts.values():
        found = {one.name: one.value for one in robustness({"a": held, "b": held}, resamples=2)}
        spreads.append(found["faithfulness: spread over systems"])
        assert found["faithfulness: deviation over judges"] == 0
    assert spreads == pytest.approx([0.095, 0.049, 0.012], abs=0.006)


def made() -> list[Verdicts]:
    """System a: 1 of 2 key facts in `x` twice, all in `y`; b: one unscored summary."""
    half, whole = ((1,), ()), ((1,), (1,))
    return [
        Verdicts(id="1", system="a", scenario="x", key_facts=half, sentences=1, supported=(True,)),
        Verdicts(id="2", system="a", scenario="x", key_facts=half, sentences=1, supported=(True,)),
        Verdicts(
            id="3", system="a", scenario="y", key_facts=whole, sentences=2, supported=(False,)
        ),
        Verdicts(id="1", system="b", scenario="x", key_facts=None, sentences=1, supported=(True,)),
        Verdicts(id="3", system="b", scenario="y", key_facts=half, sentences=1, supported=()),
    ]


def test_overall_is_the_mean_over_scenarios_and_a_gap_is_no_nought() -> None:
    summaries = [Candidate(id="1", system="a", summary="s", thinking_tokens=n) for n in (10, 30)]
    first, second = board(made(), summaries=summaries)
    assert first.overall("completeness") == 0.75
    assert first.deviation("completeness") == 0.25
    assert first.overall("conciseness") == 0.75
    assert first.overall("faithfulness") == 0.5
    assert first.thinking == 20
    assert second.overall("completeness") is None
    notes = table([first, second]).notes
    assert "b, x, completeness: 0 of 1 scored" in notes
    assert "b, y, faithfulness: 0 of 1 scored" in notes


@pytest.mark.parametrize(
    ("form", "said"),
    [
        ("table", "holds: large: reasoning models do not gain faithfulness"),
        ("markdown", "| **81.7 / 80.5 / 96.4** |"),
        ("latex", r"\textbf{81.7 / 80.5 / 96.4}"),
        ("tsv", "GPT-5\t75.1000\t76.7000\t97.1000"),
        ("jsonl", '{"system": "GPT-5"'),
    ],
)
def test_the_published_leaderboard_prints_in_every_form(
    form: str, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["facts", "leaderboard", "--published", "--format", form]) == 0
    assert said in capsys.readouterr().out


def lines(path: Path, every: list[Verdicts]) -> str:
    path.write_text(
        "".join(
            json.dumps(
                {
                    "id": one.id,
                    "system": one.system,
                    "scenario": one.scenario,
                    "key_facts": one.key_facts,
                    "sentences": one.sentences,
                    "supported": one.supported,
                }
            )
            + "\n"
            for one in every
        )
    )
    return str(path)


def test_a_leaderboard_of_ones_own_groups_systems_by_their_traits(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = lines(tmp_path / "v.jsonl", made())
    traits = tmp_path / "s.tsv"
    traits.write_text("system\treasoning\tsize\tweights\na\tyes\tlarge\topen\nb\tno\tsmall\t\n")
    assert main(["facts", "leaderboard", path, "--systems", str(traits)]) == 0
    out = capsys.readouterr().out
    assert "75.0 / 75.0 / 50.0" in out
    assert "large reasoning" in out
    traits.write_text("model\nx\n")
    assert main(["facts", "leaderboard", path, "--systems", str(traits)]) == 2
    assert "the columns system" in capsys.readouterr().err


def test_the_three_studies_print(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    one, two = (lines(tmp_path / f"{n}.jsonl", made()) for n in "ab")
    few = ("--resamples", "20")
    assert main(["facts", "meta", "--runs", one, two, *few]) == 0
    assert "Krippendorff's alpha" in capsys.readouterr().out
    assert main(["facts", "meta", "--judges", f"a={one}", f"b={two}", *few]) == 0
    assert "Spearman a / b" in capsys.readouterr().out
    people = ("--people", one, "--judge-file", two)
    assert main(["facts", "meta", *people, *few, "--format", "jsonl"]) == 0
    found = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [line["value"] for line in found] == [1, 1]
    for wrong in (["--runs", one], ["--people", one], ["--judges", one, two]):
        assert main(["facts", "meta", *wrong]) == 2


def test_systems_are_compared_on_the_same_sources(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    every = [
        Verdicts(
            id=f"{n}",
            system=system,
            key_facts=((1,), (1,) if system == "good" or n == 0 else ()),
            sentences=1,
            supported=(True,),
        )
        for system in ("good", "bad")
        for n in range(12)
    ]
    path = lines(tmp_path / "v.jsonl", every)
    assert main(["facts", "score", path, "--compare"]) == 0
    out = capsys.readouterr().out
    assert "45.83" in out
    assert "good" in out.split("\n\n")[-2]
    assert main(["facts", "score", path, "--compare", "--format", "jsonl"]) == 2
