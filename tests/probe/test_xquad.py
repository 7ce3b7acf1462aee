"""The component study: planned, carried out with models of known accuracy, told as table 3."""

import gzip
import json
import os
import re
from collections.abc import Callable
from pathlib import Path
from zlib import crc32

import pytest

from annotation.author import Author
from baselines.studies.xquad import (
    CONDITIONS,
    DEFAULT,
    Answered,
    Setup,
    carry_out,
    plan,
    prompts_of,
)
from baselines.studies.xquad_data import Question, Questions, cut, read_questions
from baselines.studies.xquad_rules import MORE_WORDS, is_right
from baselines.studies.xquad_tables import Marker, Tally, page, tallied
from globesumm.cli import main
from globesumm.errors import DataError, GlobeSummError, UsageError
from globesumm.llm.call_store import CallStore
from globesumm.llm.errors import ModelError, Refused
from globesumm.llm.request import Request
from globesumm.llm.scripted import Scripted
from globesumm.records import to_json
from tests.annotation.conftest import blocks, step_of


def squad(language: str, paragraphs: int = 3, questions: int = 2) -> dict[str, object]:
    """A file in the layout; the answer of question q of paragraph p is ``p0q``."""
    return {
        "version": "1.1",
        "data": [
            {
                "title": "T",
                "paragraphs": [
                    {
                        "context": f"Paragraph {p} in {language}. It tells of {p} ferries.",
                        "qas": [
                            {
                                "id": f"{p}-{q}",
                                "question": f"What is {p} {q} in {language}?",
                                "answers": [{"text": f"{language} {p}0{q}", "answer_start": 0}],
                            }
                            for q in range(questions)
                        ],
                    }
                    for p in range(1, paragraphs + 1)
                ],
            }
        ],
    }


@pytest.fixture
def files(tmp_path: Path) -> list[str]:
    found = []
    for language in ("en", "de", "fr"):
        path = tmp_path / f"xquad.{language}.json.gz"
        path.write_bytes(gzip.compress(json.dumps(squad(language)).encode()))
        found.append(str(path))
    return found


def known(language: str, method: str, question: str) -> bool:
    """Right in about 3 of 4 cases, drawn by the question's name."""
    return crc32(f"{language} {method} {question}".encode()) % 100 < 75


def letters(text: str) -> str:
    """`text` without blanks, marks and signs, which condensing may take off its start."""
    return re.sub(r"\W+", "", text)


class Told:
    """A pupil who knows which file and method a request is of by the text it is shown."""

    def __init__(self, files: list[Questions]) -> None:
        self._asked: dict[str, list[tuple[str, str, Question]]] = {}
        for one in files:
            for held in one.paragraphs:
                for asked in held.questions:
                    entry = one.language, letters(held.context)[:30], asked
                    self._asked.setdefault(asked.text, []).append(entry)
        self.requests = 0

    def __call__(self, request: Request) -> str:
        self.requests += 1
        step = step_of(request)
        shown = blocks(request)
        text = shown[0][1]
        if step != "probe.answer":
            # What was condensed bears its method; a list of one sentence is taken as well.
            return f"{text.strip()[:60]} @{step}@"
        plain = letters(text)
        # The same words may be asked of several paragraphs.
        fitting = (entry for entry in self._asked[shown[1][1]] if plain.startswith(entry[1]))
        language, _, asked = next(fitting)
        found = re.search(r"@(\w+\.\w+)@", text)
        method = found[1] if found else "text"
        return asked.answers[0] if known(language, method, asked.text) else "000 xyz"


METHOD_OF = {"kis": "kis.default", "summarize": "summarize.source", "text": "text"}


def expected(one: Questions, condition: str) -> float:
    every = [asked.text for held in one.paragraphs for asked in held.questions]
    right = [known(one.language, METHOD_OF[condition], name) for name in every]
    return sum(right) / len(right)


