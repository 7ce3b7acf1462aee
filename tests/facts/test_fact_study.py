"""The study of stability: what is drawn, what is asked, and agreement worked out by hand."""

import json
import re
from pathlib import Path

import pytest

from globesumm.cli import main
from globesumm.errors import UsageError
from globesumm.llm import backends
from globesumm.llm.request import Completion, Request
from globesumm.runs import alone
from metrics.facts.records import Candidate
from metrics.facts.sources import Part, Source
from metrics.facts.study import draw_study
from tests.facts.rule_judge import RuleJudge

SUPPORTED = {"ada": (4, 4, 2), "bo": (3, 3, 3), "cy": (2, 2, 4)}
"""Of a system's four facts, in each of three runs: twice ada leads, then cy does."""

FACT = re.compile(r"(\w+) says (\d)")


class Wavering(RuleJudge):
    """Finds as many facts supported as `SUPPORTED` says of the run; else as the rules have it."""

    def __init__(self) -> None:
        super().__init__("wavering")
        self.run = 0

    def _answer(self, request: Request) -> str | Completion:
        self.run = request.sample
        return super()._answer(request)

    def _said(self, question: str, blocks: dict[str, str]) -> list[object]:
        found = super()._said(question, blocks)
        if not (found and isinstance(found[0], dict) and "supported" in found[0]):
            return found
        facts = FACT.findall(blocks["facts"])
        return [
            {"fact": n, "evidence": "", "supported": int(place) <= SUPPORTED[system][self.run]}
            for n, (system, place) in enumerate(facts, 1)
        ]


def sources() -> list[dict[str, object]]:
    """Two scenarios, each with a corpus of two sources and one of one."""
    return [
        {
            "id": f"{scenario}-{corpus}-{n}",
            "scenario": scenario,
            "corpus": corpus,
            "turns": [
                ["Ann", f"The oven broke {n + 1} times."],
                ["Bob", f"At the {corpus} {scenario}."],
            ],
        }
        for scenario in ("daily", "meeting")
        for corpus, many in (("big", 2), ("small", 1))
        for n in range(many)
    ]


def written(path: Path, lines: list[dict[str, object]]) -> str:
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return str(path)


def summaries() -> list[dict[str, object]]:
    return [
        {
            "id": source["id"],
            "system": system,
            "language": "en",
            "summary": " ".join(f"{system} says {n}." for n in range(1, 5)),
        }
        for system in SUPPORTED
        for source in sources()
    ]


@pytest.fixture
def command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[list[str], Wavering]:
    model = Wavering()
    monkeypatch.setattr(backends, "_backend", lambda *_, **__: model)
    return [
        "facts", "study", written(tmp_path / "summaries.jsonl", summaries()),
        "--sources", written(tmp_path / "sources.jsonl", sources()),
        "--judge", "wavering", "--out", str(tmp_path / "out"),
        "--per-scenario", "2", "--resamples", "50",
    ], model  # fmt: skip


def agreement(path: Path) -> dict[str, float | None]:
    return {line["name"]: line["value"] for line in map(json.loads, path.read_text().splitlines())}


