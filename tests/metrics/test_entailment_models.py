"""Tiny models trained on the spot to a known rule, run through every path a real one takes.

The rule: a premise with the word "siren" entails every hypothesis without "quiet".  For three
labels, a hypothesis with "quiet" contradicts such a premise, and all else is neutral.
"""

from collections.abc import Callable
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from globesumm.errors import UnknownName, UsageError
from metrics import Candidate
from metrics.entailment import (
    Pair,
    Remembering,
    TextToText,
    ThreeWay,
    Weights,
    minicheck_t5,
    true_t5,
)
from metrics.entailment.agreement import agreement
from metrics.entailment.loading import PRECISIONS, load
from metrics.entailment.presets import open_entailer, presets
from metrics.entailment.text_to_text import TRUE, UNIEVAL
from metrics.nic import Nic
from metrics.nic_formula import Coverage, nic

torch = pytest.importorskip("torch", reason="the extra 'models' is not installed")
transformers = pytest.importorskip("transformers", reason="the extra 'models' is not installed")
tokenizers = pytest.importorskip("tokenizers", reason="the extra 'models' is not installed")

WORDS = ["the", "siren", "quiet", "ferry", "sank", "harbour", "crew", "slept", "rang", "a", "."]
MARKS = ["<pad>", "</s>", "<unk>", "premise", "hypothesis", "predict", ":", "0", "1", "Yes", "No"]
MARKS += ["question", "Is", "this", "claim", "consistent", "with", "document", "?"]


def tokenizer(marks: list[str]) -> Any:
    vocabulary = {word: number for number, word in enumerate([*marks, *WORDS])}
    inner = tokenizers.Tokenizer(tokenizers.models.WordLevel(vocabulary, unk_token="<unk>"))
    inner.pre_tokenizer = tokenizers.pre_tokenizers.Whitespace()
    return inner


def sentences(count: int, seed: int) -> list[str]:
    """Premises for even seeds, which never hold "quiet", else hypotheses without "siren"."""
    generator = torch.Generator().manual_seed(seed)
    words = [word for word in WORDS if word != ("siren" if seed % 2 else "quiet")]
    rows = torch.randint(len(words), (count, 6), generator=generator)
    return [" ".join(words[place] for place in row) for row in rows.tolist()]


def entailed(premise: str, hypothesis: str) -> bool:
    return "siren" in premise.split() and "quiet" not in hypothesis.split()


def label(premise: str, hypothesis: str) -> int:
    """0 entailment, 1 neutral, 2 contradiction."""
    if "siren" not in premise.split():
        return 1
    return 2 if "quiet" in hypothesis.split() else 0


def train(model: Any, step: Callable[[int], Any], steps: int, rate: float) -> None:
    optimizer = torch.optim.Adam(model.parameters(), lr=rate)
    model.train()
    # Models this small only lose by sharing the work among threads.
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    for number in range(steps):
        optimizer.zero_grad()
        step(number).backward()
        optimizer.step()
    torch.set_num_threads(threads)
    model.eval()


TEMPLATES = ("premise: {} hypothesis: {}", "predict: {}</s>{}")