def probed(
    read: list[Questions], setup: Setup, script: Callable[[Request], str | ModelError]
) -> tuple[Tally, list[Answered]]:
    tally = Tally()
    answers: list[Answered] = []
    writer = Author(model=Scripted(script))
    made = tallied(
        carry_out(read, setup, writer, at_once=2), Marker(read, setup, "exact"), len, tally
    )
    for _, answered in made:
        answers += answered
    return tally, answers


DATA = os.environ.get("GLOBESUMM_DATA")


@pytest.fixture
def xquad() -> list[Questions]:
    if DATA is None:
        pytest.skip("needs XQuAD: set GLOBESUMM_DATA to the folder of shared data")
    folder = Path(DATA) / "questions" / "xquad"
    if not folder.is_dir():
        pytest.skip(f"there is no XQuAD in {folder}")
    return [read_questions(str(path)) for path in sorted(folder.glob("*.json.gz"))]


@pytest.mark.slow
def test_a_model_of_known_accuracy_has_that_accuracy_in_all_twelve_languages(
    xquad: list[Questions],
) -> None:
    assert [len(one.paragraphs) for one in xquad] == [240] * 12
    assert [sum(len(held.questions) for held in one.paragraphs) for one in xquad] == [1190] * 12
    setup = Setup(conditions=("text",))
    told = Told(xquad)
    tally, answers = probed(xquad, setup, told)
    assert len(answers) == 12 * 1190
    # Some questions stand twice with one paragraph.
    assert told.requests >= sum(one.calls for one in plan(xquad, setup))
    for one in xquad:
        assert tally.accuracy("text", one.language) == pytest.approx(expected(one, "text"))
        assert tally.failed["text", one.language] == 0


@pytest.mark.slow
def test_known_accuracy_comes_out_through_condensing_as_well(xquad: list[Questions]) -> None:
    read = cut(xquad, 6, 3)
    setup = Setup(conditions=("kis", "summarize"))
    tally, _ = probed(read, setup, Told(read))
    for one in read:
        assert tally.failed["kis", one.language] == 0
        assert tally.accuracy("kis", one.language) == pytest.approx(expected(one, "kis"))
        kept = tally.kept("kis", one.language)
        assert kept is not None
        assert 20 < kept < 80


def test_gold_answers_are_right_and_shifted_ones_are_not_in_every_language(
    xquad: list[Questions],
) -> None:
    for one in xquad:
        golds = [asked.answers[0] for held in one.paragraphs for asked in held.questions]
        for rule in ("contains", "exact"):
            right = [is_right(rule, f"„{gold}“.", [(gold, one.language)]) for gold in golds]
            # A gold answer of signs alone has no words to compare.
            assert sum(right) >= 0.995 * len(right), one.language
        shifted = zip(golds, golds[7:], strict=False)
        wrong = [is_right("exact", said, [(gold, one.language)]) for gold, said in shifted]
        assert sum(wrong) < 0.02 * len(wrong), one.language


@pytest.mark.parametrize(
    ("rule", "answer", "gold", "language", "right"),
    [
        ("contains", "It was the 308 points.", "308", "en", True),
        ("contains", "3080", "308", "en", False),
        ("contains", "The Denver Broncos", "Denver Broncos", "en", True),
        ("contains", "Broncos Denver", "Denver Broncos", "en", False),
        ("contains", " ".join(["x"] * MORE_WORDS) + " 308", "308", "en", True),
        ("contains", " ".join(["x"] * (MORE_WORDS + 1)) + " 308", "308", "en", False),
        ("exact", "the Broncos!", "Broncos", "en", True),
        ("exact", "den Broncos", "Broncos", "de", False),
        ("contains", "答案是三百零八分。", "三百零八", "zh", True),
        ("contains", "คำตอบคือ 308 แต้ม", "308", "th", True),
        ("contains", "İSTANBUL'da", "istanbul", "tr", True),
        ("contains", "3080 แต้ม", "308", "th", False),
        ("exact", "İSTANBUL", "istanbul", "tr", True),
        ("contains", "!!!", "308", "en", False),
        ("contains", "308", "…", "en", False),
    ],
)
def test_an_answer_is_right_by_the_rule_named(
    rule: str, answer: str, gold: str, language: str, *, right: bool
) -> None:
    assert is_right(rule, answer, [(gold, language)]) is right


