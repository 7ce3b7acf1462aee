"""Scripts whose answers depend on what was asked."""

import json
from pathlib import Path

import pytest

from globesumm.errors import UnknownName, UsageError
from globesumm.llm.request import Message, Request
from globesumm.llm.scripted import Line, Scripted
from globesumm.records import write_records


def script(folder: Path, *lines: tuple[str, str]) -> Scripted:
    path = folder / "script.jsonl"
    write_records(path, [Line(pattern=pattern, answer=answer) for pattern, answer in lines])
    return Scripted.read(path)


def asked(text: str, model: str = "scripted:script.jsonl") -> Request:
    return Request(model=model, messages=(Message("user", text),))


def test_a_key_in_the_answer_tells_requests_apart_and_stays_the_same_for_one(
    tmp_path: Path,
) -> None:
    model = script(tmp_path, (".", "said $key"))
    answers = [model.complete(asked(text)).text for text in ("a", "b", "a")]
    assert answers[0] == answers[2] != answers[1]
    assert answers[0] == f"said {asked('a').key[:8]}"


def test_what_a_pattern_found_goes_into_the_answer_and_is_escaped_in_json(tmp_path: Path) -> None:
    found = r"name: (?P<name>[^\n]+)"
    model = script(
        tmp_path, (f"json.*{found}", '{"sentences": ["$name", "$$5"]}'), (found, "It is ${name}s.")
    )
    name = 'a "quoted" \\船'
    assert json.loads(model.complete(asked(f"json\nname: {name}")).text) == {
        "sentences": [name, "$5"]
    }
    assert model.complete(asked(f"name: {name}")).text == f"It is {name}s."


def test_a_group_that_took_no_part_is_empty(tmp_path: Path) -> None:
    model = script(tmp_path, ("a(?P<more>b)?", "[$more]"))
    assert model.complete(asked("a")).text == "[]"


def test_a_variable_that_no_group_has_is_refused_when_the_script_is_read(tmp_path: Path) -> None:
    with pytest.raises(UnknownName, match=r"did you mean '\$name'"):
        script(tmp_path, ("(?P<name>x)", "$nam"))
    with pytest.raises(UsageError, match=r"write '\$\$' for a dollar"):
        script(tmp_path, ("x", "it costs $5"))
