"""The whole method through a model in this process, one answer at a time and in batches.

A random tiny model answers nonsense, and nonsense never gets past the first step.  So a tiny
Llama learns by heart what a scripted model was asked and said in one run of the recipe, with
the prompts of the package; the run is then made again with nothing but that model.
"""

import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from annotation.author import Author
from annotation.pipelines import Method
from annotation.schemas import Context, chronological, passages
from globesumm.llm.backends import OpenedModel, open_model
from globesumm.llm.errors import ModelError
from globesumm.llm.local_transformers import LocalTransformers
from globesumm.llm.request import Completion, Decoding, Message, Request
from globesumm.llm.tokenizers import prompt_tokens
from globesumm.values import Recipe, Round
from tests.annotation.conftest import Cast, Said, author, carry_out, document, event

pytestmark = pytest.mark.slow

HAPPENING = event(
    document("a", 0, "fr", "Le ferry a coulé la nuit. Neuf personnes sont portées disparues."),
    document("b", 6, "en", "The ferry sank. Seven people are missing, the coast guard said."),
    document("c", 12, "en", "Divers found two bodies. The ferry carried sixty people."),
)
RECIPE = Recipe(schema="crs", pipeline="kis-clp", prompting="protocol")
CALLS = 2 * 3 - 2 + 4 * (3 - 1)

ANSWERS = {
    "kis.default": [
        '{"sentences": ["Le ferry a coulé la nuit.", "Neuf personnes sont portées disparues."]}',
        '{"sentences": ["The ferry sank.", "The coast guard said seven people are missing."]}',
        '{"sentences": ["Divers found two bodies.", "The ferry carried sixty people."]}',
        '{"sentences": ["The ferry sank at night.", "Seven people are missing."]}',
        '{"sentences": ["A ferry with sixty people sank.", "Two bodies were found."]}',
    ],
    "clp.default": ['{"sentences": ["The ferry sank in the night.", "Nine people are missing."]}'],
    "pgp.where": [
        """{"issues": [{"kind": "conflict", "detail": "how many are missing",
        "sentences": [{"report": 1, "sentence": 2}, {"report": 2, "sentence": 2}]}]}""",
        """{"issues": [{"kind": "omission", "detail": "bodies found",
        "sentences": [{"report": 2, "sentence": 1}]}]}""",
    ],
    "pgp.strategies": [
        '{"strategies": [{"conflict": 1, "cause": "update", "strategy": "Say seven."}]}',
        '{"strategies": []}',
    ],
    "pgp.summary": [
        "The ferry sank at night and seven people are missing.",
        "A ferry with sixty people sank at night. Divers found two bodies.",
    ],
}

SEED, RATE, MOST_STEPS = 0, 3e-3, 300
MARGIN = 5.0
"""Logits by which each right token must lead; what batching rounds off is far below that."""

TEMPLATE = (
    "{% for m in messages %}<|{{ m.role }}|>{{ m.content }}</s>{% endfor %}"
    "{% if add_generation_prompt %}<|assistant|>{% endif %}"
)
SPECIAL = ["<unk>", "<pad>", "</s>", "<|user|>", "<|assistant|>"]


@dataclass(frozen=True)
class Learnt:
    """A model's folder, and the run that it knows by heart."""

    folder: Path
    rounds: list[Round]
    said: list[tuple[tuple[Message, ...], str]]


@pytest.fixture(scope="module")
def learnt(tmp_path_factory: pytest.TempPathFactory) -> Learnt:
    torch = pytest.importorskip("torch")
    pytest.importorskip("transformers")
    said: list[tuple[tuple[Message, ...], str]] = []

    class Recorded(Cast):
        def __call__(self, request: Request) -> Said:
            answer = super().__call__(request)
            said.append((request.messages, str(answer)))
            return answer

    cast = Recorded({step: list(answers) for step, answers in ANSWERS.items()})
    rounds = carry_out(HAPPENING, str(RECIPE), author(cast))
    folder = tmp_path_factory.mktemp("models") / "by-heart"
    tokenizer = tokenizer_of(
        [text for messages, answer in said for text in texts(messages, answer)]
    )
    threads = torch.get_num_threads()
    torch.set_num_threads(1)  # a model this small only loses by more
    try:
        model = by_heart(tokenizer, said)
    finally:
        torch.set_num_threads(threads)
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return Learnt(folder, rounds, said)


def texts(messages: Sequence[Message], answer: str) -> list[str]:
    return [*(message.content for message in messages), answer]


def tokenizer_of(known: Sequence[str]) -> Any:
    """Words with the space before them, every other character by itself: decoding loses nothing."""
    from tokenizers import Regex, Tokenizer, decoders, models, pre_tokenizers
    from transformers import PreTrainedTokenizerFast

    split = pre_tokenizers.Split(Regex(r" ?\w+|~+|\W"), "isolated")
    words = {word for text in known for word, _ in split.pre_tokenize_str(text)}
    vocabulary = {word: place for place, word in enumerate([*SPECIAL, *sorted(words)])}
    inner = Tokenizer(models.WordLevel(vocabulary, unk_token="<unk>"))
    inner.pre_tokenizer = split
    inner.decoder = decoders.Fuse()
    inner.add_special_tokens(SPECIAL)
    made: Any = PreTrainedTokenizerFast(  # type: ignore[no-untyped-call]
        tokenizer_object=inner, unk_token="<unk>", pad_token="<pad>", eos_token="</s>",
        clean_up_tokenization_spaces=False,
    )  # fmt: skip
    made.chat_template = TEMPLATE
    return made


