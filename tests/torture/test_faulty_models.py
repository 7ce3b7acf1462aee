"""A model server with every fault mixed: the grid ends, all adds up, and memory stays flat.

Three hundred calls here; ``python -m tests.torture.faults --calls 10000`` makes as many as wished.
"""

from pathlib import Path

import pytest

from tests.torture.faults import carry_out_calls


@pytest.mark.slow
def test_three_hundred_calls_with_every_fault_end_add_up_and_take_no_memory(
    tmp_path: Path,
) -> None:
    figures = carry_out_calls(tmp_path, 300)
    assert figures.calls >= 300
    assert figures.faults > 30
    assert figures.grown_mib < 30
