"""An experiment is a name or a TOML file, and a wrong key gets the nearest right one."""

import re
from dataclasses import fields
from pathlib import Path

import pytest

from globesumm import config
from globesumm.config.tables import Decoded, Judge, Limits, ModelRow, PreSteps, Slice
from globesumm.errors import DataError, UnknownName, UsageError


@pytest.mark.parametrize("name", sorted(config.shipped()))
def test_every_shipped_experiment_loads(name: str) -> None:
    assert config.load(name).recipes


@pytest.mark.parametrize("name", sorted(config.shipped()))
def test_what_lies_in_the_working_folder_takes_no_shipped_experiments_place(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shipped = config.load(name)
    monkeypatch.chdir(tmp_path)
    Path(name).mkdir()
    assert config.load(name) == shipped
    Path(name).rmdir()
    Path(name).write_text("max_words = 7\n")
    assert config.load(name) == shipped
    assert config.load(f"./{name}").max_words == 7


def test_an_unknown_key_gets_the_nearest_right_one(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text("max_word = 100\n")
    with pytest.raises(UnknownName, match=r"'max_word' in .*mine\.toml: did you mean 'max_words'"):
        config.load(str(path))


def test_an_unknown_name_gets_the_nearest_shipped_one() -> None:
    with pytest.raises(UnknownName, match="did you mean 'demo'"):
        config.load("demmo")


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        ("max_words = 0", "max_words is 0"),
        ("max_words = 'many'", "max_words"),
        ("recipes = []", "recipes is empty"),
        ("recipes = [", "not TOML"),
        ("max_words = 99999999999999999999", "at most 100000"),
        ("seed = 99999999999999999999", "at most 64 bits"),
        ("seeds = [1, 99999999999999999999]", "at most 64 bits"),
        ("inputs = 'x'", "inputs: input should be a list"),
        ("slice = [1]", "slice: input should be a table of keys"),
        ("[slice]\nsince = 2024-01-02\nuntil = 2024-01-01", "is after until 2024-01-01"),
    ],
)
def test_a_wrong_value_is_named(tmp_path: Path, content: str, complaint: str) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(content)
    with pytest.raises(DataError, match=complaint):
        config.load(str(path))


def test_a_file_as_some_editors_begin_it_is_read(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_bytes(b"\xef\xbb\xbfmax_words = 7\n")
    assert config.load(str(path)).max_words == 7
    path.write_bytes(b"# caf\xe9\n")
    with pytest.raises(DataError, match="not TOML"):
        config.load(str(path))


@pytest.mark.parametrize(
    "name", ["a\0b", "a\nb", "\x1b[2Jx", "\u202eabc", " a", "x" * 201, "No-Model "]
)
def test_a_name_that_no_table_can_show_is_refused(name: str) -> None:
    with pytest.raises(ValueError, match="name"):
        ModelRow(name=name)


@pytest.mark.parametrize("name", ["../../up", "<b>|&%$#_{}~^\\", "/etc/passwd", "..", "模型"])
def test_any_name_that_can_be_seen_is_a_label(name: str) -> None:
    assert ModelRow(name=name).name == name


@pytest.mark.parametrize("value", [float("nan"), float("inf"), 1e300, 0, -1])
@pytest.mark.parametrize("key", ["context", "at_once", "timeout_seconds", "seconds_per_call"])
def test_no_absurd_number_gets_into_a_models_row(key: str, value: float) -> None:
    with pytest.raises(ValueError, match=key):
        ModelRow(name="m", **{key: value})  # type: ignore[arg-type]


@pytest.mark.parametrize("written", ["sk-proj-abcdef0123456789", "Bearer x", "1KEY", "A B"])
def test_a_key_in_place_of_its_variables_name_is_refused_and_never_shown(
    written: str, tmp_path: Path
) -> None:
    with pytest.raises(DataError, match="no name of an environment variable") as caught:
        loaded(tmp_path, f'{MODEL}key_variable = "{written}"\n')
    assert written not in str(caught.value)


@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        ('base_url = "file:///etc/passwd"', "must look like"),
        ('base_url = "http://127.0.0.1:99999"', "is not an address"),
        ('base_url = "http://u:p@127.0.0.1"', "holds a user name"),
        ('base_url = "http://127.0.0.1:1\\n/x"', "blank or control character"),
        ('base_url = ""', "base_url is empty"),
        ('key_variable = ""', "key_variable is empty"),
        ('model = ""', "model is empty"),
        ('model = "transformers:"', "behind the colon"),
        ('reasoning = "hihg"', "reasoning must be"),
        ('model = "scripted:x.jsonl"\ntimeout_seconds = 5', "is for servers"),
        ("[decoding]\ntemperature = nan", "temperature must be a number from 0 to 100"),
        ("[decoding]\ntemperature = 1e9", "temperature must be a number from 0 to 100"),
        ("[decoding]\ntop_p = 2", "top_p must be"),
        ("[decoding]\nmax_tokens = 0", "max_tokens must be"),
    ],
)
def test_a_model_that_could_not_be_asked_is_refused_when_the_file_is_read(
    line: str, complaint: str, tmp_path: Path
) -> None:
    with pytest.raises(DataError, match=complaint) as caught:
        loaded(tmp_path, f"{MODEL}{line}\n")
    assert "mine.toml" in str(caught.value)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"nowhere\.toml: cannot be read"):
        config.load(str(tmp_path / "nowhere.toml"))


MODEL = '[[models]]\nname = "m"\n'

TABLES = {
    "[slice]": Slice,
    "[decoding]": Decoded,
    "[[models]]": ModelRow,
    "[[helpers]]": ModelRow,
    "[presteps]": PreSteps,
    "[[judges]]": Judge,
    "[limits]": Limits,
}


