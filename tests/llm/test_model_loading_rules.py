"""Nothing in the code opens a model or a pickle but in the one way that is safe."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = ("globesumm", "retrieval", "annotation", "baselines", "metrics")

THE_WAY = "globesumm/llm/pretrained.py"

ELSEWHERE = {
    # peft builds on a model that is open already and reads safetensors alone; what adapters name
    # is looked at first (globesumm.llm.adapters.adapter_base).
    ("globesumm/llm/adapters.py", "PeftModel.from_pretrained"),
    ("baselines/preference/training.py", "PeftModel.from_pretrained"),
    # Both ends of the pipe are this program.
    ("retrieval/extract_pool.py", "pickle.loads"),
}

NEEDED: dict[str, dict[str, object]] = {
    "from_pretrained": {"trust_remote_code": False, "revision": ...},
    "from_config": {"trust_remote_code": False},
    "make": {"trust_remote_code": False},  # AutoModelForCausalLM.from_config under a shorter name
    "snapshot_download": {"revision": ...},
    "hf_hub_download": {"revision": ...},
    "model_info": {"revision": ...},
    "try_to_load_from_cache": {"revision": ...},
    "torch.load": {"weights_only": True},
    "np.load": {"allow_pickle": False},
    "numpy.load": {"allow_pickle": False},
}
"""What a call must say in so many words; ... stands for any value."""

NEVER = {
    "pickle.load", "pickle.loads", "cPickle.loads", "dill.load", "dill.loads", "cloudpickle.loads",
    "joblib.load", "torch.hub.load", "SentenceTransformer", "CrossEncoder", "load_dataset",
    "transformers.pipeline", "shelve.open", "marshal.loads", "yaml.load", "eval", "exec",
    "pandas.read_pickle", "pd.read_pickle", "importlib.util.spec_from_file_location",
}  # fmt: skip


def calls() -> Iterator[tuple[str, str, ast.Call]]:
    """(file, dotted name, call) of every call in the code."""
    for package in PACKAGES:
        for path in sorted((ROOT / package).rglob("*.py")):
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                if isinstance(node, ast.Call) and isinstance(node.func, ast.Name | ast.Attribute):
                    yield path.relative_to(ROOT).as_posix(), ast.unparse(node.func), node


def said(call: ast.Call, name: str) -> object:
    """The value of a keyword of the call: a constant as itself, ... for another, None if absent."""
    for keyword in call.keywords:
        if keyword.arg == name:
            return keyword.value.value if isinstance(keyword.value, ast.Constant) else ...
    return None


def wrong(file: str, name: str, call: ast.Call) -> str | None:
    """What is wrong with a call, or None."""
    last = name.rpartition(".")[2]
    if (file, name) in ELSEWHERE:
        return None
    if name in NEVER:
        return f"{file}:{call.lineno}: {name} is never called"
    rule = NEEDED.get(name) or NEEDED.get(last)
    if rule is None or (last == "make" and file != "baselines/preference/model_sizes.py"):
        return None
    if last == "from_pretrained" and file != THE_WAY:
        return f"{file}:{call.lineno}: models are opened through {THE_WAY}"
    for key, value in rule.items():
        if said(call, key) is None or (value is not ... and said(call, key) is not value):
            return f"{file}:{call.lineno}: {name} does not say {key}={value}"
    return None


def test_no_call_opens_a_model_or_a_pickle_in_another_way() -> None:
    found = [problem for one in calls() if (problem := wrong(*one))]
    assert not found, "\n".join(found)


def test_what_is_let_pass_is_there() -> None:
    assert {(file, name) for file, name, _ in calls()} >= ELSEWHERE


@pytest.mark.parametrize(
    ("line", "right"),
    [
        ("AutoModel.from_pretrained(place)", False),
        ("kind.from_pretrained(place, revision=r, trust_remote_code=True)", False),
        ("kind.from_pretrained(place, trust_remote_code=False)", False),
        ("kind.from_pretrained(place, revision=r, trust_remote_code=False)", True),
        ("snapshot_download(name)", False),
        ("HfApi().model_info(name, revision=revision)", True),
        ("torch.load(path)", False),
        ("torch.load(path, weights_only=True)", True),
        ("np.load(path)", False),
        ("pickle.load(file)", False),
        ("load_dataset(name, trust_remote_code=False)", False),
    ],
)
def test_the_rules_tell_right_from_wrong(line: str, right: bool) -> None:
    call = ast.parse(line, mode="eval").body
    assert isinstance(call, ast.Call)
    assert (wrong(THE_WAY, ast.unparse(call.func), call) is None) == right