def by_heart(tokenizer: Any, said: Sequence[tuple[tuple[Message, ...], str]]) -> Any:
    """A tiny Llama trained until every token of every answer leads by `MARGIN`."""
    import torch
    from transformers import LlamaConfig, LlamaForCausalLM

    torch.manual_seed(SEED)
    model: Any = LlamaForCausalLM(
        LlamaConfig(
            vocab_size=len(tokenizer), hidden_size=64, intermediate_size=128, num_hidden_layers=2,
            num_attention_heads=4, num_key_value_heads=4, max_position_embeddings=8192,
            bos_token_id=None, eos_token_id=2, pad_token_id=1, initializer_range=0.1,
        )
    )  # fmt: skip
    optimizer = torch.optim.Adam(model.parameters(), lr=RATE)
    pairs = [
        (prompt_tokens(tokenizer, messages), [*tokenizer(answer)["input_ids"], 2])
        for messages, answer in said
    ]
    total = sum(len(answer) for _, answer in pairs)
    least = 0.0
    for _ in range(MOST_STEPS):
        optimizer.zero_grad()
        least = float("inf")
        for prompt, answer in pairs:
            ids = torch.tensor([[*prompt, *answer[:-1]]])
            right = torch.tensor(answer)
            logits = model(input_ids=ids, use_cache=False, logits_to_keep=len(answer)).logits[0]
            loss = torch.nn.functional.cross_entropy(logits, right, reduction="sum") / total
            loss.backward()  # type: ignore[no-untyped-call]
            least = min(least, _lead(logits.detach(), right))
        if least >= MARGIN:
            return model.eval()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
    pytest.fail(f"after {MOST_STEPS} steps some token leads by {least:.2f} only, not {MARGIN}")


def _lead(logits: Any, right: Any) -> float:
    """The least lead of a right token's logit over the best wrong one's."""
    chosen = logits.gather(1, right[:, None])[:, 0]
    others = logits.scatter(1, right[:, None], float("-inf")).amax(1)
    return float((chosen - others).min())


def run(model: OpenedModel, *, at_once: int, sample: int = 0) -> list[Round]:
    """The rounds of the recipe, `at_once` documents at a time before the first."""
    # An answer that goes astray must end soon.
    writing = Author(model=model, decoding=Decoding(max_tokens=200), sample=sample)
    method = Method.of(RECIPE, writing)
    context = Context(event=HAPPENING, target="en")
    inputs = method.prepare(passages(HAPPENING), context, at_once=at_once)
    return list(chronological(inputs, method.merge, context))


def without_notes(rounds: Sequence[Round]) -> list[Round]:
    """`rounds` without what a backend says about itself."""

    def bare(done: Round) -> Round:
        inputs = tuple(replace(passage, notes=()) for passage in done.inputs)
        carry = done.carry and replace(done.carry, notes=())
        return replace(done, inputs=inputs, carry=carry, notes=())

    return [bare(done) for done in rounds]


def counting(backend: Any) -> list[int]:
    """The sizes of the batches of `backend`, as they are answered; the first waits for company."""
    sizes: list[int] = []
    inner = backend._batch

    def batch(requests: Sequence[Request]) -> list[Completion | ModelError]:
        until = time.monotonic() + 30
        while not sizes and len(backend._waiting) < 2 and time.monotonic() < until:
            time.sleep(0.01)
        sizes.append(len(requests))
        answered: list[Completion | ModelError] = inner(requests)
        return answered

    backend._batch = batch
    return sizes


def test_the_recipe_in_process_gives_the_rounds_of_its_script(learnt: Learnt) -> None:
    with open_model(str(learnt.folder), device="cpu") as model:
        rounds = run(model, at_once=1)
        assert model.facts()["backend"] == "transformers"
        assert model.totals.calls == CALLS == len(learnt.said)
    assert [done.summary for done in rounds] == ANSWERS["pgp.summary"]
    assert [done.answers for done in rounds] == [done.answers for done in learnt.rounds]
    assert [len(done.issues) for done in rounds] == [1, 1]
    assert without_notes(rounds) == without_notes(learnt.rounds)


def test_batched_rounds_equal_single_ones(learnt: Learnt) -> None:
    with open_model(str(learnt.folder), device="cpu") as model:
        single = run(model, at_once=1)
    with open_model(str(learnt.folder), device="cpu", batch_size=4) as model:
        sizes = counting(model.backend)
        with ThreadPoolExecutor(2) as pool:
            # Greedy samples are alike, and yet no two of their requests are one.
            both = list(pool.map(lambda sample: run(model, at_once=3, sample=sample), (0, 1)))
        assert model.totals.calls == sum(sizes) == 2 * CALLS
    assert max(sizes) > 1
    assert both == [single, single]


def test_a_batch_of_unlike_steps_gives_each_its_own_answer(learnt: Learnt) -> None:
    model = LocalTransformers(str(learnt.folder), device="cpu", batch_size=4)
    decoding = Decoding(max_tokens=200)
    requests = [
        Request(model=model.name, messages=messages, decoding=decoding)
        for messages, _ in learnt.said
    ]
    outcomes = model.complete_all(requests)
    assert [o.text if isinstance(o, Completion) else o for o in outcomes] == [
        answer for _, answer in learnt.said
    ]
    lengths = [model.count_tokens(messages) for messages, _ in learnt.said[4:8]]
    assert max(lengths) > 2 * min(lengths)
