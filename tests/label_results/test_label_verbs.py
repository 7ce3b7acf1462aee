"""The verbs label agreement, results, export, import and merge, from end to end."""

import json
import shutil
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from annotation.agreement import SHIPPED
from annotation.labels.project import Project
from annotation.labels.values import Label
from globesumm.cli.label_results import RESULTS
from globesumm.cli.main import run
from globesumm.records import to_plain, write_records
from metrics.marks import digest_of, read_marks
from metrics.where_gold import agreement

BEGUN = datetime(2026, 3, 1, 9, tzinfo=UTC)


@pytest.fixture(scope="module")
def empty(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project of all pairs of documents of a sample event, which nobody has marked."""
    return unmarked(tmp_path_factory.mktemp("labelling") / "study")


@pytest.fixture(scope="module")
def study(empty: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same with the marks that come with the package, as labels of their two markers."""
    folder = tmp_path_factory.mktemp("labelled") / "study"
    shutil.copytree(empty, folder)
    return marked(folder)


def unmarked(folder: Path) -> Path:
    people = ["--annotator", "one", "--annotator", "two", "--overlap", "2"]
    made = ["label", "new", str(folder), "--kind", "issues"]
    assert run([*made, "--from", "sample:titan-submersible", *people]) == 0
    return folder


def marked(folder: Path) -> Path:
    store = Project.open(folder).store
    items = {tuple(one.source["documents"]): one for one in store.items()}
    rows = []
    for place, one in enumerate(read_marks(SHIPPED["sample"].marks)):
        item = items.get(one.documents)
        if item is None or one.event != "titan-submersible":
            continue
        sides = (item.payload["first"]["sentences"], item.payload["second"]["sentences"])
        assert digest_of(*sides) == one.digest
        issues = [to_plain(mark) for mark in one.issues]
        for mark in issues:
            del mark["note"]
        started = BEGUN + timedelta(minutes=5 * place)
        label = Label(
            id=f"{one.annotator}-{one.pair}",
            item=item.id,
            version=item.version,
            kind="issues",
            annotator=one.annotator,
            answer={"issues": issues},
            started=started,
            submitted=started + timedelta(minutes=4),
            seconds=240.0,
        )
        rows.append({"label": to_plain(label)})
    write_records(folder / "labels.jsonl", rows)
    assert run(["label", "import", str(folder), str(folder / "labels.jsonl")]) == 0
    return folder


def test_the_sample_has_the_kappa_table_of_its_marks(
    study: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["label", "agreement", str(study), "--resamples", "0", "--format", "json"]) == 0
    found = {one["kind"]: one for one in json.loads(capsys.readouterr().out)["issues"]}
    shipped = [
        one for one in read_marks(SHIPPED["sample"].marks) if one.event == "titan-submersible"
    ]
    for one in agreement(shipped):
        row = found[str(one.kind)]
        assert row["counts"] == one.counts
        assert row["kappa"] == pytest.approx(one.kappa, abs=1e-12)
        assert row["agreement"] == pytest.approx(one.agreement, abs=1e-12)


@pytest.mark.parametrize("form", ["table", "markdown", "html"])
def test_agreement_is_printed_in_every_form(
    study: Path, capsys: pytest.CaptureFixture[str], form: str
) -> None:
    assert run(["label", "agreement", str(study), "--resamples", "0", "--format", form]) == 0
    out = capsys.readouterr().out
    for word in ("Issues by annotator", "Kappa", "Agreement", "Redundancy", "Drift"):
        assert word in out


def test_results_are_files_that_other_parts_read(
    study: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["label", "results", str(study), "--out", str(tmp_path / "out")]) == 0
    assert "Issues of people and models" in capsys.readouterr().out
    gold = read_marks(tmp_path / "out" / "gold.jsonl")
    people = read_marks(tmp_path / "out" / "marks.jsonl")
    assert {one.annotator for one in people} == {"one", "two"}
    assert {one.pair for one in gold} == {one.pair for one in people}


def test_results_of_an_earlier_state_do_not_stay_and_other_files_do(
    study: Path, tmp_path: Path
) -> None:
    for name in (*RESULTS, "mine.txt"):
        (tmp_path / name).write_text("stale\n", encoding="utf-8")
    assert run(["label", "results", str(study), "--out", str(tmp_path)]) == 0
    held = {path.name: path.read_text(encoding="utf-8") for path in tmp_path.iterdir()}
    assert [name for name, text in held.items() if text == "stale\n"] == ["mine.txt"]
    assert "qrels.txt" not in held
    assert set(held) <= {*RESULTS, "mine.txt"}
    other = tmp_path / "other"
    other.mkdir()
    (other / "verdicts.jsonl").write_text("of something else\n", encoding="utf-8")
    assert run(["label", "results", str(study), "--out", str(other)]) == 0
    assert (other / "verdicts.jsonl").exists()


@pytest.mark.parametrize("name", ["x.jsonl", "x.json"])
def test_an_export_makes_the_same_project_elsewhere(
    study: Path, empty: Path, tmp_path: Path, name: str
) -> None:
    assert run(["label", "export", str(study), "--out", str(tmp_path / name)]) == 0
    other = tmp_path / "other"
    shutil.copytree(empty, other)
    assert run(["label", "import", str(other), str(tmp_path / name)]) == 0
    one, two = (Project.open(folder).store for folder in (study, other))
    assert list(two.items()) == list(one.items())
    key = lambda label: label.id  # noqa: E731  # sorted twice
    assert sorted(two.labels(counting=False), key=key) == sorted(
        one.labels(counting=False), key=key
    )


def test_a_merge_takes_the_labels_of_the_other_project(
    study: Path, empty: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    other = tmp_path / "other"
    shutil.copytree(empty, other)
    assert run(["label", "merge", str(other), str(study)]) == 0
    first = capsys.readouterr().out
    count = sum(1 for _ in Project.open(study).store.labels())
    assert f"labels: {count} new, 0 here already" in first
    assert run(["label", "merge", str(other), str(study)]) == 0
    assert f"labels: 0 new, {count} here already" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["agreement", "STUDY", "--kind", "relevence"], "relevance"),
        (["agreement", "STUDY", "--kind", "matching"], "nobody has labelled"),
        (["agreement", "STUDY", "--resamples", "-1"], "--resamples"),
        (["agreement", "STUDY", "--shared", "word"], "words"),
        (["agreement", "STUDY", "--match", "overlaps"], "overlap"),
        (["results", "STUDY", "--out", "OUT", "--rule", "matching"], "KIND=RULE"),
        (["results", "STUDY", "--out", "OUT", "--rule", "matching=mayority"], "majority"),
        (["results", "STUDY", "--out", "OUT", "--gold", "mayority"], "majority"),
        (["results", "STUDY", "--out", "OUT", "--depth", "0"], "--depth"),
        (["results", "STUDY", "--out", "OUT", "--candidates", "OUT"], "--candidates"),
        (["export", "STUDY", "--out", "OUT"], "--format"),
        (["export", "STUDY", "--out", "OUT.csv", "--kind", "issues"], "label-studio"),
        (["export", "STUDY", "--out", "OUT.json", "--kind", "isues"], "issues"),
        (["import", "STUDY", "OUT.csv"], "OUT.csv"),
        (["import", "STUDY", "OUT.json", "--user", "ada"], "NUMBER=NAME"),
        (["merge", "STUDY", "STUDY"], "itself"),
        (["merge", "STUDY", "STUDY", "--rename", "ada"], "OLD=NEW"),
        (["export", "OUT", "--out", "x.csv"], "no labelling database"),
    ],
)
def test_what_cannot_be_done_is_said_in_one_line(
    study: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    arguments: list[str],
    said: str,
) -> None:
    given = [
        one.replace("STUDY", str(study)).replace("OUT", str(tmp_path / "OUT")) for one in arguments
    ]
    if "candidates" in said:
        (tmp_path / "OUT").mkdir()
    assert run(["label", *given]) == 2
    error = capsys.readouterr().err.strip()
    assert said in error
    assert "Traceback" not in error