def loaded(folder: Path, content: str) -> config.Experiment:
    path = folder / "mine.toml"
    path.write_text(content)
    return config.load(str(path))


@pytest.mark.parametrize(
    ("table", "key"),
    [(table, field.name) for table, kind in TABLES.items() for field in fields(kind)],
)
def test_a_slip_in_any_key_of_any_table_gets_the_right_one(
    table: str, key: str, tmp_path: Path
) -> None:
    slip = f"{key}x"
    with pytest.raises(UnknownName) as caught:
        loaded(tmp_path, f"{table}\n{slip} = 1\n")
    assert caught.value.nearest == key
    assert re.search(rf"in \[{table.strip('[]')}( 1)?\]", str(caught.value))
    assert "mine.toml" in str(caught.value)


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        ("seed = true", "seed: give a whole number, not true or false"),
        ("[limits]\ncalls = true", "limits.calls: give a whole number, not true or false"),
        (f"{MODEL}context = false", "models 1.context: give a whole number, not true or false"),
        ("seeds = [1, 1]", "seeds holds 1 twice"),
        ('targets = ["en", "en"]', "targets holds 'en' twice"),
        ("[limits]\nfailed_share = 2", "give a share from 0 to 1"),
        ("[limits]\nspend = -1", "spend is -1"),
        (f"{MODEL}input_per_million = 1", "go together"),
        (f"{MODEL}input_per_million = -1\noutput_per_million = 1", "a price is a number from 0"),
        (f"{MODEL}cached_input_per_million = 1", "needs input_per_million"),
        (f"{MODEL}{MODEL}", "two models are called 'm'"),
        (f'{MODEL}[[helpers]]\nname = "M"', "two models are called 'M'"),
        (f'{MODEL}model = "scripted:x"\nbatch = true', "batch needs a server"),
        (f"{MODEL}[limits]\nspend = 1", "limits.spend needs the prices .* m has none"),
        ('[[judges]]\nmetrics = ["cre"]', "either a model or an entailer"),
        (f'{MODEL}[[judges]]\nmodel = "m"', "say what is judged"),
        (
            (
                f'{MODEL}[[judges]]\nmodel = "m"\nmetrics = ["cre"]\n'
                '[[judges]]\nmodel = "m"\nmetrics = ["cre"]'
            ),
            "'cre' is judged twice",
        ),
    ],
)
def test_what_cannot_be_meant_is_refused(content: str, complaint: str, tmp_path: Path) -> None:
    with pytest.raises(DataError, match=complaint):
        loaded(tmp_path, content)


@pytest.mark.parametrize(
    "content",
    ['[presteps]\nmodel = "gp"', '[[judges]]\nmodel = "gp"\nmetrics = ["cre"]'],
)
def test_a_model_that_no_row_names_gets_the_nearest_that_one_does(
    content: str, tmp_path: Path
) -> None:
    with pytest.raises(UnknownName, match="did you mean 'gpt'"):
        loaded(tmp_path, f'[[models]]\nname = "gpt"\n{content}')


@pytest.mark.parametrize(
    ("one", "other", "refused"),
    [
        ('base_url = "http://a:1"', 'base_url = "http://b:1"', "of different servers"),
        ("", 'base_url = "http://b:1"', "of different servers"),
        ("", "", "drop one"),
        ('reasoning = "low"', 'reasoning = "high"', None),
        ("", "input_per_million = 1\noutput_per_million = 1", "prices differ"),
    ],
)
def test_two_rows_whose_answers_the_store_would_mix_up_are_refused(
    one: str, other: str, refused: str | None, tmp_path: Path
) -> None:
    rows = [
        f'[[models]]\nname = "{name}"\nmodel = "served"\n{more}\n'
        for name, more in (("a", one), ("b", other))
    ]
    if refused is None:
        assert len(loaded(tmp_path, "".join(rows)).models) == 2
    else:
        with pytest.raises(DataError, match=refused):
            loaded(tmp_path, "".join(rows))


def test_two_scripts_of_one_name_are_the_same_model_to_the_store(tmp_path: Path) -> None:
    rows = [
        f'[[models]]\nname = "{name}"\nmodel = "scripted:{name}/x.jsonl"\n' for name in ("a", "b")
    ]
    with pytest.raises(DataError, match="of different servers or backends"):
        loaded(tmp_path, "".join(rows))


def test_paths_start_from_the_files_folder_and_names_stay_names(tmp_path: Path) -> None:
    made = loaded(
        tmp_path,
        'inputs = ["data/*.jsonl", "sample:x", "https://x.example/y", "/abs"]\nprompts = "own"\n'
        '[[models]]\nname = "s"\nmodel = "scripted:a/s.jsonl"\n'
        '[[models]]\nname = "llama3:8b"\n',
    )
    data, *others = made.inputs
    assert data == str(tmp_path / "data/*.jsonl")
    assert others == ["sample:x", "https://x.example/y", "/abs"]
    assert made.prompts == str(tmp_path / "own")
    scripted, plain = made.models
    assert scripted.model == f"scripted:{tmp_path / 'a/s.jsonl'}"
    assert (scripted.asked_as, plain.asked_as) == ("scripted:s.jsonl", "llama3:8b")


@pytest.mark.parametrize("name", ["paper-table5", "ablation", "scale"])
def test_the_papers_grids_have_its_cells(name: str) -> None:
    made = config.load(name)
    assert len(made.recipes) == (6 if name == "scale" else 12)
    assert len(set(made.recipes)) == len(made.recipes)
    if name == "scale":
        assert all(recipe.startswith("crs.") for recipe in made.recipes)
        assert made.presteps.model not in {row.name for row in made.models}
    known = all(row.provider and row.type and row.context for row in made.models)
    assert known
