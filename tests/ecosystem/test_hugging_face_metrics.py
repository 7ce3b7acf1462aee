"""The metrics as modules of Hugging Face `evaluate`, used as its users do."""

from pathlib import Path
from typing import Any

import pytest

from globesumm.errors import UnknownName, UsageError
from globesumm.llm.scripted import Scripted
from metrics import Rouge
from metrics.registry import METRICS

evaluate = pytest.importorskip("evaluate", reason="the extra 'evaluate' is not installed")

TEXTS = ["The cat sat on the mat.", "Two dogs barked at the moon."]
REFERENCES = [["The cat slept on the mat.", "A cat sat."], ["Two dogs barked at night."]]


@pytest.fixture
def load(tmp_path: Path) -> Any:
    from functools import partial

    from metrics.hugging_face import load

    return partial(load, cache_dir=str(tmp_path))


def test_a_loaded_metric_gives_what_the_metric_gives(load: Any) -> None:
    found = load("rouge", language="en").compute(predictions=TEXTS, references=REFERENCES)
    assert found == Rouge().compute(TEXTS, REFERENCES, language="en")
    assert (found["rouge1_n"], found["n"], found["reasons"]) == (2, 2, {})


def test_batches_items_and_single_references_add_up_to_the_same(load: Any) -> None:
    rouge = load("rouge")
    rouge.add_batch(predictions=TEXTS[:1], references=REFERENCES[:1])
    rouge.add(prediction=TEXTS[1], reference=REFERENCES[1])
    assert rouge.compute(language="en") == Rouge().compute(TEXTS, REFERENCES, language="en")
    singles = [held[0] for held in REFERENCES]
    again = rouge.compute(predictions=TEXTS, references=singles, language="en")
    assert again == Rouge().compute(TEXTS, singles, language="en")


def test_it_loads_as_a_script_of_evaluates_own_without_the_hub(tmp_path: Path) -> None:
    from metrics.hugging_face import script

    loaded = evaluate.load(script(), "rouge", language="en", cache_dir=str(tmp_path))
    assert isinstance(loaded, evaluate.Metric)
    found = loaded.compute(predictions=TEXTS, references=REFERENCES)
    assert found["signature"] == str(Rouge().signature)


def test_metrics_combine(load: Any) -> None:
    together = evaluate.combine([load("rouge", language="en")])
    found = together.compute(predictions=TEXTS, references=REFERENCES)
    assert found["rouge1"] == Rouge().compute(TEXTS, REFERENCES, language="en")["rouge1"]


def test_what_is_unscored_has_a_reason_and_is_in_no_mean(load: Any) -> None:
    found = load("rouge", language="en").compute(
        predictions=[*TEXTS, TEXTS[0]], references=[*REFERENCES, []], per_item=True
    )
    assert (found["rouge1_n"], found["n"]) == (2, 3)
    assert found["rouge1"] == Rouge().compute(TEXTS, REFERENCES, language="en")["rouge1"]
    assert sum(found["reasons"]["rouge1"].values()) == 1
    assert found["rouge1_items"][2] is None
    assert found["rouge1_notes"][2] in found["reasons"]["rouge1"]


def test_languages_may_differ_by_prediction(load: Any) -> None:
    found = load("rouge").compute(
        predictions=["Кошка спит.", "猫在睡觉"],
        references=[["Кошка спит."], ["猫在睡觉"]],
        language=["ru", "zh"],
    )
    assert found["rouge1"] == pytest.approx(1.0)
    with pytest.raises(UsageError, match="2 predictions but 1 languages"):
        load("rouge").compute(predictions=TEXTS, references=REFERENCES, language=["en"])


def test_documents_and_an_entailer_are_held_against_texts(load: Any) -> None:
    found = load("length", language="en").compute(
        predictions=TEXTS, documents=[[TEXTS[0], TEXTS[1]], [TEXTS[0]]]
    )
    assert found["words"] == pytest.approx(6.0)
    nic = load("nic", entailer="lexical", language="en")
    found = nic.compute(predictions=TEXTS, references=REFERENCES)
    assert found["n"] == 2
    assert "nic" in found["signature"]


def test_conflicts_are_judged_by_the_model_that_is_given(load: Any) -> None:
    asked: list[str] = []

    def judge(request: Any) -> str:
        asked.append(request.messages[-1].content)
        return "no verdict"

    cre = load("cre", judge=Scripted(judge), language="en")
    found = cre.compute(predictions=TEXTS[:1], conflicts=[["One says 296 died, another 632."]])
    assert "296 died" in asked[0]
    assert (found["cre"], found["cre_n"], found["n"]) == (None, 0, 1)
    assert "no verdicts" in next(iter(found["reasons"]["cre"]))


@pytest.mark.parametrize("name", METRICS)
def test_every_metric_says_what_it_is_and_what_it_takes(name: str, load: Any) -> None:
    found = load(name)
    assert str(METRICS[name]().signature) in found.description
    assert "Range:" in found.description
    assert found.citation
    assert "predictions: " in found.inputs_description
    held = found.features if isinstance(found.features, list) else [found.features]
    assert all("predictions" in features for features in held)


