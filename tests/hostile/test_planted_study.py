"""The study of planted orders: what an obeying model is moved by, and that a heeding one is not."""

from pathlib import Path

import pytest

from baselines.studies.planted import attacks, heedful, obedient, run, tried_on
from globesumm.cli import main
from globesumm.llm.backends import open_model
from globesumm.llm.scripted import Scripted
from tests.live import llama_server

TARGETS = {"nic", "llm-coverage", "llm-faithfulness", "cre", "summary"}


def test_a_model_that_obeys_is_moved_by_every_attack_and_every_attack_is_flagged() -> None:
    rows = list(tried_on(obedient(), attacks()))
    assert {row.target for row in rows} == TARGETS
    assert len(rows) == len(attacks()) * len(TARGETS) * 3
    assert not [row for row in rows if not row.moved]
    assert not [row for row in rows if not row.flagged]


def test_a_model_that_heeds_its_task_is_moved_by_none() -> None:
    rows = list(tried_on(heedful(), attacks()[:6]))
    assert not [row for row in rows if row.moved is not False]


def test_what_cannot_be_judged_is_no_proof_of_safety() -> None:
    rows = list(tried_on(Scripted(lambda _: "no idea"), attacks()[:2]))
    judged = [row for row in rows if row.target != "summary"]
    assert all(row.moved is None and row.reason for row in judged)


def test_the_page_says_n_of_n_and_is_the_same_twice() -> None:
    page = run(None, 0, 2).markdown()
    assert page == run(None, 0, 2).markdown()
    assert "| obedient | nic | 1.00 [0.61, 1.00] (6/6) | 0 of 6 | 6 of 6 |" in page


def test_only_this_study_asks_a_model(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["study", "samples", "--model", "gpt-4o"]) == 2
    assert "asks no model" in capsys.readouterr().err


@pytest.mark.slow
def test_a_real_small_model_is_measured_over_http(tmp_path: Path) -> None:
    """The figures are of that model; here only that each attack ends as moved, not, or unknown."""
    with (
        llama_server(tmp_path, 4096) as url,
        open_model("smollm2", url, most_at_once=1) as model,
    ):
        rows = list(tried_on(model, attacks()[12:13]))
    assert len(rows) == len(TARGETS) * 3
    assert all(row.moved is not None or row.reason for row in rows)
    assert any(row.moved is not None for row in rows)