def test_the_plan_counts_distinct_calls_and_leaves_the_target_out(files: list[str]) -> None:
    read = [read_questions(name) for name in files]
    counts = {(one.condition, one.step): one.calls for one in plan(read, Setup())}
    assert counts["kis", "condense"] == 9
    assert counts["kis", "answer"] == 18
    assert counts["clp", "condense"] == 6
    assert counts["translate", "answer"] == 12
    assert set(CONDITIONS) - set(DEFAULT) == {"text"}
    assert "probe.answer#" in prompts_of(Author(model=Scripted({})), Setup())


def scripted(tmp_path: Path) -> str:
    """Condenses with a mark of the request, and answers with the question's own numbers."""
    ask = "Answer the question from the text"
    numbers = r".*What is (?P<p>[12]) (?P<q>\d) in (?P<l>\w+)"
    answers = {
        ask + numbers: "$l ${p}0$q",
        ask: "I cannot say ($key).",
        r"~{8,} \w+\n(?P<text>[^\n]+)": '{"sentences": ["$text $key"]}',
    }
    lines = [{"pattern": pattern, "answer": said} for pattern, said in answers.items()]
    path = tmp_path / "script.jsonl"
    path.write_text("\n".join(map(json.dumps, lines)))
    return f"scripted:{path}"


