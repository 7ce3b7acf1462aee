"""``globesumm metrics``: every metric is listed with all that a reader must know."""

import pytest

from globesumm.cli import main
from metrics import METRICS, NEEDS_MODEL
from metrics.needs_model import NEEDS_JUDGE

FIELDS = ("signature", "measures", "formula", "range", "empty", "cost", "source", "difference",
          "weak spots", "needs")  # fmt: skip


def blocks(said: str) -> dict[str, str]:
    return {block.split(":")[0]: block for block in said.strip().split("\n\n")}


def test_every_metric_is_listed_once_with_columns_direction_and_what_it_needs(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["metrics"]) == 0
    found = blocks(capsys.readouterr().out)
    assert list(found) == [*METRICS, *(row.name for row in (*NEEDS_MODEL, *NEEDS_JUDGE))]
    for name, make in METRICS.items():
        metric = make()
        assert str(metric.signature) in found[name]
        assert all(f"{c.name} {c.better.arrow}" in found[name] for c in metric.columns)
    assert all("  needs  " in block for block in found.values())


@pytest.mark.parametrize("name", METRICS)
def test_a_named_metric_is_told_in_full(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["metrics", "--name", name]) == 0
    (block,) = blocks(capsys.readouterr().out).values()
    assert [line[2:13].strip() for line in block.splitlines()[1:] if line[2:13].strip()] == [
        *FIELDS
    ]
    assert block.startswith(f"{name}: ")


def test_a_metric_told_shortly_has_been_told_in_full_before(
    capsys: pytest.CaptureFixture[str],
) -> None:
    main(["metrics"])
    found = blocks(capsys.readouterr().out)
    full = [name for name, block in found.items() if "  formula  " in block]
    for name in METRICS:
        if name not in full:
            first = found[name].split("\n  as")[1].strip().split(",")[0]
            assert first in full
            assert METRICS[name]().describe() == METRICS[first]().describe()
