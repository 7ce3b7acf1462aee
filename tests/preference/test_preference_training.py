"""One training: the tokens trl sees, what cannot be trained, room on the disk, and estimates."""

import json
import math
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from baselines.preference import rounds, sequences, training
from baselines.preference.apart import Split
from baselines.preference.estimate import Sizes, estimate, pairs_a_side, trained_parameters
from baselines.preference.libraries import quiet
from baselines.preference.model_sizes import parameters_of
from baselines.preference.pairs import Pair
from baselines.preference.room import bytes_of_round, check_room
from baselines.preference.sequences import Likelihood, accuracy
from baselines.preference.settings import (
    Lora,
    PairSettings,
    Preference,
    Training,
    Writing,
)
from baselines.preference.work import Work
from globesumm.config import Drafts
from globesumm.errors import UsageError
from globesumm.llm.model_files import load_model
from globesumm.llm.request import Message
from globesumm.llm.tokenizers import load_tokenizer, prompt_tokens
from globesumm.prompts import Library
from tests.preference.conftest import topics

pytestmark = pytest.mark.slow

pytest.importorskip("trl", reason="preference tuning needs the extra tuning")

PAIR = Pair(
    task="t",
    chosen="river bridge ferry",
    rejected="apple drum",
    chosen_number=1,
    rejected_number=2,
)
MESSAGES = (Message("user", "say river or bridge"),)


def settings(toy: Path, **changes: Any) -> Preference:
    plain = Preference(
        train=("train",),
        test=("test",),
        model=str(toy),
        rounds=1,
        batch=4,
        drafts=Drafts(n=4, temperature=1.0, proxies=("rouge",)),
        pairs=PairSettings(rule="all"),
        training=Training(learning_rate=5e-3, gradient_checkpointing=False),
        writing=Writing(shown="own", max_tokens=30),
        lora=Lora(rank=4, alpha=8),
        score_held_out=False,
        final=(),
    )
    return replace(plain, **changes)


def work(toy: Path, folder: Path, **changes: Any) -> Work:
    split = Split(
        train=tuple(topics(1, seed=1, name="train")), test=tuple(topics(1, seed=2, name="test"))
    )
    return Work(
        settings=settings(toy, **changes),
        folder=folder,
        base=toy,
        split=split,
        prompts=Library(),
    )


def row(tokenizer: Any) -> dict[str, Any]:
    return sequences.row(tokenizer, MESSAGES, PAIR)


@pytest.mark.parametrize("template", [True, False])
def test_training_sees_the_tokens_that_are_measured_and_the_prompt_that_is_served(
    toy: Path, tmp_path: Path, template: bool
) -> None:
    base = tmp_path / "model"
    shutil.copytree(toy, base)
    if not template:
        (base / "chat_template.jinja").unlink()
    tokenizer = load_tokenizer(str(base))
    start = training.Start(
        folder=base, base=base, base_name="toy", base_revision=None, reference=base
    )
    with quiet():
        trainer, _ = training._trainer(start, [row(tokenizer)], tmp_path / "out", settings(toy), 1)
    seen = trainer.train_dataset[0]
    for which in ("chosen", "rejected"):
        mine = sequences.tokens(tokenizer, row(tokenizer), which)
        assert list(mine.prompt) == seen["prompt_ids"] == prompt_tokens(tokenizer, MESSAGES)
        assert list(mine.answer) == seen[f"{which}_ids"]
        assert mine.answer[-1] == tokenizer.eos_token_id


def test_a_batch_of_unlike_lengths_is_as_likely_as_each_alone(toy: Path) -> None:
    tokenizer, model = load_tokenizer(str(toy)), load_model(toy, "cpu", "float32")
    texts = [sequences.tokens(tokenizer, row(tokenizer), one) for one in ("chosen", "rejected")]
    together = sequences.log_likelihoods(model, texts)
    alone = [sequences.log_likelihoods(model, [one])[0] for one in texts]
    assert together == pytest.approx(alone, abs=1e-4)
    assert all(-math.inf < one < 0 for one in together)


def test_accuracy_counts_ties_half_and_says_where_there_is_no_pair() -> None:
    base = [Likelihood(chosen=-4, rejected=-2, chosen_tokens=4, rejected_tokens=1)] * 4
    found = [replace(base[0], chosen=-4 + rise) for rise in (1, 3, 0, -1)]
    held = accuracy(found, base)
    assert held.rewarded == (1 + 1 + 0.5 + 0) / 4
    assert held.likelier == 0.25
    assert held.likelier_a_token == 1.0
    assert held.margin == 0.75
    assert accuracy(base, base).rewarded == 0.5
    assert accuracy([], []).rewarded is None
    assert accuracy([], []).reason == "there is no held-out pair"