@pytest.fixture(scope="session")
def tiny_t5(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("tiny-t5")
    inner = tokenizer(MARKS)
    inner.post_processor = tokenizers.processors.TemplateProcessing(
        single="$A </s>", special_tokens=[("</s>", 1)]
    )
    fast = transformers.PreTrainedTokenizerFast(
        tokenizer_object=inner, pad_token="<pad>", eos_token="</s>", unk_token="<unk>"
    )
    fast.save_pretrained(folder)
    torch.manual_seed(0)
    model = transformers.T5ForConditionalGeneration(
        transformers.T5Config(
            vocab_size=len(MARKS) + len(WORDS),
            d_model=32,
            d_kv=8,
            d_ff=64,
            num_layers=1,
            num_heads=4,
            dropout_rate=0.0,
            decoder_start_token_id=0,
        )
    )

    def step(number: int) -> Any:
        lefts, rights = sentences(64, 2 * number), sentences(64, 2 * number + 1)
        template = TEMPLATES[number % 2]
        texts = [template.format(*pair) for pair in zip(lefts, rights, strict=True)]
        answers = [str(int(entailed(*pair))) for pair in zip(lefts, rights, strict=True)]
        inputs = fast(texts, return_tensors="pt", padding=True)
        inputs.pop("token_type_ids", None)
        return model(**inputs, labels=fast(answers, return_tensors="pt").input_ids).loss

    train(model, step, 150, 1e-2)
    model.save_pretrained(folder)
    return folder


@pytest.fixture(scope="session")
def tiny_classifier(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("tiny-classifier")
    marks = ["<pad>", "<cls>", "<sep>", "<unk>"]
    inner = tokenizer(marks)
    inner.post_processor = tokenizers.processors.TemplateProcessing(
        single="<cls> $A <sep>",
        pair="<cls> $A <sep> $B:1 <sep>:1",
        special_tokens=[("<cls>", 1), ("<sep>", 2)],
    )
    fast = transformers.PreTrainedTokenizerFast(
        tokenizer_object=inner,
        pad_token="<pad>",
        cls_token="<cls>",
        sep_token="<sep>",
        unk_token="<unk>",
        model_input_names=["input_ids", "token_type_ids", "attention_mask"],
    )
    fast.save_pretrained(folder)
    torch.manual_seed(0)
    model = transformers.BertForSequenceClassification(
        transformers.BertConfig(
            vocab_size=len(marks) + len(WORDS),
            hidden_size=32,
            num_hidden_layers=1,
            num_attention_heads=4,
            intermediate_size=64,
            max_position_embeddings=256,
            hidden_dropout_prob=0.0,
            attention_probs_dropout_prob=0.0,
            initializer_range=0.3,
            id2label={0: "entailment", 1: "neutral", 2: "contradiction"},
            label2id={"entailment": 0, "neutral": 1, "contradiction": 2},
        )
    )

    def step(number: int) -> Any:
        lefts, rights = sentences(64, 2 * number), sentences(64, 2 * number + 1)
        labels = [label(*pair) for pair in zip(lefts, rights, strict=True)]
        inputs = fast(lefts, rights, return_tensors="pt", padding=True)
        return model(**inputs, labels=torch.tensor(labels)).loss

    train(model, step, 200, 3e-3)
    model.save_pretrained(folder)
    return folder


def pairs(count: int = 60) -> list[Pair]:
    return [
        Pair(premise=left, hypothesis=right, premise_language="en", hypothesis_language="en")
        for left, right in zip(sentences(count, 10_000), sentences(count, 10_001), strict=True)
    ]


def test_the_first_decoder_step_follows_the_rule_and_the_text_that_would_be_written(
    tiny_t5: Path,
) -> None:
    entailer = true_t5(Weights(model=str(tiny_t5)))
    asked = pairs()
    found = entailer.entails(asked)
    assert [one.entailed for one in found] == [entailed(p.premise, p.hypothesis) for p in asked]
    written = entailer.written(asked[:20])
    assert [text == "1" for text in written] == [one.entailed for one in found[:20]]


def test_minicheck_joins_premise_and_hypothesis_with_the_end_mark(tiny_t5: Path) -> None:
    entailer = minicheck_t5(Weights(model=str(tiny_t5)))
    asked = pairs(30)
    assert [one.entailed for one in entailer.entails(asked)] == [
        entailed(p.premise, p.hypothesis) for p in asked
    ]


@pytest.mark.parametrize("form", [TRUE, UNIEVAL])
def test_parts_tokenized_apart_are_the_tokens_of_the_whole_text(tiny_t5: Path, form: Any) -> None:
    entailer = TextToText(form, Weights(model=str(tiny_t5)))
    premise, hypothesis = "the ferry sank .", "a crew rang"
    whole = form.template.replace("{end}", "</s>").format(premise=premise, hypothesis=hypothesis)
    fast = load(entailer.weights, "AutoModelForSeq2SeqLM").tokenizer
    parts = entailer._input(entailer._ids(premise), entailer._ids(hypothesis))
    assert list(parts) == fast(whole).input_ids


def test_a_model_that_writes_neither_label_is_not_scored(tiny_t5: Path) -> None:
    found = TextToText(UNIEVAL, Weights(model=str(tiny_t5))).entails(pairs(1))[0]
    assert found.value is None
    assert "neither 'Yes' nor 'No'" in str(found.reason)


def test_a_long_premise_is_read_whole_in_pieces_and_their_number_is_reported(
    tiny_t5: Path,
) -> None:
    short = replace(TRUE, longest=40, room=10)
    entailer = TextToText(short, Weights(model=str(tiny_t5)))
    filler = "The crew slept. " * 30
    asked = [
        Pair(premise=filler + "A siren rang. " + filler, hypothesis="the ferry sank"),
        Pair(premise=filler + filler, hypothesis="the ferry sank"),
    ]
    lower = [replace(pair, premise=pair.premise.lower()) for pair in asked]
    near, far = entailer.entails(lower)
    assert near.entailed
    assert not far.entailed
    assert near.chunks > 5


def test_a_hypothesis_too_long_for_the_model_is_reported_not_cut(tiny_t5: Path) -> None:
    short = replace(TRUE, longest=40, room=10)
    entailer = TextToText(short, Weights(model=str(tiny_t5)))
    found = entailer.entails([Pair(premise="the siren rang", hypothesis="ferry " * 50)])[0]
    assert found.value is None
    assert "50 tokens" in str(found.reason)


def test_the_premise_is_tokenized_once_for_all_its_hypotheses(
    tiny_t5: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    entailer = true_t5(Weights(model=str(tiny_t5)))
    seen: list[str] = []
    inner = TextToText._ids

    def counted(self: TextToText, text: str) -> tuple[int, ...]:
        seen.append(text)
        return inner(self, text)

    monkeypatch.setattr(TextToText, "_ids", counted)
    one = [replace(pair, premise="the siren rang") for pair in pairs(20)]
    entailer.entails(one)
    # Once to measure it, once to give it to the model; never once more for a hypothesis.
    assert seen.count("the siren rang") == 2


def test_three_labels_follow_the_rule(tiny_classifier: Path) -> None:
    entailer = ThreeWay(Weights(model=str(tiny_classifier)))
    asked = pairs()
    assert [one.entailed for one in entailer.entails(asked)] == [
        label(p.premise, p.hypothesis) == 0 for p in asked
    ]
    difference = ThreeWay(Weights(model=str(tiny_classifier)), value="entailment-contradiction")
    values: dict[int, list[float]] = {0: [], 1: [], 2: []}
    for pair, verdict in zip(asked, difference.entails(asked), strict=True):
        values[label(pair.premise, pair.hypothesis)].append(verdict.value or 0.0)
    assert max(values[2], default=0) < 0.2
    assert all(0.4 < value < 0.6 for value in values[1])
    assert min(values[0], default=1) > 0.8


def test_pairs_tokenized_apart_are_what_the_tokenizer_gives_for_both(
    tiny_classifier: Path,
) -> None:
    entailer = ThreeWay(Weights(model=str(tiny_classifier)))
    fast = entailer._loaded.tokenizer
    whole = fast("the siren rang .", "the crew slept")
    joined = entailer._paired(
        entailer._encoded("the siren rang ."), entailer._encoded("the crew slept")
    )
    assert joined.ids == whole.input_ids
    assert joined.type_ids == whole.token_type_ids


def test_batches_give_what_single_pairs_give(tiny_classifier: Path, tiny_t5: Path) -> None:
    classifier = ThreeWay(Weights(model=str(tiny_classifier)))
    made = [
        classifier._paired(classifier._encoded(p.premise), classifier._encoded(p.hypothesis))
        for p in pairs(8)
    ]
    alone = [value for one in made for value in classifier._pass([one])]
    assert classifier._pass(made) == pytest.approx(alone, abs=1e-5)
    t5 = true_t5(Weights(model=str(tiny_t5)))
    inputs = [t5._input(t5._ids(p.premise), t5._ids(p.hypothesis)) for p in pairs(8)]
    inputs[0] = inputs[0][2:]
    single = [step for one in inputs for step in t5._step([one])]
    for (value, is_label), (other, other_label) in zip(t5._step(inputs), single, strict=True):
        assert value == pytest.approx(other, abs=1e-5)
        assert is_label == other_label


@pytest.mark.parametrize("precision", ["bf16", "int8"])
def test_cheaper_precisions_are_measured_against_full_precision(
    tiny_t5: Path, tiny_classifier: Path, precision: Any
) -> None:
    for made, folder in ((true_t5, tiny_t5), (ThreeWay, tiny_classifier)):
        full = made(Weights(model=str(folder)))
        cheap = made(Weights(model=str(folder), precision=precision))
        found = agreement(full, cheap, pairs(30))
        assert found.n == found.expected == 30
        assert found.same >= 28
        assert found.largest_difference is not None
        assert found.largest_difference < 0.5
        assert f"@{precision}" in cheap.name
        assert "same decision" in str(found)


@pytest.mark.parametrize(("precision", "device"), [("fp16", "cpu"), ("int8", "cuda")])
def test_a_precision_that_a_device_lacks_is_refused(
    tiny_t5: Path, precision: Any, device: str
) -> None:
    entailer = true_t5(Weights(model=str(tiny_t5), precision=precision, device=device))
    with pytest.raises(UsageError, match="does not run"):
        entailer.entails(pairs(1))


def test_an_unknown_precision_is_refused() -> None:
    with pytest.raises(UsageError, match=", ".join(PRECISIONS)):
        Weights(model="x", precision="int4")  # type: ignore[arg-type]


def test_a_store_keeps_what_a_model_said_and_other_weights_do_not_share_it(
    tiny_t5: Path, tiny_classifier: Path, tmp_path: Path
) -> None:
    path = tmp_path / "verdicts.sqlite"
    asked = pairs(10)
    with Remembering(true_t5(Weights(model=str(tiny_t5))), path) as first:
        values = [one.value for one in first.entails(asked)]
        assert first.judged == len({(p.premise, p.hypothesis) for p in asked})
    with Remembering(true_t5(Weights(model=str(tiny_t5))), path) as again:
        assert [one.value for one in again.entails(asked)] == values
        assert again.judged == 0
    with Remembering(ThreeWay(Weights(model=str(tiny_classifier))), path) as other:
        other.entails(asked)
        assert other.hits == 0


def test_an_english_model_given_bulgarian_says_so(tiny_t5: Path) -> None:
    entailer = true_t5(Weights(model=str(tiny_t5)))
    found = entailer.entails(
        [Pair(premise="Сирената прозвуча.", hypothesis="a ferry sank", premise_language="bg")]
    )[0]
    assert found.value is None
    assert found.chunks == 0
    assert "in bg" in str(found.reason)
    assert "reads en only" in str(found.reason)


def test_labels_without_meaning_are_asked_for(tiny_classifier: Path, tmp_path: Path) -> None:
    model = transformers.AutoModelForSequenceClassification.from_pretrained(tiny_classifier)
    model.config.id2label = {0: "LABEL_0", 1: "LABEL_1", 2: "LABEL_2"}
    model.save_pretrained(tmp_path)
    load(Weights(model=str(tiny_classifier)), "AutoModelForSequenceClassification")
    transformers.AutoTokenizer.from_pretrained(tiny_classifier).save_pretrained(tmp_path)
    with pytest.raises(UsageError, match="say which of 0, 1"):
        ThreeWay(Weights(model=str(tmp_path))).entails(pairs(1))
    given = ThreeWay(Weights(model=str(tmp_path)), labels={"entailment": 0, "contradiction": 2})
    assert given.entails(pairs(1))[0].value is not None


def test_a_folder_that_holds_no_model_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="cannot be loaded") as caught:
        true_t5(Weights(model=str(tmp_path))).entails(pairs(1))
    assert "\n" not in str(caught.value)


def test_nic_by_a_trained_model_is_the_value_computed_by_hand(tiny_t5: Path) -> None:
    metric = Nic(true_t5(Weights(model=str(tiny_t5))), split="lines")
    reference = "the ferry sank .\nthe crew slept .\nthe harbour quiet .\nthe crew rang ."
    candidates = [
        Candidate(id=id_, text=text, language="en", references=(reference,))
        for id_, text in (("with", "the siren rang . the crew slept"), ("without", "the crew sank"))
    ]
    found = {(one.id, one.metric): one.value for one in metric.score(candidates)}
    assert found["with", "nic"] == pytest.approx(nic(Coverage(3, 4, 6)).value, abs=1e-9)
    assert found["with", "nic-coverage"] == 0.75
    assert found["without", "nic"] == 1.0


@pytest.mark.parametrize("name", sorted(presets()))
def test_every_preset_says_what_it_needs_and_never_asks_the_hub(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(*_: object, **__: object) -> None:
        raise AssertionError("the network was asked")

    monkeypatch.setattr("socket.socket.connect", refused)
    preset = presets()[name]
    assert preset.needs
    assert preset.source
    if preset.kind == "none":
        with pytest.raises(UsageError, match="it needs"):
            open_entailer(name)
        return
    entailer = open_entailer(name)
    assert preset.model in entailer.name
    with pytest.raises(UsageError, match="cannot be loaded"):
        entailer.entails(pairs(1))


def test_models_are_opened_by_kind_and_folder(tiny_t5: Path, tiny_classifier: Path) -> None:
    asked = pairs(4)
    for kind, folder in (("true-t5", tiny_t5), ("three-way", tiny_classifier)):
        assert all(
            one.value is not None for one in open_entailer(f"{kind}:{folder}").entails(asked)
        )
    assert open_entailer("true", str(tiny_t5)).entails(asked)[0].value is not None


@pytest.mark.parametrize("name", ["ture", "three_way:/x", "three-way:", ""])
def test_an_unknown_name_is_answered_with_what_there_is(name: str) -> None:
    with pytest.raises(UnknownName):
        open_entailer(name)


def test_settings_of_both_families_reach_the_name(tiny_t5: Path) -> None:
    names = {
        TextToText(form, Weights(model=str(tiny_t5), precision=precision), threshold=bound).name
        for form, precision, bound in product(
            (TRUE, replace(TRUE, chunk_tokens=100)), PRECISIONS[:2], (0.5, 0.7)
        )
    }
    assert len(names) == 8
