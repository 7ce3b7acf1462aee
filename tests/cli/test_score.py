"""``globesumm score``: old runs, slices, comparisons, prefixes; scores that must not be lost."""

import json
from collections.abc import Mapping
from pathlib import Path

import pytest

from baselines import experiment
from globesumm.cli import main
from globesumm.runs import Failure, Run
from globesumm.values import Document, Event, Round, Score, Summary
from metrics import NEEDS_MODEL, Red

RECIPES = ("crs.none.lead", "crs.none.random", "sts.none.lead")
STORIES = {
    "quake": ("Disasters", "The quake killed twelve people. Rescue teams dug all night."),
    "vote": ("Politics", "The vote was close. Both sides claimed victory."),
    "flood": ("Disasters", "The flood cut off two villages. Boats brought bread."),
    "strike": ("Politics", "The strike stopped trains. Talks went on."),
}


def event(name: str) -> Event:
    category, reference = STORIES[name]
    languages = ("en", "fr") if category == "Politics" else ("en", "fr", "de")
    return Event(
        id=name,
        description=name,
        category=category,
        documents=tuple(Document(id=f"{name}-{t}", text=reference, language=t) for t in languages),
        references=(reference,),
    )


def summary(name: str, recipe: str, texts: tuple[str, ...]) -> Summary:
    documents = tuple(document.id for document in event(name).documents)
    rounds = tuple(
        Round(index=number, documents=documents[:number], added=(), summary=text)
        for number, text in enumerate(texts, 1)
    )
    return Summary(event=name, recipe=recipe, model="m", target="en", text=texts[-1], rounds=rounds)


def texts(name: str, recipe: str) -> tuple[str, ...]:
    first, second = STORIES[name][1].split(". ")
    if recipe == "crs.none.lead":
        return f"{first}.", f"{first}. {second}"
    if recipe == "crs.none.random":
        return "Nothing is known.", f"{first}. Nothing else is known."
    return ("Nothing is known. Nothing at all.",)


@pytest.fixture
def run(tmp_path: Path) -> Run:
    """A finished run of three recipes over four events."""
    made = Run.start(tmp_path / "run", {"seed": 0})
    made.write_events([event(name) for name in STORIES])
    for name in STORIES:
        for recipe in RECIPES:
            made.write_summary(summary(name, recipe, texts(name, recipe)))
    return made


def score(run: Run, *more: str) -> int:
    return main(["score", str(run.folder), *more])


def lines(said: str) -> list[dict[str, object]]:
    return [json.loads(line) for line in said.splitlines()]


def held(run: Run) -> Mapping[tuple[str, str | None, str], Score]:
    scores = run.scores()
    found = {(one.metric, one.recipe, one.id): one for one in scores}
    assert len(found) == len(scores)
    return found