def test_a_round_of_drafts_that_are_all_tied_is_refused_with_the_counts(
    toy: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    held = work(toy, tmp_path, pairs=PairSettings(rule="all", margin=0.99))
    with pytest.raises(UsageError, match=r"makes no pair of 2 sides.*within the margin"):
        rounds.carry_out(held)


def test_a_disk_without_room_for_checkpoints_is_refused_before_training(
    toy: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    usage = shutil.disk_usage(tmp_path)
    monkeypatch.setattr(shutil, "disk_usage", lambda _: usage._replace(free=1000))
    with pytest.raises(UsageError, match=r"round 1 needs .* KiB .* has 1000 bytes left"):
        rounds.carry_out(work(toy, tmp_path))
    assert not (tmp_path / "round-01" / "checkpoints").exists()


def test_the_whole_model_can_be_trained_in_the_place_of_an_adapter(
    toy: Path, tmp_path: Path
) -> None:
    made = rounds.carry_out(work(toy, tmp_path, lora=None))
    assert made[1].trained is not None
    model = tmp_path / "round-01" / "model"
    assert (model / "config.json").is_file()
    assert not (model / "adapter_config.json").exists()


def test_a_learning_rate_that_breaks_the_loss_is_refused(toy: Path, tmp_path: Path) -> None:
    how = Training(learning_rate=1e30, gradient_checkpointing=False, batch=1)
    with pytest.raises(UsageError, match=r"the loss is .* lower training\.learning_rate"):
        rounds.carry_out(work(toy, tmp_path, lora=None, training=how))


def test_layers_that_the_model_does_not_have_are_refused(toy: Path, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"cannot be trained .*nowhere"):
        rounds.carry_out(work(toy, tmp_path, lora=Lora(targets=("nowhere",))))


def test_proxies_that_ask_need_a_judge_before_anything_is_drawn(toy: Path, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"llm-coverage ask a model: name it in \[judge\]"):
        rounds.carry_out(work(toy, tmp_path, drafts=Drafts(n=4, proxies=("llm-coverage",))))
    assert not (tmp_path / "calls.sqlite").exists()


def test_pairs_past_the_length_of_training_are_counted_and_make_no_round(
    toy: Path, tmp_path: Path
) -> None:
    how = Training(max_tokens=8)
    with pytest.raises(UsageError, match="pairs too long for training"):
        rounds.carry_out(work(toy, tmp_path, training=how))


def test_the_counts_of_the_estimate_are_those_of_the_model(toy: Path) -> None:
    from peft import LoraConfig, get_peft_model

    facts, model = parameters_of(toy), load_model(toy, "cpu", "float32")
    assert facts["parameters"] == sum(one.numel() for one in model.parameters())
    adapted = get_peft_model(
        model, LoraConfig(r=4, target_modules="all-linear", task_type="CAUSAL_LM")
    )
    trained, _ = adapted.get_nb_trainable_parameters()
    assert trained_parameters(facts, Lora(rank=4)) == trained
    assert trained_parameters(facts, None) == facts["parameters"]


LLAMA_8B = {
    "parameters": 8_030_261_248,
    "layers": 32,
    "hidden": 4096,
    "intermediate": 14336,
    "vocabulary": 128256,
    "heads": 32,
    "key_heads": 8,
    "head": 128,
    "window": 131072,
}


def test_eight_billion_weights_fit_one_gpu_with_an_adapter_and_not_without(toy: Path) -> None:
    sizes = Sizes(
        train_sides=3432,
        test_sides=200,
        prompt_tokens=1500,
        answer_tokens=75,
        longest_tokens=4000,
        pairs_a_side=1,
    )
    how = Training()
    small = estimate(
        settings(toy, lora=Lora(), training=how), LLAMA_8B, sizes, stored="bfloat16", asked=2
    )
    whole = estimate(
        settings(toy, lora=None, training=how), LLAMA_8B, sizes, stored="bfloat16", asked=2
    )
    assert small.trained == 41_943_040  # rank 16 on every linear layer of Llama-3.1-8B
    assert small.gib < 80 < whole.gib
    # 4 bytes of weights and 12 of gradients and Adam, and a frozen copy at 2.
    assert whole.gib > 18 * LLAMA_8B["parameters"] / 2**30
    assert whole.steps_a_round == 858
    assert small.hours["training"] < whole.hours["training"]


def test_more_pairs_a_side_are_counted_as_rules_make_them(toy: Path) -> None:
    found = {
        rule: pairs_a_side(settings(toy, pairs=PairSettings(rule=rule, k=2)))
        for rule in ("best-worst", "best-all", "all", "top-bottom")
    }
    assert found == {"best-worst": 1, "best-all": 3, "all": 6, "top-bottom": 4}


def test_room_counts_two_checkpoints_and_the_model() -> None:
    assert bytes_of_round(100, 100, adapter=False) == int(1.05 * (2 * (400 + 800) + 400))
    check_room(Path("/nowhere/that/is/there"), 1, "a test")


def test_only_whole_checkpoints_are_gone_on_from(tmp_path: Path) -> None:
    for step, text in ((3, '{"global_step": 3}'), (6, '{"global_step": 6}'), (9, '{"glob')):
        (tmp_path / f"checkpoint-{step}").mkdir()
        (tmp_path / f"checkpoint-{step}" / "trainer_state.json").write_text(text)
    (tmp_path / "checkpoint-12").mkdir()
    assert training.newest_checkpoint(tmp_path) == tmp_path / "checkpoint-6"
    assert {one.name for one in tmp_path.iterdir()} == {"checkpoint-3", "checkpoint-6"}
    assert training.newest_checkpoint(tmp_path / "absent") is None


def test_nothing_is_reported_to_the_hub(toy: Path, tmp_path: Path) -> None:
    from huggingface_hub import constants

    before = constants.HF_HUB_DISABLE_TELEMETRY
    with quiet():
        assert constants.HF_HUB_DISABLE_TELEMETRY
        assert constants.HF_HUB_OFFLINE
    assert before == constants.HF_HUB_DISABLE_TELEMETRY


def test_a_plan_reads_no_weights_and_tells_parameters_memory_time_and_calls(
    toy: Path, tmp_path: Path
) -> None:
    from baselines.preference.planning import plan

    bare = tmp_path / "bare"
    shutil.copytree(toy, bare, ignore=shutil.ignore_patterns("*.safetensors"))
    said = "\n".join(plan(work(bare, tmp_path)))
    count = sum(one.numel() for one in load_model(toy, "cpu", "float32").parameters())
    assert f"{count:,} parameters" in said
    for word in ("memory while training", "time:", "calls: 16 drafts", "disk:"):
        assert word in said
    assert json.dumps(said)
