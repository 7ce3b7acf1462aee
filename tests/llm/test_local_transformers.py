"""A real, tiny model in this process: batches, seeds, limits, windows, and absent files."""

import threading
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from globesumm.errors import UsageError
from globesumm.llm.backends import open_model
from globesumm.llm.errors import ContextOverrun, CutOff, ModelError, TimedOut
from globesumm.llm.local_transformers import LocalTransformers
from globesumm.llm.model_files import model_folder
from globesumm.llm.openai_compatible import OpenAICompatible
from globesumm.llm.request import Completion, Decoding, Message, Request, canonical_json
from tests.llm.conftest import QuirkServer, ask

TEMPLATE = (
    "{{ bos_token }}{% for m in messages %}<|{{ m.role }}|>{{ m.content }}{{ eos_token }}"
    "{% endfor %}{% if add_generation_prompt %}<|assistant|>"
    "{% if enable_thinking is defined and not enable_thinking %}<think></think>{% endif %}"
    "{% endif %}"
)


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A Llama of a few kilobytes with a byte-level tokenizer and a chat template of its own."""
    torch = pytest.importorskip("torch")
    transformers = pytest.importorskip("transformers")
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers

    words = Tokenizer(models.BPE())
    words.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    words.decoder = decoders.ByteLevel()
    special = ["<s>", "</s>", "<pad>", "<|user|>", "<|assistant|>", "<|system|>"]
    words.train_from_iterator(
        ["hello world"],
        trainers.BpeTrainer(
            vocab_size=300,
            special_tokens=special,
            initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
            show_progress=False,
        ),
    )
    tokenizer = transformers.PreTrainedTokenizerFast(
        tokenizer_object=words, bos_token="<s>", eos_token="</s>", pad_token="<pad>"
    )
    tokenizer.chat_template = TEMPLATE
    torch.set_num_threads(1)  # a model this small only loses by more
    torch.manual_seed(0)
    config = transformers.LlamaConfig(
        vocab_size=len(tokenizer), hidden_size=32, intermediate_size=64, num_hidden_layers=2,
        num_attention_heads=4, num_key_value_heads=2, max_position_embeddings=256,
        bos_token_id=0, eos_token_id=1, pad_token_id=2, initializer_range=0.2,
    )  # fmt: skip
    place = tmp_path_factory.mktemp("models") / "tiny-llama"
    transformers.LlamaForCausalLM(config).save_pretrained(place)
    tokenizer.save_pretrained(place)
    return place


@pytest.fixture(scope="session")
def local(folder: Path) -> LocalTransformers:
    return LocalTransformers(str(folder))


def said(outcome: Completion | ModelError) -> Completion:
    """The completion, whole or not."""
    found = outcome.completion if isinstance(outcome, ModelError) else outcome
    assert found is not None
    return found


def several(temperature: float, count: int = 6) -> list[Request]:
    """Requests of unlike lengths and limits."""
    decoding = Decoding(temperature=temperature, top_p=0.95, max_tokens=10)
    return [
        Request(
            model="tiny",
            messages=(Message("system", "Brief."), Message("user", "hello " * (1 + n * n))),
            decoding=replace(decoding, max_tokens=6 + 4 * n),
            sample=n,
        )
        for n in range(count)
    ]


@pytest.mark.parametrize("temperature", [0.0, 1.0])
def test_a_batch_gives_every_answer_as_it_would_be_alone(
    folder: Path, local: LocalTransformers, temperature: float
) -> None:
    batched = LocalTransformers(str(folder), batch_size=6)
    requests = several(temperature)
    alone = [said(outcome) for outcome in local.complete_all(requests)]
    together = [said(outcome) for outcome in batched.complete_all(requests)]
    assert [c.text for c in together] == [c.text for c in alone]
    assert [c.usage for c in together] == [c.usage for c in alone]
    assert len({c.text for c in alone}) > 1


def test_callers_in_threads_share_batches_and_get_their_own_answers(
    folder: Path, local: LocalTransformers
) -> None:
    batched = LocalTransformers(str(folder), batch_size=4)
    sizes: list[int] = []
    inner = batched._batch

    def counted(requests: Sequence[Request]) -> list[Completion | ModelError]:
        sizes.append(len(requests))
        return inner(requests)

    batched._batch = counted  # type: ignore[method-assign]
    requests = several(1.0, 9)
    got: dict[int, Completion] = {}

    def call(index: int) -> None:
        try:
            got[index] = batched.complete(requests[index])
        except ModelError as error:
            got[index] = said(error)

    threads = [threading.Thread(target=call, args=(index,)) for index in range(9)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sum(sizes) == 9
    assert max(sizes) > 1
    alone = [said(outcome) for outcome in local.complete_all(requests)]
    assert [got[n].text for n in range(9)] == [c.text for c in alone]


def test_a_seed_decides_a_draw_and_samples_differ(local: LocalTransformers) -> None:
    def draw(seed: int, sample: int) -> str:
        request = ask("hello", temperature=1.5, seed=seed, sample=sample, max_tokens=20)
        (outcome,) = local.complete_all([request])
        return said(outcome).text

    assert draw(1, 0) == draw(1, 0) != draw(2, 0)
    assert draw(1, 1) == draw(2, 0)
    assert len({draw(0, sample) for sample in range(5)}) == 5


def test_draws_follow_the_models_probabilities(local: LocalTransformers) -> None:
    """The share of the likeliest first token among seeded draws is near its probability."""
    import torch

    from globesumm.llm.local_decoding import _RowSampling

    scores = torch.log(torch.tensor([[0.6, 0.25, 0.1, 0.05]]))
    counts = [0, 0, 0, 0]
    for seed in range(2000):
        request = ask("x", temperature=1, seed=seed)
        counts[int(_RowSampling([request])(None, scores).argmax())] += 1
    assert [count / 2000 for count in counts] == pytest.approx([0.6, 0.25, 0.1, 0.05], abs=0.04)
    narrow = ask("x", temperature=1, top_p=0.7)
    kept = _RowSampling([narrow])(None, scores)
    assert torch.isinf(kept).tolist() == [[False, False, True, True]]


def test_an_answer_at_its_limit_is_cut_off_and_kept(local: LocalTransformers) -> None:
    with pytest.raises(CutOff, match="after 3 tokens") as caught:
        local.complete(ask("hello", max_tokens=3))
    assert said(caught.value).usage is not None


def test_an_end_token_or_a_stop_string_makes_a_whole_answer(local: LocalTransformers) -> None:
    with pytest.raises(CutOff) as caught:
        local.complete(ask("hello", max_tokens=30))
    text = said(caught.value).text
    stop = text[8:10]
    whole = local.complete(ask("hello", max_tokens=30, stop=(stop,)))
    assert whole.text == text[: text.index(stop)].strip()
    assert whole.finish == "stop"
    assert whole.usage is not None
    assert (whole.usage.completion_tokens or 0) < 30
    ends = LocalTransformers(local.name)
    first = ends._tokenizer(text, add_special_tokens=False)["input_ids"]
    ends._model.generation_config.eos_token_id = [1, first[5]]
    ended = ends.complete(ask("hello", max_tokens=30))
    assert (ended.finish, ended.text) == ("stop", ends._tokenizer.decode(first[:5]).strip())


def test_a_prompt_past_the_window_is_refused_before_anything_is_computed(
    local: LocalTransformers,
) -> None:
    long = ask("z" * 300, max_tokens=5)
    tokens = local.count_tokens(long.messages)
    assert local.context_window == 256
    with pytest.raises(ContextOverrun, match=f"{tokens} tokens") as caught:
        local.complete(long)
    assert (caught.value.tokens, caught.value.window) == (tokens, 256)
    outcomes = local.complete_all([long, ask("hello", max_tokens=3)])
    assert [type(o) for o in outcomes] == [ContextOverrun, CutOff]


def test_time_that_runs_out_is_named_and_the_beginning_kept(folder: Path) -> None:
    slow = LocalTransformers(str(folder), timeout_seconds=0.0)
    with pytest.raises(TimedOut) as caught:
        slow.complete(ask("hello", max_tokens=50))
    assert said(caught.value).usage is not None


def test_what_cannot_be_enforced_is_noted(local: LocalTransformers) -> None:
    request = ask("hello", max_tokens=3, reasoning=50, schema=canonical_json({"type": "object"}))
    with pytest.raises(CutOff) as caught:
        local.complete(request)
    notes = said(caught.value).notes
    assert "schema not enforced by this backend" in notes
    assert "reasoning budget not enforced by this backend" in notes


def test_reasoning_that_is_off_reaches_the_chat_template(local: LocalTransformers) -> None:
    plain = local.complete_all([ask("hello", max_tokens=2)])[0]
    off = local.complete_all([ask("hello", max_tokens=2, reasoning="off")])[0]
    before, after = said(plain).usage, said(off).usage
    assert before is not None
    assert after is not None
    assert (after.prompt_tokens or 0) > (before.prompt_tokens or 0)


def test_a_model_opens_by_name_with_store_and_meter(folder: Path, tmp_path: Path) -> None:
    store = tmp_path / "calls.sqlite"
    requests = [replace(r, model=f"{folder}") for r in several(1.0)]
    with open_model(f"transformers:{folder}", store=store, batch_size=3) as model:
        first = [said(o).text for o in model.complete_all(requests)]
        assert model.facts()["backend"] == "transformers"
        assert model.facts()["dtype"] == "float32"
    with open_model(f"{folder}", store=store, batch_size=3) as model:
        assert [said(o).text for o in model.complete_all(requests)] == first


def test_a_tokenizer_lets_a_server_model_know_an_overrun_before_the_call(
    folder: Path, server: QuirkServer
) -> None:
    model = OpenAICompatible("tiny", server.url, context_window=256, tokenizer=str(folder))
    assert model.count_tokens(ask("zzzz").messages) == 8
    with pytest.raises(ContextOverrun, match="more than the window of 256"):
        model.complete(ask("z" * 250, max_tokens=5))
    assert server.calls == []
    assert model.complete(ask("z" * 240, max_tokens=5)).text == "Whole."
    model.close()


def test_a_tokenizer_without_a_template_counts_plain_turns(folder: Path, tmp_path: Path) -> None:
    import shutil

    from globesumm.llm.tokenizers import Counter

    bare = tmp_path / "bare"
    shutil.copytree(folder, bare)
    (bare / "chat_template.jinja").unlink(missing_ok=True)
    assert Counter(str(bare)).count((Message("user", "hello"),)) > 5


def test_files_that_are_not_there_are_said_in_one_line(
    tmp_path: Path, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import huggingface_hub.constants

    monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_OFFLINE", True)
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    broken = tmp_path / "broken"
    broken.mkdir()
    for name, words in (
        (str(tmp_path / "absent"), "no folder"),
        (str(tmp_path), "config.json"),
        ("nobody/no-such-model", "HF_HUB_OFFLINE"),
    ):
        with pytest.raises(UsageError, match=words) as caught:
            model_folder(name)
        assert "\n" not in str(caught.value)
    (broken / "config.json").write_text('{"model_type": "llama"}')
    with pytest.raises(UsageError, match="broken"):
        LocalTransformers(str(broken))


def test_a_hub_that_cannot_be_reached_is_said_within_seconds(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    import time

    import huggingface_hub

    class Unreachable(huggingface_hub.HfApi):
        def __init__(self) -> None:
            super().__init__(endpoint="http://127.0.0.1:9")

    monkeypatch.setattr(huggingface_hub, "HfApi", Unreachable)
    started = time.monotonic()
    with pytest.raises(UsageError, match="give the path of a folder"):
        model_folder("nobody/no-such-model")
    assert time.monotonic() - started < 10
