"""A large project is as quick to work in as a small one; ``make bench`` has the paper's size."""

from pathlib import Path

import pytest

from tests.benchmarks.bench_labelling import measure

LARGE, SMALL = 3000, 200


@pytest.mark.slow
def test_pages_and_answers_take_as_long_among_3000_items_as_among_200(tmp_path: Path) -> None:
    found = measure(tmp_path, LARGE, SMALL)
    for step in ("page", "keep", "overview"):
        one = found[step]
        assert one.ratio < 10 or one.large < 0.01, f"{step}: {one}"
    # What goes over all items may grow with their number, and no faster.
    for step in ("open", "list", "all labels"):
        one = found[step]
        assert one.ratio < 3 * LARGE / SMALL or one.large < 0.05, f"{step}: {one}"