def test_a_new_metric_on_an_old_run_makes_no_summary(
    run: Run, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def forbidden(*_: object, **__: object) -> None:
        pytest.fail("scoring called the maker of summaries")

    monkeypatch.setattr(experiment, "summarize", forbidden)
    monkeypatch.setattr(experiment, "maker", forbidden)
    before = {path: path.read_bytes() for path in run.folder.glob("summaries/*/*.json")}
    assert score(run, "--metrics", "rouge") == 0
    assert score(run, "--metrics", "rouge-lsum") == 0
    assert before == {path: path.read_bytes() for path in run.folder.glob("summaries/*/*.json")}
    assert "rougeLsum ↑" in capsys.readouterr().out


def test_scores_of_other_metrics_are_kept(run: Run) -> None:
    score(run, "--metrics", "rouge")
    earlier = held(run)
    score(run, "--metrics", "rouge-lsum")
    later = held(run)
    assert {key: one for key, one in later.items() if key in earlier} == earlier
    assert len(later) == len(earlier) + len(RECIPES) * len(STORIES)


def test_old_scores_with_another_signature_are_replaced_and_never_mixed(run: Run) -> None:
    score(run, "--metrics", "rouge,rouge-lsum")
    score(run, "--metrics", "rouge-characters")
    signatures: dict[str, set[str]] = {}
    for one in run.scores():
        signatures.setdefault(one.metric, set()).add(one.signature)
    assert all(len(found) == 1 for found in signatures.values())
    assert "tok:characters-1" in signatures["rouge1"].pop()
    assert "rougeLsum" in signatures


def test_a_metric_that_cannot_run_now_destroys_no_value(
    run: Run, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    old = [
        Score(id=name, metric="red", value=0.5, signature="red|model:other|v:1", event=name,
              recipe=recipe, language="en")
        for recipe in RECIPES for name in sorted(STORIES)
    ]  # fmt: skip
    run.write_scores(old)
    monkeypatch.setattr(
        "metrics.registry.METRICS",
        {"red": lambda: Red.paper(path="/no/such/folder")},
    )
    assert score(run, "--metrics", "red") == 0
    assert "no folder /no/such/folder" in capsys.readouterr().out
    assert [one for one in run.scores() if one.metric == "red"] == old


def test_a_value_that_a_model_gave_is_not_replaced_by_the_note_that_one_is_needed(
    run: Run,
) -> None:
    nic = [
        Score(id=name, metric="nic", value=0.8, signature="nic|entailer:true|v:1", event=name,
              recipe=recipe, language="en")
        for recipe in RECIPES for name in sorted(STORIES)
    ]  # fmt: skip
    run.write_scores(nic)
    score(run, "--metrics", "rouge")
    assert [one for one in run.scores() if one.metric == "nic"] == nic
    waiting = {one.metric for one in run.scores() if one.signature.endswith("needs:model")}
    assert waiting == {row.name for row in NEEDS_MODEL} - {"nic"}


def test_a_summary_made_later_is_counted_in_every_column(run: Run) -> None:
    path = run.summary_path(RECIPES[0], "vote")
    content = path.read_bytes()
    path.unlink()
    run.write_failure(Failure(recipe=RECIPES[0], event="vote", reason="the server was down"))
    assert score(run, "--metrics", "rouge") == 1
    assert held(run)["rouge1", RECIPES[0], "vote"].note == "no summary: the server was down"
    path.write_bytes(content)
    run.failure_path(RECIPES[0], "vote").unlink()
    assert score(run, "--metrics", "rouge-lsum") == 0
    late = held(run)["rouge1", RECIPES[0], "vote"]
    assert late.value is None
    assert "made after this metric was computed" in str(late.note)
    assert held(run)["rougeLsum", RECIPES[0], "vote"].value is not None


def test_a_failed_summary_stays_in_every_denominator(
    run: Run, capsys: pytest.CaptureFixture[str]
) -> None:
    run.summary_path(RECIPES[0], "vote").unlink()
    run.write_failure(Failure(recipe=RECIPES[0], event="vote", reason="the server was down"))
    assert score(run, "--metrics", "rouge", "--format", "jsonl") == 1
    last = lines(capsys.readouterr().out)[-1]
    aggregates = last["aggregate"]
    assert isinstance(aggregates, list)
    (mine,) = [a for a in aggregates if (a["recipe"], a["metric"]) == (RECIPES[0], "rouge1")]
    assert (mine["n"], mine["expected"]) == (3, 4)


@pytest.mark.parametrize(
    ("by", "slices"),
    [
        ("language", {"en"}),
        ("category", {"Disasters", "Politics"}),
        ("languages", {"2", "3"}),
        ("prefix", {"1", "2"}),
    ],
)
def test_slices_are_rows_of_their_own(
    by: str, slices: set[str], run: Run, capsys: pytest.CaptureFixture[str]
) -> None:
    assert score(run, "--metrics", "rouge", "--by", by, "--format", "jsonl") == 0
    aggregates = lines(capsys.readouterr().out)[-1]["aggregate"]
    assert isinstance(aggregates, list)
    assert {one["slice"] for one in aggregates} == slices
    assert {one["recipe"] for one in aggregates} == set(RECIPES)
    assert score(run, "--metrics", "rouge", "--by", by) == 0
    assert capsys.readouterr().out.split()[:2] == ["recipe", by]


def test_prefixes_are_scored_and_kept_apart_from_final_summaries(
    run: Run, capsys: pytest.CaptureFixture[str]
) -> None:
    assert score(run, "--metrics", "rouge", "--prefixes", "--format", "jsonl") == 0
    *rows, _ = lines(capsys.readouterr().out)
    assert {row["id"] for row in rows if row["recipe"] == "crs.none.lead"} >= {"vote", "vote#1"}
    assert "vote#1" not in {row["id"] for row in rows if row["recipe"] == "sts.none.lead"}
    assert {one.id for one in run.scores()} == set(STORIES)
    path = run.folder / experiment.PREFIX_SCORES
    kept = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    assert {one["id"] for one in kept} == {f"{name}#1" for name in STORIES}
    score(run, "--metrics", "rouge-lsum", "--prefixes")
    assert {json.loads(line)["metric"] for line in path.read_text().splitlines()} == {
        "rouge1", "rouge2", "rougeL", "rougeLsum",
    }  # fmt: skip


def test_recipes_are_compared_on_the_same_events_with_holms_correction(
    run: Run, capsys: pytest.CaptureFixture[str]
) -> None:
    assert score(run, "--metrics", "rouge", "--compare", "--format", "jsonl") == 0
    comparisons = lines(capsys.readouterr().out)[-1]["comparisons"]
    assert isinstance(comparisons, list)
    assert len(comparisons) == 3 * 3
    first = comparisons[0]
    assert (first["left"], first["right"], first["metric"]) == (*RECIPES[:2], "rouge1")
    assert first["difference"] > 0
    # Four pairs of one sign: two of the sixteen sign changes are as far from 0.
    assert first["p_permutation"] == 2 / 16
    assert first["p_adjusted"] == 1.0
    assert (first["n"], first["expected"]) == (4, 4)
    for form in ("table", "markdown", "latex", "tsv"):
        assert score(run, "--metrics", "rouge", "--compare", "--format", form) == 0
        assert "0.1250" in capsys.readouterr().out


def test_a_file_of_several_systems_is_compared_too(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "c.jsonl"
    rows = [
        {"id": name, "recipe": recipe, "candidate": texts(name, recipe)[-1], "language": "en",
         "references": [STORIES[name][1]]}
        for name in STORIES for recipe in RECIPES[:2]
    ]  # fmt: skip
    path.write_text("".join(json.dumps(one) + "\n" for one in rows) + "nonsense\n")
    arguments = ["score", "--candidates", str(path), "--metrics", "rouge", "--compare"]
    assert main([*arguments, "--format", "jsonl"]) == 1
    said = lines(capsys.readouterr().out)
    comparisons = said[-1]["comparisons"]
    assert isinstance(comparisons, list)
    assert {(one["left"], one["right"], one["n"]) for one in comparisons} == {(*RECIPES[:2], 4)}
    assert main([*arguments, "--by", "prefix"]) == 1
    assert "(not stated)" in capsys.readouterr().out


def test_hostile_names_do_not_steer_the_terminal(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "c.jsonl"
    odd = {"id": "\ud800\x1b[2J", "recipe": "\x1b[31m|\u202ered\ud800\n|", "candidate": "a b c",
           "language": "en", "references": ["a b c"]}  # fmt: skip
    path.write_text(json.dumps(odd) + "\n")
    for form in ("table", "markdown", "latex", "tsv", "jsonl"):
        command = ["score", "--candidates", str(path), "--metrics", "rouge", "--format", form]
        assert main(command) == 0
        said = capsys.readouterr().out
        said.encode()
        assert "\x1b" not in said
        assert "\u202e" not in said or form == "jsonl"


@pytest.mark.parametrize(
    ("more", "told"),
    [
        (["--metrics", "rouge,rouge-characters"], "both give a column 'rouge1'"),
        (["--metrics", "rogue"], "did you mean 'rouge'?"),
        (["--metrics", "cre"], "needs"),
        (["--metrics", ","], "no metric named"),
        (["--metrics", "rouge", "--by", "colour"], "invalid choice: 'colour'"),
        (["--metrics", "rouge", "--seed", "-4"], "--seed is -4"),
    ],
)
def test_a_wrong_request_is_told_in_one_line_and_changes_no_scores(
    more: list[str], told: str, run: Run, capsys: pytest.CaptureFixture[str]
) -> None:
    run.write_scores([])
    assert score(run, *more) == 2
    said = capsys.readouterr()
    assert told in said.err
    assert said.err.count("\n") == 1
    assert run.scores() == []


@pytest.mark.parametrize(
    ("more", "told"),
    [
        (["--by", "category"], "--by category is for a RUN"),
        (["--prefixes"], "--prefixes is for a RUN"),
        (["--compare"], "needs two recipes or more"),
    ],
)
def test_what_a_file_cannot_give_is_told(
    more: list[str], told: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "c.jsonl"
    path.write_text('{"id": "a", "candidate": "a b", "language": "en", "references": ["a b"]}\n')
    assert main(["score", "--candidates", str(path), "--metrics", "rouge", *more]) == 2
    said = capsys.readouterr()
    assert told in said.err
    assert said.out == ""


def test_a_run_without_a_summary_is_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    made = Run.start(tmp_path / "run", {"seed": 0})
    made.write_events([event("vote")])
    assert score(made, "--metrics", "rouge") == 2
    assert "holds no summary yet" in capsys.readouterr().err


def test_a_spoilt_file_of_scores_is_named(run: Run, capsys: pytest.CaptureFixture[str]) -> None:
    (run.folder / "scores.jsonl").write_text("nonsense\n")
    assert score(run, "--metrics", "rouge") == 2
    assert "scores.jsonl:1: " in capsys.readouterr().err


def test_a_column_that_no_metric_gives_any_more_is_named_not_shown(
    run: Run, capsys: pytest.CaptureFixture[str]
) -> None:
    from globesumm.cli.scores import print_table

    old = Score(id="vote", metric="meteor", value=0.5, signature="meteor|v:0", recipe=RECIPES[0])
    print_table([old])
    assert "meteor: not shown" in capsys.readouterr().out