def test_the_verb_makes_the_calls_it_planned_and_none_twice(
    files: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "run"
    command = ["probe", "xquad", *files, "--model", scripted(tmp_path), "--out", str(out)]
    assert main([*command, "--dry-run"]) == 0
    said = capsys.readouterr().out
    found = re.search(r"^(\d+) calls$", said, re.MULTILINE)
    assert found
    assert not out.exists()
    assert main(command) == 0
    told = capsys.readouterr()
    assert f"this time: {found[1]} calls, 0 from the store" in told.err
    # Two of three paragraphs are answered right, in the question's own language.
    assert "| KIS vs. Summarize | KIS | 66.7 | 66.7 | 66.7 | 66.7 |" in told.out
    assert "| CLP vs. Translate | CLP-en | – | 66.7 | 66.7 | 66.7 |" in told.out
    assert "contains: the words of a right answer" in told.out
    answers = [json.loads(line) for line in (out / "answers.jsonl").read_text().splitlines()]
    assert len(answers) == 3 * 18 + 2 * 12
    assert len((out / "contexts.jsonl").read_text().splitlines()) == 3 * 9 + 2 * 6
    assert main([*command, "--rule", "exact"]) == 0
    assert "this time: 0 calls" in capsys.readouterr().err
    assert main([*command, "--words", "9"]) == 2
    assert "other settings (setup: " in capsys.readouterr().err


def test_bounds_hold_every_answer_of_the_probe_to_a_form_and_are_a_setting(
    files: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "run"
    few = ("--paragraphs", "1", "--questions", "1", "--bounded", "2x40")
    command = ["probe", "xquad", *files, "--model", scripted(tmp_path), "--out", str(out)]
    assert main([*command, *few]) == 0
    store = CallStore(out / "calls.sqlite", read_only=True)
    asked = {
        step_of(one.request): json.loads(one.request.schema or "{}") for one in store.answers()
    }
    store.close()
    assert asked.keys() >= {"probe.extend", "probe.answer", "kis.default", "clp.default"}
    for schema in asked.values():
        [[name, held]] = schema["properties"].items()
        item = held if name == "text" else held["items"]
        assert item["pattern"].endswith("{0,79}$" if name == "text" else "{0,39}$")
    assert main([*command, *few[:-2]]) == 2
    assert "bounded" in capsys.readouterr().err


def test_a_cap_stops_the_probe_and_the_same_command_goes_on(
    files: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "run"
    command = ["probe", "xquad", *files, "--model", scripted(tmp_path), "--out", str(out)]
    assert main([*command, "--most-calls", "30"]) == 2
    assert "stopped: the cap of 30 calls" in capsys.readouterr().err
    assert main(command) == 0
    said = capsys.readouterr()
    found = re.search(r"this time: (\d+) calls, (\d+) from the store", said.err)
    assert found
    assert int(found[1]) + int(found[2]) == 117
    assert int(found[2]) >= 30
    assert "78 of 78 questions were answered" in said.out


def test_what_fails_is_in_no_accuracy_and_is_counted(files: list[str]) -> None:
    read = [read_questions(name) for name in files]

    def script(request: Request) -> str | ModelError:
        if "Paragraph 2" in request.messages[-1].content:
            return Refused("it would rather not")
        question = blocks(request)[1][1]
        p, q, _, language = question.removeprefix("What is ").removesuffix("?").split()
        return f"{language} {p}0{q}" if p == "1" else "000"

    setup = Setup(conditions=("text",))
    tally, answers = probed(read, setup, script)
    assert tally.accuracy("text", "de") == 0.5
    assert tally.failed["text", "de"] == 2
    assert next(one.reason for one in answers if one.answer is None) == "it would rather not"
    text = page(tally, read, setup, [], "exact").markdown()
    assert "12 of 18 questions were answered" in text
    assert "not answered, and in no accuracy: text 6" in text


def test_answers_to_translated_paragraphs_may_be_in_either_language(files: list[str]) -> None:
    read = [read_questions(name) for name in files]
    said = {"language": "de", "question": "1-0"}
    english = Answered(condition="clp", answer="en 100", **said)
    assert Marker(read, Setup(), "exact").right(english) is True
    assert Marker(read[1:], Setup(), "exact").right(english) is False
    kis = Answered(condition="kis", answer="en 100", **said)
    assert Marker(read, Setup(), "exact").right(kis) is False


@pytest.mark.parametrize(
    ("name", "content", "error", "said"),
    [
        ("a.json", to_json(squad("de")), UsageError, "its name says no language"),
        ("x.de.json", "{", DataError, "not JSON"),
        ("x.de.json", "[]", DataError, "not in the layout of SQuAD"),
        ("x.de.json", '{"data": []}', DataError, "no question in it"),
        ("x.de.json", "\x1f\x8b broken", DataError, "cannot be read"),
        ("x.de.json", "[" * 100_000, DataError, "not JSON"),
    ],
)
def test_a_file_that_is_none_is_refused(
    tmp_path: Path, name: str, content: str, error: type[GlobeSummError], said: str
) -> None:
    path = tmp_path / name
    path.write_text(content, encoding="latin-1")
    with pytest.raises(error, match=said):
        read_questions(str(path))


def test_questions_with_nothing_to_answer_are_left_out_and_counted(tmp_path: Path) -> None:
    path = tmp_path / "plain.json"
    plain = json.loads(json.dumps(squad("de")))
    asked = plain["data"][0]["paragraphs"][0]["qas"]
    asked[0]["answers"] = []
    asked[1].pop("question")
    plain["data"][0]["paragraphs"][1]["context"] = " "
    path.write_text(json.dumps(plain))
    read = read_questions(f"German={path}")
    assert read.language == "de"
    assert read.left_out == 4
    assert sum(len(held.questions) for held in read.paragraphs) == 2


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["nothing", "x.de.json"], "probe 'nothing'"),
        (["xquad", "x.de.json"], "--model NAME"),
        (["xquad", "x.de.json", "--model", "m", "--rule", "kind"], "rule 'kind'"),
        (["xquad", "x.de.json", "--model", "m", "--methods", "kiss"], "did you mean 'kis'"),
        (["xquad", "x.de.json", "--model", "m", "--words", "0"], "--words is 0"),
        (["xquad", "x.de.json", "--model", "m"], "cannot be read"),
    ],
)
def test_what_cannot_be_probed_is_said(
    arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["probe", *arguments]) == 2
    assert said in capsys.readouterr().err