def test_known_wavering_gives_the_agreement_worked_out_by_hand_and_nothing_is_asked_twice(
    command: tuple[list[str], Wavering], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments, model = command
    assert main(arguments) == 0
    assert "4 of 6 sources drawn, 12 summaries of 3 systems" in capsys.readouterr().out
    out = tmp_path / "out"
    drawn = [json.loads(line) for line in (out / "sample.jsonl").read_text().splitlines()]
    kinds = {(one["scenario"], one["corpus"]) for one in drawn}
    assert len(kinds) == 4
    found = agreement(out / "stability.jsonl")
    # Rank sums 5, 6 and 7 of three systems in three runs: S = 2, W = 12 * 2 / (9 * 24).
    assert found["faithfulness: Kendall's W"] == pytest.approx(1 / 9)
    # Within summaries .5/3, 0 and .5/3; over all 36 scores 2 * var * 36/35 with var = 1/24.
    assert found["faithfulness: Krippendorff's alpha"] == pytest.approx(-8 / 27)
    # No sentence of these summaries states a key fact, in every run alike: nothing to rank by.
    assert found["completeness: Kendall's W"] is None
    asked = sum(model.asked.values())
    assert model.asked["verify"] == 3 * 12
    told = json.loads((out / "asked.json").read_text())
    assert list(told) == ["extract", "decompose", "run 0", "run 1", "run 2"]
    steps = [step for one in told.values() for step in one["steps"]]
    assert sum(step["made"] for step in steps) == asked
    assert [one["finished"] for one in told.values()] == [4, 12, 12, 12, 12]
    assert not any(one["failed"] + one["left"] for one in told.values())
    before = (out / "stability.jsonl").read_bytes()
    assert main(arguments) == 0
    assert sum(model.asked.values()) == asked
    assert (out / "stability.jsonl").read_bytes() == before


def test_a_second_study_in_one_folder_is_told_to_wait(
    command: tuple[list[str], Wavering], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments, model = command
    with alone(tmp_path / "out"):
        assert main(arguments) == 2
    assert "another process is working in" in capsys.readouterr().err
    assert not model.asked


def test_a_plan_names_the_calls_and_asks_nothing(
    command: tuple[list[str], Wavering], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments, model = command
    assert main([*arguments, "--dry-run"]) == 0
    # Four sources twice and twelve summaries once; then 12 + 12 in each of three runs.
    assert "20 calls for facts, once; 3 runs of 24 calls or more; 92 in all" in (
        capsys.readouterr().out
    )
    assert not model.asked
    assert not (tmp_path / "out").exists()


def test_facts_made_before_are_taken_and_people_are_held_against_the_first_run(
    command: tuple[list[str], Wavering], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments, model = command
    assert main(arguments) == 0
    first = tmp_path / "out"
    decomposed = model.asked["decompose"]
    people = first / "run-1" / "verdicts.jsonl"
    again = [
        *arguments[:-6], "--out", str(tmp_path / "again"), *arguments[-4:],
        "--made", str(first), "--people", str(people), "--runs", "2", "--format", "jsonl",
    ]  # fmt: skip
    capsys.readouterr()
    assert main(again) == 0
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert lines[-1]["name"] == "verification: balanced accuracy"
    assert lines[-1]["value"] == 1
    assert model.asked["decompose"] == decomposed


@pytest.mark.parametrize(
    "wrong", [["--runs", "1"], ["--per-scenario", "0"], ["--seed", "-1"], ["--per-scenario", "1"]]
)
def test_settings_without_sense_are_refused_before_anything_is_asked(
    wrong: list[str], command: tuple[list[str], Wavering]
) -> None:
    arguments, model = command
    assert main([*arguments, *wrong]) == 2
    assert not model.asked


def many(scenario: str, corpus: str, count: int) -> list[Source]:
    return [
        Source(
            id=f"{scenario}-{corpus}-{n}",
            scenario=scenario,
            corpus=corpus,
            parts=(Part(id="p", text="word " * (10 + n), language="en"),),
        )
        for n in range(count)
    ]


def test_the_published_size_is_300_summaries_a_system_over_every_corpus_and_all_lengths() -> None:
    every = [
        source
        for scenario in range(6)
        for corpus, count in (("a", 90), ("b", 60), ("c", 1))
        for source in many(f"s{scenario}", corpus, count)
    ]
    candidates = [Candidate(id=one.id, system=s, summary="x") for one in every for s in ("p", "q")]
    found = draw_study(every, candidates)
    assert len(found.sources) == 300
    assert len(found.summaries) == 600
    assert not found.short
    assert {(one.scenario, one.corpus) for one in found.sources} == {
        (one.scenario, one.corpus) for one in every
    }
    # 29 of the corpus of 90: six from each fifth of the lengths, five from the longest.
    places = [int(one.id.split("-")[2]) for one in found.sources if one.corpus == "a"]
    fifths = [sum(18 * n <= place < 18 * (n + 1) for place in places) for n in range(5)]
    assert fifths == [36, 36, 36, 36, 30]


def test_what_a_system_did_not_summarize_is_not_drawn_and_counted() -> None:
    every = many("s", "a", 4)
    candidates = [Candidate(id=one.id, system="p", summary="x") for one in every]
    candidates += [Candidate(id=one.id, system="q", summary="x") for one in every[1:]]
    found = draw_study(every, candidates)
    assert (found.partial, len(found.sources), found.short) == (1, 3, {"s": 47})
    with pytest.raises(UsageError, match=r"by every system \(p, q\): complete SUMMARIES"):
        draw_study(every[:1], candidates)


class Stopped(Wavering):
    """Answers some calls, and then the user presses the keys."""

    left = -1

    def complete(self, request: Request, /) -> Completion:
        if self.left == 0:
            raise KeyboardInterrupt
        self.left -= 1
        return super().complete(request)


@pytest.mark.parametrize("calls", [0, 9, 30, 50])
def test_a_study_that_was_interrupted_goes_on_where_it_was(
    calls: int,
    command: tuple[list[str], Wavering],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    arguments, whole = command
    assert main(arguments) == 0
    first, rest = Stopped(), Stopped()
    first.left = calls
    again = [*arguments, "--out", str(tmp_path / "cut"), "--at-once", "1"]
    for model, status in ((first, 130), (rest, 0)):
        monkeypatch.setattr(backends, "_backend", lambda *_, model=model, **__: model)
        assert main(again) == status
    assert sum(first.asked.values()) == calls
    assert sum(rest.asked.values()) == sum(whole.asked.values()) - calls
    made = [(tmp_path / out / "stability.jsonl").read_bytes() for out in ("out", "cut")]
    assert made[0] == made[1]
