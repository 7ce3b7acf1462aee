"""The command: help, errors as one line, exit status, and what it does not load."""

import importlib
import subprocess
import sys
from pathlib import Path

import pytest

from globesumm.cli import main
from globesumm.cli.main import VERBS, Parser

HEAVY = (
    "torch",
    "transformers",
    "bert_score",
    "jnius",
    "pyserini",
    "pandas",
    "numpy",
    "trafilatura",
)


def test_help_and_import_load_nothing_heavy() -> None:
    code = (
        "import sys, globesumm; from globesumm.cli import main; main(['--help']);"
        f"print([name for name in {HEAVY!r} if name in sys.modules])"
    )
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert said.stdout.splitlines()[-1] == "[]"


@pytest.mark.parametrize("verb", VERBS)
@pytest.mark.parametrize("empty", ["", " "])
def test_no_verb_takes_an_empty_path_for_the_current_folder(
    verb: str, empty: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """A shell variable that was never set would otherwise fill the folder one stands in."""
    module = importlib.import_module(f"globesumm.cli.{verb}")
    parser = Parser(prog=verb)
    module.add_arguments(parser)
    named = [it for it in parser._actions if it.type is Path and it.option_strings]
    for action in named:
        assert main([verb, f"{action.option_strings[0]}={empty}"]) == 2
        assert "an empty path" in capsys.readouterr().err


@pytest.mark.parametrize("verb", VERBS)
def test_every_verb_has_help_with_an_example(verb: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main([verb, "--help"])
    assert ended.value.code == 0
    said = capsys.readouterr().out
    assert "xample" in said
    assert f"globesumm {verb}" in said


def test_the_version_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--version"]) == 0
    assert capsys.readouterr().out.startswith("globesumm 0.")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["demmo"], "unknown command 'demmo': did you mean 'demo'?"),
        (["demo", "--outt", "x"], "unknown option '--outt' in globesumm demo"),
        (["demo", "--event", "titanic"], "unknown sample event 'titanic'"),
        (["summarize"], "the following arguments are required: --out"),
        (["summarize", "a", "--outt", "x"],
         "unknown option '--outt' in globesumm summarize: did you mean '--out'?"),
        (["summarize", "a", "--out", "x", "--language", "de"],
         "unknown option '--language' in globesumm summarize: known: --agents"),
        (["summarize", "--", "--outt"], "the following arguments are required: --out"),
        (["facts", "match", "a", "--outt=x"],
         "unknown option '--outt' in globesumm facts match: did you mean '--out'?"),
        (["summarize", "--out", "x"], "no documents"),
        (["summarize", "nowhere.jsonl", "--out", "x"], "nowhere.jsonl does not exist"),
        (["summarize", "a", "--out", "x", "--recipe", "crs.none.extractiv"],
         "unknown recipe 'crs.none.extractiv': did you mean 'crs.none.extractive'?"),
        (["summarize", "a", "--out", "x", "--model", "extractivee"],
         "unknown model 'extractivee': did you mean 'extractive'?"),
        (["summarize", "a", "--out", "x", "--target", "Englsh"],
         "unknown language 'Englsh': did you mean 'English'?"),
        (["summarize", "a", "--out", "x", "--target", "und"], "'und' is no language to write in"),
        (["summarize", "a", "--out", "x", "--max-words", "0"], "--max-words is 0"),
        (["summarize", "a", "--out", "x", "--config", "demoo"], "did you mean 'demo'?"),
        (["score"], "name either a RUN folder or --candidates"),
        (["score", "nowhere"], "holds no run"),
        (["score", "--candidates", "x.jsonl", "--metrics", "rogue"], "x.jsonl: cannot be read"),
        (["read", "nowhere"], "nowhere does not exist"),
        (["report", "nowhere"], "holds no run"),
        (["metrics", "--name", "rogue"], "unknown metric 'rogue': did you mean 'rouge'?"),
    ],
)  # fmt: skip
def test_a_wrong_request_is_told_in_one_line_and_ends_with_2(
    arguments: list[str],
    said: str,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(arguments) == 2
    error = capsys.readouterr().err
    assert said in error
    assert error.startswith("globesumm: ")
    assert error.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


def test_a_wrong_metric_is_named_before_anything_is_scored(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    path = tmp_path / "system.jsonl"
    path.write_text('{"id": "a", "candidate": "Two words", "language": "en"}\n')
    assert main(["score", "--candidates", str(path), "--metrics", "rogue"]) == 2
    assert "did you mean 'rouge'?" in capsys.readouterr().err


def test_a_closed_pipe_is_no_traceback() -> None:
    code = "from globesumm.cli import main; import sys; sys.exit(main(['metrics']))"
    with subprocess.Popen(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as command:
        assert command.stdout is not None
        assert command.stderr is not None
        command.stdout.close()
        assert b"Traceback" not in command.stderr.read()


def test_doctor_never_shows_a_key(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-canary-4711")
    main(["doctor"])
    said = capsys.readouterr()
    assert "OPENAI_API_KEY is set" in said.out
    assert "canary" not in said.out + said.err


def test_another_package_of_a_siblings_name_is_told(tmp_path: Path) -> None:
    (tmp_path / "metrics").mkdir()
    (tmp_path / "metrics" / "__init__.py").write_text("")
    code = (
        f"import sys; sys.path.insert(0, {str(tmp_path)!r});"
        "from globesumm.cli import main; sys.exit(main(['recipes']))"
    )
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert told.returncode == 2
    assert "the package 'metrics' comes from" in told.stderr