@pytest.mark.parametrize(
    ("name", "error", "told"),
    [
        ("rogue", UnknownName, "did you mean 'rouge'"),
        ("nic", UsageError, "it needs an entailment model"),
        ("cre", UsageError, "it needs an instruction-following model"),
    ],
)
def test_a_wrong_name_or_a_missing_model_is_told(
    name: str, error: type[Exception], told: str, load: Any
) -> None:
    with pytest.raises(error, match=told):
        load(name)


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"predictions": "a text", "references": "a text"}, "predictions: str given"),
        ({"predictions": [None, "x"], "references": REFERENCES}, r"predictions\[0\] is NoneType"),
        ({"predictions": [b"x", "x"], "references": REFERENCES}, r"predictions\[0\] is bytes"),
        ({"predictions": [1.5, "x"], "references": REFERENCES}, r"predictions\[0\] is float"),
        ({"predictions": TEXTS, "references": [["a"], None]}, r"references\[1\] is NoneType"),
        ({"predictions": TEXTS, "references": [["a"], [None]]}, r"references\[1\]\[0\] is None"),
        ({"predictions": TEXTS, "references": [["a"], [["b"]]]}, r"references\[1\]\[0\] is list"),
        ({"predictions": TEXTS, "references": [["a"], {"b": 1}]}, r"references\[1\] is dict"),
        ({"predictions": TEXTS, "references": REFERENCES[:1]}, "2 predictions but 1 references"),
        ({"predictions": TEXTS}, "no references given"),
        ({"predictions": TEXTS, "documents": REFERENCES}, "'documents' is not taken here"),
        ({"predictions": TEXTS, "references": REFERENCES, "lang": "en"}, "'lang' is not taken"),
        ({"predictions": TEXTS, "references": REFERENCES, "language": ["en", None]}, "language"),
        ({"predictions": TEXTS, "references": REFERENCES, "language": 5}, "language: int given"),
        ({"predictions": [], "references": []}, "nothing to score"),
        ({}, "nothing to score"),
    ],
)  # fmt: skip
def test_what_is_no_text_is_refused_by_its_place_and_never_scored(
    given: dict[str, Any], told: str, load: Any
) -> None:
    rouge = load("rouge", language="en")
    with pytest.raises(UsageError, match=told):
        rouge.compute(**given)
    after = rouge.compute(predictions=TEXTS, references=REFERENCES)
    assert after == Rouge().compute(TEXTS, REFERENCES, language="en")


def test_single_references_and_lists_of_them_mix_and_an_empty_batch_adds_nothing(load: Any) -> None:
    rouge = load("rouge", language="en")
    rouge.add(prediction=TEXTS[0], reference=REFERENCES[0][0])
    rouge.add_batch(predictions=[], references=[])
    rouge.add(prediction=TEXTS[1], reference=tuple(REFERENCES[1]))
    mixed = [[REFERENCES[0][0]], REFERENCES[1]]
    assert rouge.compute() == Rouge().compute(TEXTS, mixed, language="en")
    assert rouge.compute(predictions=iter(TEXTS), references=[REFERENCES[0][0], REFERENCES[1]]) == (
        Rouge().compute(TEXTS, mixed, language="en")
    )


def test_a_lone_surrogate_is_read_as_every_metric_reads_it(load: Any) -> None:
    broken, reference = "The cat\ud800 sat.", [["The cat sat."]]
    found = load("rouge", language="en").compute(predictions=[broken], references=reference)
    assert found == Rouge().compute([broken], reference, language="en")


def test_documents_in_known_languages_are_read_as_in_an_event(load: Any) -> None:
    novel = load("abstractiveness", language="en")
    documents = [["A cat sat.", "Un chat dort."], ["Zwei Hunde."]]
    languages = [["en", "fr"], "de"]
    found = novel.compute(
        predictions=TEXTS, documents=documents, document_languages=languages, per_item=True
    )
    assert found["novel1_notes"][0] == "1 of 2 sources in other languages than the text"
    assert found["novel1_items"][1] is None  # no source in its language
    assert found["novel1_n"] == 1
    with pytest.raises(UsageError, match="document_languages"):
        novel.compute(predictions=TEXTS, documents=documents, document_languages=[["en"], "de"])


@pytest.mark.parametrize(
    ("name", "settings", "told"),
    [
        ("rouge", {"lang": "de"}, "unknown setting 'lang'"),
        ("rouge", {"language": "klingon"}, "unknown language"),
        ("rouge", {"judge": "gpt-4o"}, "rouge takes no judge"),
        ("rouge", {"entailer": "lexical"}, "rouge takes no entailer"),
    ],
)
def test_a_setting_that_would_change_nothing_is_refused(
    name: str, settings: dict[str, str], told: str, load: Any
) -> None:
    with pytest.raises(UsageError, match=told):
        load(name, **settings)
