"""A toy model, and topics whose reports have the words that its drafts should have."""

import random
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from baselines.perspectives.values import Side, Topic
from globesumm.values import Document

WORDS = ("river", "bridge", "harbour", "ferry")
"""Every report is made of these; the toy model writes them and words that no report has."""

PROMPT = """material in $fence:
$topic
$documents
at most $max_words words in $target
"""

CONFIG = """
train = ["train.jsonl"]
test = ["test.jsonl"]
model = "toy"
rounds = 2
batch = 8
prompts = "prompts"
score_held_out = {score}
final = {final}

[writing]
shown = "own"
max_tokens = 30

[drafts]
n = 8
temperature = 1.0
proxies = ["rouge"]

[pairs]
rule = "top-bottom"
k = 3

[training]
learning_rate = 3e-3
batch = 4
gradient_checkpointing = false
checkpoint_steps = {steps}

[lora]
rank = 8
alpha = 16
"""


def topics(count: int, *, seed: int, name: str) -> list[Topic]:
    """Topics of two sides with two short reports each, made of `WORDS`."""
    draw = random.Random(seed)

    def report(identifier: str) -> Document:
        text = f"{' '.join(draw.choices(WORDS, k=24))}."
        return Document(id=identifier, text=text, language="en")

    return [
        Topic(
            id=f"{name}-{at}",
            topic=f"Question {at} of {name}",
            sides=tuple(
                Side(
                    name=side,
                    documents=tuple(report(f"{name}-{at}-{side}-{one}") for one in "ab"),
                )
                for side in ("north", "south")
            ),
        )
        for at in range(count)
    ]


def write(path: Path, held: Sequence[Topic]) -> Path:
    from baselines.perspectives.layouts import write_topics

    write_topics(path, list(held), "jsonl")
    return path


@pytest.fixture(scope="session")
def toy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A Llama of a hundred kilobytes with words and a chat template of its own."""
    torch = pytest.importorskip("torch")
    from baselines.preference.toy import make

    torch.set_num_threads(1)
    return make(tmp_path_factory.mktemp("models") / "toy", WORDS, longest=60)


Config = Callable[..., Path]


@pytest.fixture(scope="session")
def config(toy: Path) -> Config:
    """Writes a whole run into a folder: topics that share nothing, prompts, model, config."""

    def made(folder: Path, *, score: str = "false", final: str = "[]", steps: int = 3) -> Path:
        folder.mkdir(parents=True, exist_ok=True)
        write(folder / "train.jsonl", topics(3, seed=1, name="train"))
        write(folder / "test.jsonl", topics(2, seed=2, name="test"))
        (folder / "prompts" / "perspective").mkdir(parents=True)
        (folder / "prompts" / "perspective" / "sentence.md").write_text(PROMPT, encoding="utf-8")
        (folder / "toy").symlink_to(toy)
        path = folder / "mine.toml"
        path.write_text(CONFIG.format(score=score, final=final, steps=steps), encoding="utf-8")
        return path

    return made
